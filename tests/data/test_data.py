"""Games and positions come back from their files as they were, and replay to the same end."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pq = pytest.importorskip("pyarrow.parquet", reason="needs the data extra")
torch = pytest.importorskip("torch", reason="needs the data extra")
from torch.utils.data import BatchSampler, DataLoader, RandomSampler  # noqa: E402

from boop_env import PRESETS, Game, RuleSet, States  # noqa: E402
from boop_env.arena.match import Match  # noqa: E402
from boop_env.arena.records import rules_to_json  # noqa: E402
from boop_env.data import (  # noqa: E402
    PositionDataset,
    Positions,
    read_games,
    read_positions,
    write_games,
    write_positions,
)
from boop_env.data.__main__ import main  # noqa: E402
from boop_env.data.columns import GAME_COLUMNS, markdown, position_columns  # noqa: E402
from boop_env.data.self_play import self_play  # noqa: E402
from boop_env.envs.planes import observe_states  # noqa: E402


@pytest.fixture(scope="module")
def games():
    return self_play("random", "booop", games=40, opening=3, seed=2)


def test_self_play_is_repeatable_and_plays_what_was_asked_for(games):
    assert games == self_play("random", "booop", games=40, opening=3, seed=2)
    assert games != self_play("random", "booop", games=40, opening=3, seed=3)
    assert len(games) == 40
    assert {game.opening for game in games} == {0, 1, 2, 3}
    assert {game.players for game in games} == {("random", "random")}


@pytest.mark.parametrize("rules", [*PRESETS, RuleSet(pieces=4, max_turns=12)], ids=str)
def test_a_stored_game_replays_to_the_same_end(tmp_path, rules):
    games = self_play("random", rules, games=5, seed=1)
    write_games(tmp_path / "a.parquet", games)
    back = read_games(tmp_path / "a.parquet")
    assert back == games
    for game in back:
        end = game.replay()
        assert end.is_over
        assert (end.winner, end.turn, end.reason.name.lower()) == (game.winner, game.turns, game.reason)
    positions = Positions.from_games(back)
    write_positions(tmp_path / "b.parquet", positions)
    again = read_positions(tmp_path / "b.parquet")
    assert again.rules == games[0].rules
    for game in range(5):
        rows = np.flatnonzero(again.games == game)
        played = Game.from_state(again.rules, again.words[rows[0]])
        for row in rows:
            assert (played.state == again.words[row]).all()
            result = 0 if back[game].winner is None else 1 if back[game].winner == played.mover else -1
            assert again.results[row] == result
            played.push(int(again.actions[row]))
        assert played.is_over
        assert again.steps[rows].tolist() == list(range(back[game].opening, len(back[game].record.split())))


def test_games_from_elsewhere_than_the_start(tmp_path, games):
    middle = Game.from_record("booop", " ".join(games[0].record.split()[:10]))
    moved = replace(games[0], start=middle.position(), record=" ".join(games[0].record.split()[10:]), opening=0)
    write_games(tmp_path / "a.parquet", [moved])
    (back,) = read_games(tmp_path / "a.parquet")
    assert back.replay() == games[0].replay()
    assert (Positions.from_games([back]).words[0] == middle.state).all()


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"winner": None}, "says it ended"),
        ({"turns": 7}, "says it ended"),
        ({"reason": "eaten"}, "says it ended"),
        ({"record": "Ka1 - Ka1"}, "a1 is occupied"),
        ({"record": "Ka1 Xa1"}, "does not begin with one of"),
    ],
)
def test_a_game_that_does_not_go_as_it_says_is_refused(games, changes, says):
    bad = replace(games[3], **changes)
    for replayed in (bad.replay, lambda: Positions.from_games([games[0], bad])):
        with pytest.raises(ValueError, match=says):
            replayed()


def test_games_of_two_rule_sets_share_a_file_of_games_but_not_of_positions(tmp_path, games):
    both = [games[0], *self_play("random", "boop", games=1)]
    write_games(tmp_path / "a.parquet", both)
    assert read_games(tmp_path / "a.parquet") == both
    with pytest.raises(ValueError, match="games of booop and of boop in one file"):
        Positions.from_games(both)


def replay_buffer(rules="halls", n=300):
    """Positions as a self-play trainer keeps them."""
    games = Positions.from_games(self_play("random", rules, games=20))
    _, masks = observe_states(States(games.rules, games.words[:n]))
    return Positions(
        games.rules,
        games.words[:n],
        games.results[:n],
        policies=(masks / masks.sum(1, keepdims=True)).astype(np.float16),
        values=np.random.default_rng(0).uniform(-1, 1, n).astype(np.float32),
    )


def test_a_replay_buffer_comes_back(tmp_path):
    written = replay_buffer()
    write_positions(tmp_path / "a.parquet", written)
    back = read_positions(tmp_path / "a.parquet")
    for (column, array), (other, again) in zip(written.arrays(), back.arrays(), strict=True):
        assert column == other
        assert array.dtype == again.dtype
        assert (array == again).all()
    assert back.actions is None
    assert back.games is None


def test_the_trainers_own_buffer_is_one():
    alphazero = pytest.importorskip("train.alphazero", reason="needs the train extra and a checkout")
    arrays = alphazero.ReplayBuffer(PRESETS["boop"], 16).arrays
    positions = Positions(
        PRESETS["boop"], arrays["words"], arrays["results"], policies=arrays["policies"], values=arrays["values"]
    )
    assert len(positions) == 16


def test_arrays_of_another_rule_set_or_type_are_refused():
    boop = replay_buffer("boop", 8)
    with pytest.raises(ValueError, match=r"policy is float16 \(8, 189\); .* of booop it must be float16 \(8, 209\)"):
        replace(boop, rules=PRESETS["booop"])
    with pytest.raises(ValueError, match=r"value is float64 \(8,\); .* it must be float32 \(8,\)"):
        replace(boop, values=boop.values.astype(float))


def test_planes_in_the_file_are_those_of_the_engine(tmp_path, games):
    positions = Positions.from_games(games)
    write_positions(tmp_path / "a.parquet", positions, planes=True)
    table = pq.read_table(tmp_path / "a.parquet")
    planes, masks = observe_states(positions.states)
    stored = np.stack(table["planes"].to_numpy()).reshape(planes.shape)
    assert (stored == planes).all()
    assert (np.stack(table["mask"].to_numpy()) == masks).all()
    assert (read_positions(tmp_path / "a.parquet").words == positions.words).all()


def test_every_column_says_in_the_file_what_it_holds(tmp_path, games):
    write_games(tmp_path / "a.parquet", games)
    write_positions(tmp_path / "b.parquet", Positions.from_games(games), planes=True)
    for name, columns in (("a.parquet", GAME_COLUMNS), ("b.parquet", position_columns(PRESETS["booop"]))):
        stored = {field.name: field for field in pq.read_schema(tmp_path / name)}
        known = {column.name: column for column in columns}
        assert stored.keys() <= known.keys()
        for column in known.values():
            assert column.optional or column.name in stored
        for field in stored.values():
            assert field.metadata[b"description"].decode() == known[field.name].description


def test_dataset_gives_what_there_is_to_learn(tmp_path, games):
    path = tmp_path / "a.parquet"
    write_games(path, games)
    data = PositionDataset(path)
    positions = Positions.from_games(games)
    assert len(data) == len(positions)
    planes, masks = observe_states(positions.states)
    for index in (0, 7, len(data) - 1, -1):
        sample = data[index]
        assert (sample["planes"].numpy() == planes[index]).all()
        assert (sample["mask"].numpy() == masks[index]).all()
        assert sample["policy"].argmax() == positions.actions[index]
        assert sample["policy"].sum() == 1
        assert sample["mask"][sample["policy"].argmax()] == 1
        assert sample["value"] == positions.results[index]
        assert "search_value" not in sample


def test_dataset_of_a_replay_buffer(tmp_path):
    positions = replay_buffer()
    write_positions(tmp_path / "a.parquet", positions)
    sample = PositionDataset(tmp_path / "a.parquet")[5]
    assert (sample["policy"].numpy() == positions.policies[5].astype(np.float32)).all()
    assert sample["search_value"] == positions.values[5]


def test_loaders_see_every_position_once(games):
    data = PositionDataset(Positions.from_games(games))
    plain = list(DataLoader(data, batch_size=64))
    sampled = list(DataLoader(data, batch_size=None, sampler=BatchSampler(RandomSampler(data), 64, drop_last=False)))
    assert plain[0]["planes"].shape == (64, *data[0]["planes"].shape)
    in_order = torch.cat([batch["planes"] for batch in plain])
    shuffled = torch.cat([batch["planes"] for batch in sampled])
    assert (in_order == data[: len(data)]["planes"]).all()
    assert torch.equal(in_order.flatten(1).unique(dim=0), shuffled.flatten(1).unique(dim=0))
    assert len(shuffled) == len(data)
    assert not torch.equal(in_order, shuffled)


def test_files_of_the_wrong_kind_are_refused(tmp_path, games):
    write_games(tmp_path / "games.parquet", games)
    write_positions(tmp_path / "positions.parquet", Positions.from_games(games))
    (tmp_path / "junk.parquet").write_bytes(b"PAR1 no")
    with pytest.raises(ValueError, match=r"holds positions, not games; read it with read_positions"):
        read_games(tmp_path / "positions.parquet")
    with pytest.raises(ValueError, match="holds games, not positions"):
        read_positions(tmp_path / "games.parquet")
    with pytest.raises(ValueError, match="is no Parquet file, or a damaged one"):
        read_games(tmp_path / "junk.parquet")
    with pytest.raises(FileNotFoundError, match=r"there is no file .*gone"):
        PositionDataset(tmp_path / "gone.parquet")


def test_a_failure_midway_leaves_the_old_file(tmp_path, games, monkeypatch):
    path = tmp_path / "a.parquet"
    positions = Positions.from_games(games)
    write_positions(path, positions)
    before = path.read_bytes()

    def fail(*_):
        raise OSError("no space left on device")

    monkeypatch.setattr("boop_env.data.positions.observe_states", fail)
    with pytest.raises(OSError, match="no space left"):
        write_positions(path, positions, planes=True)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["a.parquet"]


def test_command_turns_arena_results_into_files(tmp_path, capsys):
    results = tmp_path / "results.jsonl"
    played = Match(["random", "greedy"], "boop", seed=1, path=results).play({("greedy", "random"): 4})
    assert main([str(results), str(tmp_path / "games.parquet")]) == 0
    assert main([str(tmp_path / "games.parquet"), str(tmp_path / "positions.parquet"), "--positions"]) == 0
    assert "4 games" in capsys.readouterr().out
    games = read_games(tmp_path / "games.parquet")
    assert sorted(game.record for game in games) == sorted(game.record for game in played)
    assert {frozenset(game.players) for game in games} == {frozenset(["greedy", "random"])}
    assert rules_to_json(games[0].rules) == "boop"
    chosen = sum(sum(json.loads(line).get("moves", [])) for line in results.read_text().splitlines())
    assert len(read_positions(tmp_path / "positions.parquet")) == chosen


def test_command_plays_a_bot_against_itself(tmp_path):
    out = tmp_path / "a.parquet"
    command = [sys.executable, "-m", "boop_env.data", "--self-play", "greedy", "--games", "3", str(out), "--planes"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "positions of 3 games\n" in done.stdout
    assert set(read_positions(out).games) == {0, 1, 2}


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["gone.jsonl", "out.parquet"], "gone.jsonl"),
        (["one.parquet"], "give two files"),
        (["--self-play", "random", "a", "b"], "give one file"),
        (["--self-play", "gready", "a.parquet"], "there is no bot 'gready'"),
        (["--self-play", "random", "--games", "0", "a.parquet"], "games=0 is too small"),
    ],
)
def test_command_errors_are_one_line(tmp_path, monkeypatch, capsys, arguments, says):
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 2
    errors = capsys.readouterr().err
    assert says in errors
    assert errors.count("\n") == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["in.parquet", "in.parquet"], "in.parquet is what to read and what to write"),
        (["in.parquet", "folder/../in.parquet", "--positions"], "is what to read and what to write"),
        (["in.parquet", "notes.txt"], "notes.txt is there already and is no Parquet file"),
        (["in.parquet", "folder"], "folder is a folder; give a file, such as folder"),
        (["in.parquet", "notes.txt/out.parquet"], "notes.txt is no folder or is read-only"),
        (["--self-play", "random", "notes.txt"], "notes.txt is there already and is no Parquet file"),
        (["--self-play", "random", "folder"], "folder is a folder"),
    ],
)
def test_command_refuses_an_output_before_it_reads_or_plays(tmp_path, monkeypatch, capsys, arguments, says):
    monkeypatch.chdir(tmp_path)
    for name in ("read", "played"):
        monkeypatch.setattr(f"boop_env.data.__main__.{name}", lambda _: pytest.fail("too late"))
    Path("folder").mkdir()
    for name in ("in.parquet", "notes.txt"):
        Path(name).write_text(name)
    assert main(arguments) == 2
    errors = capsys.readouterr().err
    assert says in errors
    assert errors.count("\n") == 1
    assert {name: Path(name).read_text() for name in ("in.parquet", "notes.txt")} == {
        "in.parquet": "in.parquet",
        "notes.txt": "notes.txt",
    }


def test_command_refuses_a_folder_that_cannot_be_written_to_and_makes_missing_ones(tmp_path, monkeypatch, capsys):
    arguments = ["--self-play", "random", "--games", "1", str(tmp_path / "new" / "folder" / "a.parquet")]
    with monkeypatch.context() as patch:
        patch.setattr("os.access", lambda folder, _: Path(folder) != tmp_path)
        assert main(arguments) == 2
    assert f"{tmp_path} is no folder or is read-only; give another output" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
    for _ in range(2):  # and a Parquet file that is there already is replaced
        assert main(arguments) == 0
    assert len(read_games(arguments[-1])) == 1


def test_the_docs_have_the_columns_as_they_are():
    text = (Path(__file__).parents[2] / "docs" / "data.md").read_text()
    assert markdown(GAME_COLUMNS) in text
    assert markdown(position_columns(PRESETS["boop"])) in text


def test_no_positions_are_a_file_too(tmp_path, games):
    positions = Positions.from_games(games)
    none = Positions(positions.rules, positions.words[:0], positions.results[:0], actions=positions.actions[:0])
    write_positions(tmp_path / "a.parquet", none, planes=True)
    assert len(read_positions(tmp_path / "a.parquet")) == 0
    assert len(PositionDataset(none)) == 0
