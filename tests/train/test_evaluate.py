"""The evaluation command, in this process."""

import json

import pytest

from boop_env import PRESETS
from boop_env.arena.records import read_games, replay
from train.evaluate import main


def run(capsys, *arguments):
    """Exit code, output and errors of a command."""
    code = main([str(argument) for argument in arguments])
    said = capsys.readouterr()
    return code, said.out, said.err


def test_a_match_prints_its_table(capsys, tmp_path):
    json_path, out = tmp_path / "new" / "result.json", tmp_path / "games.jsonl"
    code, text, errors = run(
        capsys, "greedy", "random", "--rules", "halls", "--games", 20, "--json", json_path, "--out", out
    )
    assert (code, errors) == (0, "")
    result = json.loads(json_path.read_text())
    (row,) = result["pairings"]
    games = read_games(out)
    assert len(games) == 20
    wins = sum(game.winner is not None and game.seats[game.winner] == "greedy" for game in games)
    assert (row["wins"], row["draws"], row["losses"]) == (wins, 0, 20 - wins)
    assert row["score"] == wins / 20
    assert row["low"] < row["score"] <= row["high"]
    assert row["turns"] == sum(replay(game).turn for game in games) / 20
    assert row["first_seat"] == sum(game.winner == 0 for game in games) / 20
    assert result["rules"] == "halls"
    assert "ratings" not in result
    lines = text.splitlines()
    assert lines[0] == "halls, seed 0"
    assert lines[1].split()[:3] == ["bot", "against", "score"]
    assert lines[2].startswith("greedy  random")
    assert f"{row['score']:.1%}" in lines[2]


def test_three_bots_are_rated_with_random_at_zero(capsys, tmp_path):
    path = tmp_path / "result.json"
    arguments = ("greedy", "random", "alphabeta:depth=1", "--games", 20)
    code, text, _ = run(capsys, *arguments, "--json", path)
    assert code == 0
    ratings = json.loads(path.read_text())["ratings"]
    elo = {bot["name"]: bot["elo"] for bot in ratings["bots"]}
    assert elo["random"] == 0
    assert min(elo["greedy"], elo["alphabeta:depth=1"]) > 200
    assert "random = 0; moving first is worth" in text
    first = path.read_text()
    run(capsys, *arguments, "--json", path)
    assert times_removed(path.read_text()) == times_removed(first)


def times_removed(text):
    result = json.loads(text)
    for bot in result["ratings"]["bots"]:
        del bot["seconds"]
    return result


def test_sprt_stops_early_and_says_why(capsys, tmp_path):
    path, out = tmp_path / "result.json", tmp_path / "games.jsonl"
    code, text, _ = run(capsys, "greedy", "random", "--sprt", "0,100", "--games", 400, "--json", path, "--out", out)
    assert code == 0
    assert "SPRT: the first bot is stronger: 100 Elo rather than 0" in text
    assert json.loads(path.read_text())["sprt"]["accepted"] is True
    assert len(read_games(out)) < 100
    _, text, _ = run(capsys, "random", "greedy", "--sprt", "0,100")
    assert "the first bot is not 100 Elo stronger" in text
    _, text, _ = run(capsys, "greedy", "random", "--sprt", "0,1", "--games", 10)
    assert "no decision yet" in text


def test_sprt_shows_the_games_it_decided_on(capsys, tmp_path):
    path, out = tmp_path / "result.json", tmp_path / "games.jsonl"
    arguments = ("greedy", "random", "--sprt", "0,100", "--json", path)
    _, fresh, _ = run(capsys, *arguments)
    decided = json.loads(path.read_text())
    run(capsys, "greedy", "random", "--games", 128, "--out", out)
    _, resumed, _ = run(capsys, *arguments, "--out", out)
    assert resumed == fresh
    assert json.loads(path.read_text()) == decided
    (row,) = decided["pairings"]
    assert row["wins"] + row["draws"] + row["losses"] < len(read_games(out)) == 128


def test_the_ladder_is_written(capsys, tmp_path):
    arguments = ("--ladder", "boop", "booop", "--models", tmp_path, "--games", 16)
    code, text, _ = run(capsys, "greedy", "random", *arguments)
    assert code == 0
    assert set(json.loads((tmp_path / "ladder.json").read_text())) == {"boop", "booop"}
    assert len(read_games(tmp_path / "ladder" / "booop.jsonl")) == 16
    assert "## booop" in (tmp_path / "LADDER.md").read_text()
    assert text.count("random = 0") == 2


def test_a_ladder_that_cannot_be_added_to_is_refused_before_games_are_played(capsys, tmp_path):
    (tmp_path / "ladder.json").write_text("[]")
    code, _, errors = run(capsys, "greedy", "random", "--ladder", "boop", "--models", tmp_path)
    assert code == 2
    assert "ladder.json is a JSON list, no object" in errors
    assert [file.name for file in tmp_path.iterdir()] == ["ladder.json"]


def test_the_rules_of_a_checkpoint_are_the_default(capsys, tmp_path):
    pytest.importorskip("torch")
    from boop_env.policy import Card, write_checkpoint
    from boop_env.policy.network import NetworkConfig, build_network, network_weights

    rules = PRESETS["booop"]
    config = NetworkConfig()
    path = tmp_path / "a.safetensors"
    write_checkpoint(path, network_weights(build_network(rules, config)), Card(rules, config.to_dict()))
    code, text, _ = run(capsys, path, "random", "--games", 2)
    assert code == 0
    assert text.startswith("booop, ")
    code, _, errors = run(capsys, path, "random", "--games", 2, "--rules", "halls")
    assert code == 2
    assert "CheckpointError" in errors


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["greedy"], "two or more bots"),
        ([], "two or more bots"),
        (["greedy", "gready"], "there is no bot 'gready'"),
        (["greedy", "greedy"], "different names"),
        (["greedy", "random", "--rules", "bop"], "no preset 'bop'"),
        (["greedy", "random", "--games", "0"], "--games 0 leaves nothing to play"),
        (["greedy", "random", "--sprt", "much"], "--sprt much is not two numbers"),
        (["greedy", "random", "--sprt", "9,3"], "elo0=9.0 is not below elo1=3.0"),
        (["greedy", "random", "alphabeta:depth=1", "--sprt"], "--sprt compares two bots"),
        (["greedy", "random", "--ladder", "bop"], "no preset 'bop'"),
        (["greedy", "no/such.safetensors"], "there is no checkpoint file no/such.safetensors"),
    ],
)
def test_an_error_is_one_line_and_exit_code_2(capsys, arguments, says):
    code, text, errors = run(capsys, *arguments)
    assert code == 2
    assert text == ""
    assert says in errors
    assert errors.startswith("evaluate: ")
    assert errors.count("\n") == 1


def test_a_result_file_of_another_seed_is_refused(capsys, tmp_path):
    out = tmp_path / "games.jsonl"
    assert run(capsys, "greedy", "random", "--games", 2, "--out", out)[0] == 0
    code, _, errors = run(capsys, "greedy", "random", "--games", 2, "--out", out, "--seed", 1)
    assert code == 2
    assert "seed was 0, now 1" in errors


def test_an_interrupted_run_says_how_to_resume(capsys, tmp_path, monkeypatch):
    def interrupt(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr("train.evaluate.Match.play", interrupt)
    out = tmp_path / "games.jsonl"
    code, _, errors = run(capsys, "greedy", "random", "--out", out)
    assert code == 130
    assert f"resumes from {out}" in errors
