"""Matches: seats, openings, seeds, stopping and resuming, and bots that fail."""

import json
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from boop_env import Bot, Game, RuleSet
from boop_env.arena.match import Match, MatchError, opening, play_match
from boop_env.arena.records import GameRecord, read_games, replay
from boop_env.rules.ruleset import PRESETS


class Failing(Bot):
    """Random, until it is asked about a position of the given turn or a later one."""

    name = "failing"

    def __init__(self, turn, fault):
        self.turn = turn
        self.fault = fault

    def choose(self, states, rng):
        for game in states.games():
            if game.turn >= self.turn:
                return self.fault()
        return np.array([rng.choice(game.legal_actions()) for game in states.games()])


def crash():
    raise KeyError("no such thing")


def plain(games):
    """Games without the times, which differ from run to run."""
    return [replace(game, seconds=(0.0, 0.0)) for game in games]


@pytest.mark.parametrize("rules", [*PRESETS, RuleSet(layout="\n".join(["1111"] * 4), pieces=5, max_turns=40)])
def test_plays_both_seats_of_every_opening_and_records_what_replays(rules):
    games = play_match("greedy", "random", rules, games=12)
    assert [game.number for game in games] == list(range(12))
    for first, second in zip(games[::2], games[1::2], strict=True):
        assert first.opening == second.opening
        assert first.seats == second.seats[::-1]
    assert len({game.opening for game in games}) == 6
    for game in games:
        played = replay(game)
        begin = Game.from_record(game.rules, game.opening)
        assert 2 <= begin.turn <= 4
        assert sum(game.moves) == len(played.record()) - len(begin.record())
        assert GameRecord.from_json(json.loads(game.to_json())) == replace(
            game, seconds=tuple(round(seconds, 6) for seconds in game.seconds)
        )


def test_the_same_seed_plays_the_same_games_whoever_is_named_first():
    games = plain(play_match("greedy", "random", "booop", games=40, seed=3))
    assert plain(play_match("random", "greedy", "booop", games=40, seed=3)) == games
    assert plain(play_match("greedy", "random", "booop", games=40, seed=4)) != games


def test_openings_follow_from_their_seed_and_number():
    rules = PRESETS["halls"]
    assert opening(rules, 0, 5).record() == opening(rules, 0, 5).record()
    assert len({" ".join(opening(rules, seed, k).record()) for seed in range(3) for k in range(20)}) == 60


def test_rules_too_short_for_an_opening_are_refused():
    with pytest.raises(ValueError, match="too short"):
        play_match("greedy", "random", RuleSet(max_turns=2), games=2)


def test_a_killed_match_resumes_with_the_games_of_an_uninterrupted_one(tmp_path):
    whole = plain(play_match("greedy", "random", games=50, path=tmp_path / "whole.jsonl"))
    content = (tmp_path / "whole.jsonl").read_bytes()
    ends = [at + 1 for at, byte in enumerate(content) if byte == ord("\n")]
    # After a line, in the middle of one, in the middle of the first, before its last byte, and empty.
    for cut in (ends[20], ends[20] + 30, 10, ends[40] - 1, 0):
        path = tmp_path / f"cut{cut}.jsonl"
        path.write_bytes(content[:cut])
        read = read_games(path)
        played = []
        match = Match(["greedy", "random"], path=path, on_game=played.append)
        assert plain(match.play({("greedy", "random"): 50})) == whole
        kept = max(0, sum(end - 1 <= cut for end in ends) - 1)
        assert len(read) == kept
        assert len(played) == 50 - kept
        assert sorted(plain(read_games(path)), key=lambda game: game.number) == whole


def test_a_finished_match_is_read_and_a_longer_one_goes_on(tmp_path):
    path = tmp_path / "games.jsonl"
    first = play_match("greedy", "random", games=32, path=path)
    before = path.read_bytes()
    assert plain(play_match("greedy", "random", games=32, path=path)) == plain(first)
    assert path.read_bytes() == before
    longer = play_match("greedy", "random", games=64, path=path)
    assert plain(longer[:32]) == plain(first)
    assert path.read_bytes().startswith(before)
    assert plain(longer) == plain(play_match("greedy", "random", games=64))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"seed": 1}, "seed was 0, now 1"),
        ({"rules": "booop"}, "rules was 'boop', now 'booop'"),
        ({"rules": RuleSet(max_turns=50)}, "rules was 'boop', now {.*'max_turns': 50"),
        ({"batch": 16}, "batch was 32, now 16"),
    ],
)
def test_a_file_of_another_configuration_is_refused(tmp_path, change, says):
    path = tmp_path / "games.jsonl"
    Match(["greedy", "random"], path=path)
    before = path.read_bytes()
    with pytest.raises(ValueError, match=rf"games\.jsonl holds games of another configuration: {says}"):
        Match(["greedy", "random"], path=path, **change)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "line",
    [
        "not json",
        "[1]",
        '{"game": 1}',
        '{"rules": "boop", "game": 1, "seats": []}',
        '{"rules": "boop", "game": 1, "seats": null}',
        '{"rules": "bop", "game": 1}',
        '{"checkpoint": "a"}',
        '{"config": [1]}',
    ],
)
def test_a_file_that_holds_something_else_is_refused(tmp_path, line):
    path = tmp_path / "games.jsonl"
    Match(["greedy", "random"], path=path)
    with path.open("a") as file:
        file.write(line + "\n")
    for read in (read_games, reopen):
        with pytest.raises(ValueError, match=r"games\.jsonl, line 2 is no game"):
            read(path)


def reopen(path):
    return Match(["greedy", "random"], path=path)


def test_a_file_of_another_format_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "games.jsonl"
    content = b'{"config": {"format": 2}}\n{"played": 1'
    path.write_bytes(content)
    for read in (read_games, reopen):
        with pytest.raises(ValueError, match=r"games\.jsonl has format version 2 and this boop_env reads 1; use"):
            read(path)
    assert path.read_bytes() == content


def test_a_match_in_play_keeps_others_out_of_its_file(tmp_path):
    pytest.importorskip("fcntl", reason="needs locks")
    path = tmp_path / "games.jsonl"
    code = f"from boop_env.arena.match import Match; Match(['greedy', 'random'], path={str(path)!r})"
    errors = []

    def intrude(game):
        if game.number == 0:
            errors.append(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stderr)

    games = Match(["greedy", "random"], path=path, on_game=intrude).play({("greedy", "random"): 4})
    assert f"ValueError: {path}: another process is using it; wait until it is done" in errors[0]
    assert sorted(plain(reopen(path).games), key=lambda game: game.number) == plain(games)


def test_a_match_whose_file_another_one_wrote_to_stops_before_it_doubles_a_game(tmp_path):
    path = tmp_path / "games.jsonl"
    late = reopen(path)
    play_match("greedy", "random", games=4, path=path)
    content = path.read_bytes()
    with pytest.raises(ValueError, match=r"games\.jsonl has \d+ bytes where this run left \d+, so another process"):
        late.play({("greedy", "random"): 4})
    assert path.read_bytes() == content
    assert late.games == []


@pytest.mark.parametrize(
    "content",
    [
        b"a note of one line",
        b"notes\nof two lines, the last unfinished",
        b'{"config": {"width": 3}}',
        b'{"game": 1}\n{"game"',
        b"\x80\x00\xff\xfe weights\n\xff\xff",
        b"\xff\xff",
    ],
)
def test_a_file_that_is_no_result_file_is_refused_and_left_alone(tmp_path, content):
    path = tmp_path / "a.safetensors"
    path.write_bytes(content)
    for read in (read_games, reopen):
        with pytest.raises(ValueError, match=r"a\.safetensors is no result file: it begins b'.*; give another file"):
            read(path)
    assert path.read_bytes() == content


def test_a_line_that_is_no_text_is_refused(tmp_path):
    path = tmp_path / "games.jsonl"
    Match(["greedy", "random"], path=path)
    with path.open("ab") as file:
        file.write(b"\xff\xff\n")
    with pytest.raises(ValueError, match=r"games\.jsonl, line 2 is no game"):
        Match(["greedy", "random"], path=path)


def test_a_checkpoint_that_changed_is_refused(tmp_path):
    class Named(Failing):
        pass

    checkpoint = tmp_path / "a.safetensors"
    checkpoint.write_bytes(b"one")
    bot = Named(0, crash)
    bot.name = f"{checkpoint}?greedy"
    for _ in range(2):
        Match([bot, "random"], path=tmp_path / "games.jsonl")
    checkpoint.write_bytes(b"two")
    with pytest.raises(ValueError, match=r"a\.safetensors is not the checkpoint that played in .*games\.jsonl"):
        Match([bot, "random"], path=tmp_path / "games.jsonl")


def test_bots_of_one_name_are_refused():
    for bots in (["random"], ["random", "random"], ["greedy", "random", "greedy"]):
        with pytest.raises(ValueError, match="two or more bots of different names"):
            Match(bots)


def test_a_crash_names_the_game_and_its_record_and_keeps_the_results(tmp_path):
    path = tmp_path / "games.jsonl"
    with pytest.raises(MatchError) as failed:
        play_match(Failing(20, crash), "greedy", games=32, path=path)
    message = str(failed.value)
    assert "failing failed in game " in message
    assert "KeyError: 'no such thing'" in message
    record = message.split("record so far: ")[1]
    assert Game.from_record("boop", record).turn == 20
    kept = read_games(path)
    assert kept
    for game in kept:
        assert replay(game).turn <= 20
    number = int(message.split("failed in game ")[1].split(",")[0])
    assert number not in {game.number for game in kept}


def test_an_illegal_action_stops_the_match_with_its_game():
    bot = Failing(6, lambda: np.array([188]))
    with pytest.raises(MatchError, match=r"(?s)failing failed in game 0.*record so far: K"):
        play_match(bot, "random", games=2)
    with pytest.raises(MatchError, match=r"chose the illegal action 188 \(-\)"):
        Match([bot, "random"], batch=2).play({("failing", "random"): 1})


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"winner": 1}, "winner 1, the rules say 0"),
        ({"winner": None}, "winner None, the rules say 0"),
        ({"reason": "eight_cats"}, "reason 'eight_cats', the rules say 'three_cats'"),
        ({"turns": 3}, "turns 3, the rules say"),
        ({"opening": "Ka1 Kb1"}, "does not begin with its opening"),
        ({"record": "Ka1 Ka1"}, "step 2 of the record"),
        ({"record": "Ka1 Kb1"}, "ends before the game does"),
    ],
)
def test_a_record_that_was_tampered_with_does_not_replay(change, says):
    game = next(game for game in play_match("greedy", "random", games=4) if game.winner == 0)
    replay(game)
    with pytest.raises(ValueError, match=rf"game {game.number}, .* against .*: .*{says}"):
        replay(replace(game, **change))


def test_times_are_measured_for_each_seat(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr("boop_env.arena.match.time.process_time", lambda: clock[0])

    class Thinking(Bot):
        """Random, and takes the given seconds of the clock for every move."""

        def __init__(self, name, seconds):
            self.name = name
            self.seconds = seconds

        def choose(self, states, rng):
            games = list(states.games())
            clock[0] += self.seconds * len(games)
            return np.array([rng.choice(game.legal_actions()) for game in games])

    seconds = {"slow": 0.25, "fast": 0.001}
    games = play_match(*(Thinking(*each) for each in seconds.items()), "halls", games=8)
    for game in games:
        for seat in (0, 1):
            assert game.moves[seat] > 0
            expected = game.moves[seat] * seconds[game.seats[seat]]
            assert game.seconds[seat] == pytest.approx(expected)
