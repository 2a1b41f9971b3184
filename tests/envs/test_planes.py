"""Planes against a slow plain implementation made from the position text alone, and that they tell all apart."""

from __future__ import annotations

import random

import numpy as np
import numpy.typing as npt
import pytest

from boop_env import PRESETS, Game, RuleSet, States
from boop_env.envs.aec import BoopEnv
from boop_env.envs.planes import observe_states, plane_names, plane_shape, planes

RULES = {
    **PRESETS,
    "small": RuleSet(layout="1111\n1111\n1111", ghosts=True, pieces=4, max_turns=30),
    "odd": RuleSet(layout="43-34\n32223\n4-1-4", ornaments=2, pieces=5, full_bed="must", max_turns=65535),
}
HEADINGS = {"down": "v", "up": "^", "right": ">", "left": "<"}


def cell_of(name: str) -> tuple[int, int]:
    return int(name[1]) - 1, "abcdefgh".index(name[0])


def unfold(board: str) -> list[list[str]]:
    """The board field as one character a cell, ``.`` for empty and ``-`` for a hole."""
    return [list("".join("." * int(c) if c.isdigit() else c for c in row)) for row in board.split("/")]


def fold(cells: list[list[str]]) -> str:
    """The board field again."""
    rows = []
    for row in cells:
        text = "".join(row)
        for run in range(8, 0, -1):
            text = text.replace("." * run, str(run))
        rows.append(text)
    return "/".join(rows)


def plain_planes(rules: RuleSet, position: str, viewer: int) -> dict[str, npt.NDArray[np.float32]]:
    """Every plane by name, as player 0 or 1 sees the position."""
    board, _, phase, pools, ghosts, turn = position.split(" ")
    cells = np.array(unfold(board))
    levels = np.array([list(line) for line in rules.layout.split("\n")])

    def everywhere(value: float) -> npt.NDArray[np.float32]:
        return np.full(cells.shape, value, np.float32)

    def where(condition: npt.NDArray[np.bool_]) -> npt.NDArray[np.float32]:
        return condition.astype(np.float32)

    found = {
        "spaces": where(levels != "-"),
        "ones": everywhere(1),
        "turn": everywhere(int(turn) / rules.max_turns),
        "player_1": everywhere(viewer),
    }
    counts = [[int(count) for count in pool.split(",")] for pool in pools.split("/")]
    for whose, player in (("own", viewer), ("opp", 1 - viewer)):
        letters = "KCO" if player == 0 else "kco"
        found[f"{whose}_kittens"] = where(cells == letters[0])
        found[f"{whose}_cats"] = where(cells == letters[1])
        found[f"{whose}_kitten_pool"] = everywhere(counts[player][0] / rules.pieces)
        found[f"{whose}_cat_pool"] = everywhere(counts[player][1] / rules.pieces)
        if rules.ornaments:
            found[f"{whose}_ornament"] = where(cells == letters[2])
            others = "o" if player == 0 else "O"
            left = counts[1 - player][2] + int((cells == others).sum())
            found[f"taken_by_{whose}"] = everywhere((rules.ornaments - left) / rules.ornaments)
        if rules.ghosts:
            ghost = ghosts.split("/")[player]
            for name, heading in HEADINGS.items():
                plane = everywhere(0)
                if ghost.endswith(heading):
                    plane[cell_of(ghost[:2])] = plane[cell_of(ghost[2:4])] = 1
                found[f"{whose}_ghost_{name}"] = plane
            found[f"{whose}_ghost_home"] = everywhere(ghost == "!")
    phases = {"p": "placement", "g": "graduation"}
    phases |= {"o": "ornament"} if rules.ornaments else {}
    phases |= {"h": "ghost"} if rules.ghosts else {}
    found |= {f"phase_{name}": everywhere(phase == letter) for letter, name in phases.items()}
    if len(set(rules.layout) - set("-\n")) > 1:
        for level in "1234":
            shown = np.where(levels == "-", "-", "4") if rules.flat else levels
            found[f"level_{level}"] = where(shown == level)
    return found


def played_games(rules: RuleSet, rng: random.Random, count: int) -> list[Game]:
    """Positions of random games, the last one of each game over."""
    found = []
    for _ in range(count):
        game = Game(rules)
        while not game.is_over:
            found.append(game.copy())
            game.push(int(rng.choice(game.legal_actions())))
        found.append(game)
    return found


def near(rules: RuleSet, position: str, rng: random.Random) -> str:
    """The text with one thing changed, which may make it impossible."""
    board, mover, phase, pools, ghosts, turn = position.split(" ")
    cells = unfold(board)
    counts = [[int(count) for count in pool.split(",")] for pool in pools.split("/")]
    spots = [(r, c) for r, row in enumerate(cells) for c, mark in enumerate(row) if mark != "-"]
    change = rng.choice(["swap", "swap", "kind", "owner", "pool", "place", "mover", "phase", "ghost", "taken", "turn"])
    (r, c), (r2, c2) = rng.sample(spots, 2)
    player = rng.randrange(2)
    if change == "swap":
        cells[r][c], cells[r2][c2] = cells[r2][c2], cells[r][c]
    elif change == "kind":
        cells[r][c] = cells[r][c].translate(str.maketrans("KCkc", "CKck"))
    elif change == "owner":
        cells[r][c], cells[r2][c2] = cells[r][c].swapcase(), cells[r2][c2].swapcase()
    elif change == "pool":
        counts[player][0] -= 1
        counts[player][1] += 1
    elif change == "place":
        kind = rng.randrange(len(counts[player]))
        counts[player][kind] -= 1
        cells[r][c] = ("KCO", "kco")[player][kind]
    elif change == "mover":
        mover = "10"[int(mover)]
    elif change == "phase":
        phase = rng.choice("opghx")
    elif change == "ghost" and rules.ghosts:
        parts = ghosts.split("/")
        entry = rng.choice(rules.board.entries)
        low, high = rng.choice(entry.stitches)
        on_board = rules.board.name(low) + rules.board.name(high) + entry.heading
        turned = parts[player][:-1] + rng.choice("v^<>")
        parts[player] = rng.choice(["-", "!", on_board, turned])
        ghosts = "/".join(parts)
    elif change == "taken" and rules.ornaments:
        counts[player][2] -= 1
    else:
        turn = str(int(turn) + rng.choice([-1, 1]))
    pools = "/".join(",".join(map(str, pool)) for pool in counts)
    return f"{fold(cells)} {mover} {phase} {pools} {ghosts} {turn}"


@pytest.fixture(params=RULES)
def rules(request: pytest.FixtureRequest) -> RuleSet:
    return RULES[request.param]


def test_table(rules: RuleSet) -> None:
    names = plane_names(rules)
    assert len(set(names)) == len(names) == plane_shape(rules)[0]
    assert all(plane.description for plane in planes(rules))


def test_planes_and_masks_of_played_positions(rules: RuleSet) -> None:
    games = played_games(rules, random.Random(1), 3)
    env = BoopEnv("boop_v0", None, rules, None)
    batch, masks = observe_states(States.of(games))
    for game, observed, mask in zip(games, batch, masks, strict=True):
        text = game.position()
        assert np.flatnonzero(mask).tolist() == game.legal_actions().tolist()
        for viewer in (0, 1):
            expected = plain_planes(rules, text, viewer)
            assert set(expected) == set(plane_names(rules))
            expected_planes = np.stack([expected[name] for name in plane_names(rules)])
            if viewer == game.mover:
                np.testing.assert_array_equal(observed, expected_planes, text)
            if not game.is_over:
                env.reset(options={"position": text})
                seen = env.observe(f"player_{viewer}")
                np.testing.assert_array_equal(seen["observation"], expected_planes, text)
                assert (seen["action_mask"] == (mask if viewer == game.mover else 0)).all()


def test_no_two_positions_look_alike(rules: RuleSet) -> None:
    rng = random.Random(2)
    texts = {game.position() for game in played_games(rules, rng, 2)}
    games = {}
    for text in sorted(texts):
        candidates = {near(rules, text, rng) for _ in range(40)} | {text}
        for candidate in candidates:
            try:
                games[candidate] = Game.from_position(rules, candidate)
            except ValueError:
                continue
    assert len(games) > 3 * len(texts)
    batch, masks = observe_states(States.of(list(games.values())))
    looks: dict[bytes, str] = {}
    for text, observed, mask in zip(games, batch, masks, strict=True):
        look = observed.tobytes() + mask.tobytes()
        assert looks.setdefault(look, text) == text
