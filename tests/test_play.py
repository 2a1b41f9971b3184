"""The game at the terminal, driven by what is typed."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from boop_env import Bot, Game
from boop_env.notation import read_game
from boop_env.play import main
from boop_env.rules.states import States


class Terminal:
    """Types lines and keeps what was printed."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self._monkeypatch, self._capsys = monkeypatch, capsys

    def __call__(self, *typed: str, options: str = "") -> str:
        self._monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in typed)))
        self.code = main(options.split())
        said = self._capsys.readouterr()
        self.errors = said.err
        return said.out


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Terminal:
    return Terminal(monkeypatch, capsys)


def test_two_people_play_a_game_to_its_end(terminal: Terminal, tmp_path: Path) -> None:
    start = tmp_path / "start.txt"
    start.write_text("rules boop\nstart CC4/6/6/6/6/6 0 p 5,1/8,0 - 20\n")
    out = terminal("cc1", "record", "undo", "Kc1", "quit", options=f"--seat both --load {start}")
    assert terminal.code == 0
    assert "player_0 wins, three cats" in out
    assert "taken back: Cc1" in out
    assert "1. Cc1" in out or "21. Cc1" in out
    assert out.endswith("Goodbye.\n")


@pytest.mark.parametrize("rules", ["boop", "booop", "halls"])
def test_the_bot_answers_until_it_is_my_turn(terminal: Terminal, rules: str, tmp_path: Path) -> None:
    saved = tmp_path / "game.txt"
    out = terminal(f"save {saved}", options=f"--rules {rules} --seat second --level easy")
    game = read_game(saved.read_text())
    assert (terminal.code, game.mover) == (0, 1)
    assert game.turn == 1
    for move in game.record():
        assert f"player_0 (greedy) plays {move}" in out


def test_what_was_saved_goes_on(terminal: Terminal, tmp_path: Path) -> None:
    saved = tmp_path / "game.txt"
    terminal("Kc3", "Ga1b1", f"save {saved}", options="--rules booop --seat both")
    out = terminal("Kd4", "position", options=f"--seat both --load {saved}")
    game = Game.from_record("booop", "Kc3 Ga1b1 Kd4")
    assert game.position() in out
    out = terminal(f"load {saved}", "moves", options="--seat both")
    assert "Kf6" in out
    assert list(tmp_path.iterdir()) == [saved]


def test_undo_takes_back_the_answer_too(terminal: Terminal) -> None:
    out = terminal("Kc3", "undo", "position", options="--level random")
    assert Game("boop").position() in out


def test_help_tells_the_moves_of_the_phase(terminal: Terminal) -> None:
    out = terminal("help", "Kc3", "help", options="--rules booop --seat both")
    placement, ghost = out.split("the ghost in between")
    assert "Kc3  place a kitten" in placement
    assert "take back your last move" in placement
    assert "-    pass, or decline" in ghost


def test_hint_shows_what_a_search_found(terminal: Terminal) -> None:
    out = terminal("hint", options="--seat both --rules halls")
    assert "(depth " in out
    assert " O" in out


def test_what_cannot_be_done_is_said_and_the_game_goes_on(terminal: Terminal) -> None:
    out = terminal("Kz9", "wat", "Kc3", "Kc3", "save", "load /nowhere", "undo", "undo", "quit", options="--seat both")
    assert terminal.code == 0
    assert "a space of this board" in out
    assert "type help" in out
    assert "c3 is occupied" in out
    assert "save needs the name of a file" in out
    assert "nowhere" in out
    assert "nothing to take back" in out


def test_two_bots_play_by_themselves(terminal: Terminal) -> None:
    out = terminal(options="--seat none --level random --rules halls")
    assert terminal.code == 0
    assert "wins, " in out or "over, " in out


def test_a_file_whose_rules_the_bot_cannot_play_is_refused(
    terminal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class OnlyBoop(Bot):
        name = "only boop"

        def choose(self, states: States, rng: np.random.Generator) -> npt.NDArray[np.int64]:
            if states.rules.name != "boop":
                raise ValueError(f"only boop cannot play {states.rules.name}")
            return np.array([game.legal_actions()[0] for game in states.games()])

    monkeypatch.setattr("boop_env.play.make_bot", lambda spec: OnlyBoop())
    saved = tmp_path / "halls.txt"
    saved.write_text("rules halls\nOd3\n")
    out = terminal("Kc3", f"load {saved}", "record", "Kf6")
    assert (terminal.code, terminal.errors) == (0, "")
    assert "only boop cannot play halls" in out
    assert "rules boop\n1. Kc3 2. Ka1\n" in out
    assert out.count("player_1 (only boop) plays") == 2
    assert "rules halls" in terminal(f"load {saved}", "record", options="--seat both")


def test_a_tilde_is_the_home_folder(terminal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    terminal("Kc3", "save ~/game.txt", options="--seat both")
    assert [path.name for path in tmp_path.iterdir()] == ["game.txt"]
    for typed, options in ((("load ~/game.txt", "record"), ""), (("record",), " --load=~/game.txt")):
        assert "1. Kc3" in terminal(*typed, options="--seat both" + options)
    terminal("save ~nobody-of-this-name/game.txt", options="--seat both")
    assert terminal.code == 0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--level nobody", "there is no bot 'nobody'"),
        ("--load nowhere.txt", "nowhere.txt"),
    ],
)
def test_a_command_that_cannot_start_says_why(terminal: Terminal, options: str, said: str) -> None:
    assert terminal(options=options) == ""
    assert terminal.code == 2
    assert said in terminal.errors


def test_the_end_of_the_input_ends_the_game(terminal: Terminal) -> None:
    assert terminal("Kc3", options="--seat both").endswith("Goodbye.\n")
    assert terminal.code == 0
