import random
import re
from collections.abc import Iterator

import numpy as np
import pytest
from random_positions import random_layout_rules, random_position
from reference import ReferenceGame, owned

from boop_env import PRESETS, Game, RuleSet, States, ruleset
from boop_env.envs.planes import observe_states, plane_names, plane_shape
from boop_env.policy.prospects import prospect_planes, with_prospects
from boop_env.rules.symmetry import symmetries, turn_states


def observed(rules: RuleSet, texts: list[str]) -> np.ndarray:
    return observe_states(States.of([Game.from_position(rules, text) for text in texts]))[0]


def expected(rules: RuleSet, text: str, version: int) -> dict[tuple[str, tuple[int, int]], float]:
    """What the plain rules say of each placement, by plane and square, for whoever is the mover."""
    start = ReferenceGame(rules, text)
    viewer = start.mover
    found: dict[tuple[str, tuple[int, int]], float] = {}
    for side, player in (("own", viewer), ("opp", 1 - viewer)):
        for kind, word in (("K", "kitten"), ("C", "cat")):
            if start.pools[player][kind] == 0:
                continue
            for square in start.empty_squares():
                game = start.copy()
                game.mover = player
                game._place(kind, square)
                game._boop(square)
                if game.ghosts[player] is not None:
                    game._move_ghost()
                for name, value in consequences(start, game, player).items():
                    found[f"{side}_{word}_{name}", square] = value
                if version == 1:
                    continue
                for name, value in forks(game, player).items():
                    found[f"{side}_{word}_{name}", square] = value
                if player == viewer and game.result()[0] is None:
                    for name, value in replies(game).items():
                        found[f"{side}_{word}_{name}", square] = value
    return found


def forks(game: ReferenceGame, player: int) -> dict[str, float]:
    """What a placement threatens, after which the player's rows have gone home; nothing where it has won."""
    if game.result()[0] == player:
        return {}
    ends = cat_ends(game, player)
    return {"cat_ends": ends / 4, "forces": float(ends > 0 and is_helpless(game, 1 - player))}


def replies(game: ReferenceGame) -> dict[str, float]:
    """What the other player's placements do after one of the mover's, whose rows have gone home."""
    other = 1 - game.mover
    rows, wins, spaces, ends, forces = [0], False, set(), [0], False
    for kind, square, reply in placed(game, other):
        if kind == "C" and any(beside(square, cat) for cat in game.squares_of(owned("C", other))):
            ends.append(cat_ends(reply, other))
            forces = forces or (ends[-1] > 1 and is_helpless(reply, 1 - other))
        if reply.result()[0] == other:
            wins = True
            spaces.add(square)
        elif reply.rows_of(other):
            rows.append(kittens_in_rows(reply, other))
            spaces.add(square)
    found = {"reply_wins": float(wins), "reply_row": max(rows) / 3}
    return found | {"replies": len(spaces) / 4, "reply_cat_ends": max(ends) / 4, "reply_forces": float(forces)}


def placed(game: ReferenceGame, player: int) -> Iterator[tuple[str, tuple[int, int], ReferenceGame]]:
    """The game after each placement of a player, whose ghost stands still."""
    for kind in "KC":
        for square in game.empty_squares() if game.pools[player][kind] else ():
            after = game.copy()
            after.mover = player
            after._place(kind, square)
            after._boop(square)
            yield kind, square, after


def is_helpless(game: ReferenceGame, player: int) -> bool:
    """Whether no placement of a player wins at once or leaves the other without an end to a row of cats."""
    return all(after.result()[0] != player and cat_ends(after, 1 - player) > 0 for _, _, after in placed(game, player))


def beside(one: tuple[int, int], two: tuple[int, int]) -> bool:
    return max(abs(one[0] - two[0]), abs(one[1] - two[1])) == 1


def consequences(before: ReferenceGame, game: ReferenceGame, player: int) -> dict[str, float]:
    other = 1 - player
    if game.result()[0] == player:
        return {"wins": 1}
    kittens = {who: kittens_in_rows(game, who) for who in (player, other)}
    found = {
        "row": kittens[player] / 3,
        "other_row": kittens[other] / 3,
        "other_cats": float(bool(game.standing_rows(owned("C", other)))),
        "lost": (len(before.pieces_of(player)) + 1 - len(game.pieces_of(player))) / 4,
        "sent_home": (len(before.pieces_of(other)) - len(game.pieces_of(other))) / 4,
    }
    if game.rules.ornaments:
        found["takes"] = game.ornaments_taken_from(other) - before.ornaments_taken_from(other)
        found["gives"] = game.ornaments_taken_from(player) - before.ornaments_taken_from(player)
    for square in {square for row in game.rows_of(player) for square in row}:
        del game.board[square]
        game.pools[player]["C"] += 1
    for who, name in ((other, "danger"), (player, "menace")):
        found[name] = float(cat_ends(game, who) > 0)
    for who, name in ((other, "other_ends"), (player, "ends")):
        found[name] = len(row_ends(game, owned("C", who) + owned("K", who))) / 4
    return found


def cat_ends(game: ReferenceGame, player: int) -> int:
    return len(row_ends(game, owned("C", player))) if game.pools[player]["C"] else 0


def kittens_in_rows(game: ReferenceGame, player: int) -> int:
    squares = {square for row in game.rows_of(player) for square in row}
    return sum(game.board[square] == owned("K", player) for square in squares)


def row_ends(game: ReferenceGame, letters: str) -> set[tuple[int, int]]:
    """Empty squares at the end of a row whose other two squares hold these letters."""
    ends = set()
    for first, middle, last in game.layout_rows:
        for end, far in ((first, last), (last, first)):
            pair = (game.board.get(middle, "-"), game.board.get(far, "-"))
            if end not in game.board and all(letter in letters for letter in pair):
                ends.add(end)
    return ends


def check(rules: RuleSet, texts: list[str], version: int) -> None:
    planes = observed(rules, texts)
    found = with_prospects(rules, planes, version)
    np.testing.assert_array_equal(found[:, : planes.shape[1]], planes)
    names = [plane.name for plane in prospect_planes(rules, version)]
    for text, prospects in zip(texts, found[:, planes.shape[1] :], strict=True):
        wanted = np.zeros_like(prospects)
        for (name, (y, x)), value in expected(rules, text, version).items():
            wanted[names.index(name), y, x] = value
        for name, ours, theirs in zip(names, prospects, wanted, strict=True):
            np.testing.assert_allclose(ours, theirs, atol=1e-6, err_msg=f"{rules.name} {text} {name}")


@pytest.mark.parametrize(("version", "count"), [(1, 60), (2, 25)])
@pytest.mark.parametrize("rules", PRESETS.values(), ids=PRESETS)
def test_prospects_are_what_the_plain_rules_say(rules: RuleSet, version: int, count: int) -> None:
    rng = random.Random(3)
    check(rules, [random_position(rules, rng) for _ in range(count)], version)


@pytest.mark.parametrize("rules", PRESETS.values(), ids=PRESETS)
def test_the_second_version_begins_with_the_first(rules: RuleSet) -> None:
    rng = random.Random(7)
    planes = observed(rules, [random_position(rules, rng) for _ in range(60)])
    first, second = with_prospects(rules, planes, 1), with_prospects(rules, planes, 2)
    np.testing.assert_array_equal(first, second[:, : first.shape[1]])
    assert prospect_planes(rules, 2)[: len(prospect_planes(rules, 1))] == prospect_planes(rules, 1)


@pytest.mark.parametrize("version", [0, 3])
def test_refuses_versions_that_do_not_exist(version: int) -> None:
    rules = ruleset("boop")
    with pytest.raises(ValueError, match=f"prospects version={version} does not exist; give one from 1 to 2"):
        with_prospects(rules, np.zeros((1, *plane_shape(rules)), np.float32), version)


def test_prospects_where_both_have_cats() -> None:
    rules, rng = ruleset("boop"), random.Random(6)
    found = [random_position(rules, rng) for _ in range(12000)]
    cats = re.compile(r"(?=.*C.*C)(?=.*c.*c).* \d p [1-9],[1-9]/[1-9],[1-9] ")
    texts = [text for text in found if cats.match(text)][:15]
    assert len(texts) == 15
    check(rules, texts, 2)


@pytest.mark.parametrize(("version", "count"), [(1, 8), (2, 3)])
def test_prospects_of_odd_rule_sets(version: int, count: int) -> None:
    rng = random.Random(4)
    for _ in range(25):
        plain = random_layout_rules(rng)
        rules = RuleSet(**vars(plain))
        check(rules, [random_position(plain, rng) for _ in range(count)], version)


@pytest.mark.parametrize(
    ("text", "name", "spaces"),
    [
        ("K5/6/6/6/6/6 0 p 7,0/8,0 - 10", "own_kitten_lost", "b1 a2 b2"),
        ("6/1CC3/6/6/6/6 0 p 3,3/8,0 - 10", "own_cat_wins", "a2 d2"),
        ("6/1cc3/6/6/6/6 0 p 8,0/3,3 - 10", "opp_cat_wins", "a2 d2"),
        ("6/1kk3/6/6/6/6 0 p 8,0/6,0 - 10", "opp_kitten_row", "a2 d2"),
        ("6/6/2C1C1/6/6/6 0 p 3,3/8,0 - 10", "own_cat_forces", "b2 f2 b3 f3 b4 f4"),
        ("6/6/2c1c1/6/6/6 0 p 8,0/3,3 - 10", "opp_cat_forces", "b2 f2 b3 f3 b4 f4"),
        ("ccK3/6/6/6/6/6 0 p 7,0/3,3 - 10", "own_kitten_reply_wins", "b2 c2 d2"),
        ("ccK3/6/6/6/6/6 0 p 7,0/3,3 - 10", "own_kitten_replies", "b2 c2 d2"),
        ("kkK3/6/6/6/6/6 0 p 7,0/6,0 - 10", "own_kitten_reply_row", "d2"),
    ],
)
def test_prospects_by_hand(text: str, name: str, spaces: str) -> None:
    rules = ruleset("boop")
    found = with_prospects(rules, observed(rules, [text]))[0, len(plane_names(rules)) :]
    plane = found[[plane.name for plane in prospect_planes(rules)].index(name)]
    cells = [f"{'abcdef'[x]}{y + 1}" for y, x in zip(*np.nonzero(plane), strict=True)]
    assert cells == spaces.split()


@pytest.mark.parametrize("name", ["boop", "booop", "halls"])
def test_a_turned_board_has_turned_prospects(name: str) -> None:
    rules = ruleset(name)
    rng = random.Random(5)
    states = States.of([Game.from_position(rules, random_position(rules, rng)) for _ in range(20)])
    table, shape = symmetries(rules), plane_shape(rules)
    upright = with_prospects(rules, observe_states(states)[0]).reshape(20, -1, shape[1] * shape[2])
    for number, cells in enumerate(table.cells):
        words = turn_states(rules, states.words, np.full(20, number))
        turned = with_prospects(rules, observe_states(States(rules, words))[0]).reshape(20, -1, shape[1] * shape[2])
        np.testing.assert_array_equal(turned[:, shape[0] :][:, :, cells], upright[:, shape[0] :])


def test_refuses_other_shapes() -> None:
    with pytest.raises(ValueError, match=r"observations of booop are \(N, \(25, 6, 6\)\), not \(1, 14, 6, 6\)"):
        with_prospects(ruleset("booop"), np.zeros((1, *plane_shape(ruleset("boop"))), np.float32))
