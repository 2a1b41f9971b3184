"""The benchmark runs, tells what failed, and writes what it measured."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from boop_env.bench import __main__ as bench
from boop_env.bench import data, networks
from boop_env.bench.measure import Row, human, measure, table
from boop_env.bench.rows import rows


def test_rows_that_fail_are_told_and_the_rest_measured() -> None:
    def broken() -> None:
        raise RuntimeError("no such thing")

    good, bad = Row("group", "good", "step", lambda: lambda: 7), Row("group", "bad", "step", broken)
    measure([bad, good], rounds=3, seconds=0.001, tell=lambda line: None)
    assert len(good.rates) == 3
    assert bad.error == "RuntimeError: no such thing"
    assert "| group | bad | not measured | RuntimeError: no such thing |" in table([bad, good])


def test_work_is_counted_by_the_second(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(100))
    monkeypatch.setattr("boop_env.bench.measure.time.perf_counter", lambda: float(next(clock)))
    row = Row("group", "name", "step", lambda: lambda: 10)
    measure([row], rounds=1, seconds=4, tell=lambda line: None)
    assert row.rates == [30 / 4]


@pytest.mark.parametrize(("rate", "text"), [(12.34, "12.3"), (4_881_000.0, "4.88 M"), (37_210.0, "37.2 k")])
def test_rates_in_three_digits(rate: float, text: str) -> None:
    assert human(rate) == text


def test_row_names_are_unique() -> None:
    names = [(row.group, row.name) for row in (*rows(), *networks.rows(), *data.rows())]
    assert len(names) == len(set(names))


def test_command_line(tmp_path: Path) -> None:
    file = tmp_path / "bench.json"
    command = [sys.executable, "-m", "boop_env.bench", "--only", "perft", "--rounds", "2", "--seconds", "0.01"]
    done = subprocess.run([*command, "--json", str(file)], capture_output=True, text=True, check=True)
    assert "| perft, one core | boop |" in done.stdout
    written = json.loads(file.read_text())
    assert [row["name"] for row in written["rows"]] == ["boop", "booop", "halls"]
    assert all(len(row["rates"]) == 2 and not row["error"] for row in written["rows"])


def test_an_unknown_row_is_refused() -> None:
    command = [sys.executable, "-m", "boop_env.bench", "--only", "warp drive"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "'warp drive' matches no row; the groups are: kernel" in done.stderr


@pytest.mark.parametrize("name", [".", "no/such/dir/x.json"])
def test_a_file_that_cannot_be_written_is_refused_before_measuring(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["bench", "--only", "perft", "--json", str(tmp_path / name)])
    monkeypatch.setattr(bench, "measure", lambda *_: pytest.fail("it was measured"))
    with pytest.raises(SystemExit) as ended:
        bench.main()
    assert ended.value.code == 2
    assert f"--json {tmp_path / name}" in capsys.readouterr().err


def test_networks_are_measured(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("torch", reason="needs the policy extra")
    found = measure(networks.rows(), rounds=1, seconds=0.001, tell=lambda line: None)
    assert {row.error for row in found} == {""}
    assert {row.unit for row in found} == {"evaluation", "move"} and all(row.median > 0 for row in found)
