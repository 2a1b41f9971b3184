import subprocess
import sys
from pathlib import Path

import pytest

from train import alphazero, ppo
from train.folder import alone_in

HOLDER = """
import sys
from pathlib import Path
from train.folder import alone_in
with alone_in(Path(sys.argv[1])):
    print("locked", flush=True)
    sys.stdin.read()
"""


@pytest.mark.parametrize("trainer", [alphazero, ppo])
def test_one_process_trains_in_a_folder(trainer, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = [sys.executable, "-c", HOLDER, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        try:
            assert holder.stdout is not None
            assert holder.stdout.readline() == "locked\n"
            before = sorted(tmp_path.iterdir())
            assert trainer.main([f"--out={tmp_path}"]) == 1
            name = trainer.__name__.removeprefix("train.")
            message = f"{name}: cannot use the folder {tmp_path}: another process trains there; stop it, or"
            assert message in capsys.readouterr().err
            assert sorted(tmp_path.iterdir()) == before
        finally:
            holder.kill()
    with alone_in(tmp_path):  # a process that was killed holds nothing
        pass


def test_a_folder_is_free_after_an_error(tmp_path: Path) -> None:
    with pytest.raises(KeyError), alone_in(tmp_path / "run"):
        raise KeyError
    with alone_in(tmp_path / "run"):
        pass
