import copy
import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import boop_env
from boop_env import PRESETS, Game, RuleSet, make_bot
from boop_env.envs.aec import AGENTS

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed (the openspiel extra)")

from open_spiel.python import policy  # noqa: E402
from open_spiel.python.algorithms import exploitability, generate_playthrough, minimax  # noqa: E402
from open_spiel.python.observation import make_observation  # noqa: E402

from boop_env.bridges.openspiel import BoopGame, SpielBot  # noqa: E402

TINY = RuleSet(layout="111\n111\n111", pieces=3, eight_cats_win=False, max_turns=12)


@pytest.mark.parametrize("preset", PRESETS)
def test_openspiels_own_api_test(preset: str) -> None:
    game = pyspiel.load_game(f"python_boop(rules={preset},max_turns=30)")
    pyspiel.random_sim_test(game, num_sims=1, serialize=True, verbose=False)


@pytest.mark.parametrize("preset", PRESETS)
def test_a_game_is_ours_step_by_step(preset: str) -> None:
    loaded = pyspiel.load_game(f"python_boop(rules={preset})")
    state, game = loaded.new_initial_state(), Game(preset)
    env = boop_env.boop_v0.raw_env(rules=game.rules)
    env.reset()
    observation = make_observation(loaded)
    rng = np.random.default_rng(1)
    while not game.is_over:
        assert state.current_player() == game.mover and not state.is_terminal()
        assert state.legal_actions() == game.legal_actions().tolist()
        assert str(state) == game.position() == state.observation_string(0)
        assert state.returns() == [0, 0]
        for player, agent in enumerate(AGENTS):
            observation.set_from(state, player)
            np.testing.assert_array_equal(observation.dict["observation"], env.observe(agent)["observation"])
        action = int(rng.choice(game.legal_actions()))
        assert state.action_to_string(action) == game.rules.action_to_move(action)
        for other in (state.apply_action, game.push, env.step):
            other(action)
    assert state.is_terminal() and state.current_player() == pyspiel.PlayerId.TERMINAL
    expected = [0, 0] if game.winner is None else [1, -1] if game.winner == 0 else [-1, 1]
    assert state.returns() == expected
    assert len(state.history()) <= loaded.max_game_length()


@pytest.mark.parametrize(("preset", "steps"), [("boop", 2), ("booop", 3), ("halls", 3), ("halls_no_ornaments", 2)])
def test_the_longest_game(preset: str, steps: int) -> None:
    assert pyspiel.load_game(f"python_boop(rules={preset})").max_game_length() == steps * 300
    assert pyspiel.load_game(f"python_boop(rules={preset},max_turns=7)").max_game_length() == steps * 7


def test_parameters_change_the_preset() -> None:
    game = pyspiel.load_game("python_boop(rules=boop_bga,layout=1111/1111/1111/1111,pieces=4,max_turns=60)")
    rules = replace(PRESETS["boop_bga"], layout="1111\n1111\n1111\n1111", pieces=4, max_turns=60)
    assert game.new_initial_state().game() == Game(rules)
    assert pyspiel.load_game(str(game)).new_initial_state().game() == Game(rules)


@pytest.mark.parametrize(
    ("text", "message"),
    [("rules=chess", "no preset 'chess'"), ("pieces=99", "pieces=99"), ("ghosts=True", "Unknown parameter 'ghosts'")],
)
def test_parameters_are_refused_by_name(text: str, message: str) -> None:
    with pytest.raises((ValueError, pyspiel.SpielError), match=message):
        pyspiel.load_game(f"python_boop({text})")


def test_copies_are_independent_and_serialise() -> None:
    game = pyspiel.load_game("python_boop(rules=booop)")
    state = game.new_initial_state()
    state.apply_action(14)
    clone = state.clone()
    clone.apply_action(clone.legal_actions()[0])
    assert str(state) == "6/6/2K3/6/6/6 0 h 7,0/8,0 -/- 0" != str(clone)
    assert str(pickle.loads(pickle.dumps(clone))) == str(clone)
    again, restored = pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(game, clone))
    assert str(again) == str(game) and str(restored) == str(clone)
    assert str(game.new_initial_state(clone.to_dict())) == str(clone)


@pytest.mark.parametrize("text", ["python_boop(rules=booop)", "python_boop(layout=1111/1111/1111,pieces=4)", "endgame"])
@pytest.mark.parametrize("copied", [copy.deepcopy, lambda made: pickle.loads(pickle.dumps(made))])
def test_pickles_play_on(text: str, copied: Any) -> None:
    endgame = Game.from_position(TINY, "3/3/CC1 0 p 0,1/3,0 - 10")
    game = BoopGame(start=endgame) if text == "endgame" else pyspiel.load_game(text)
    again = copied(game)
    assert str(again) == str(game) and again.get_parameters() == game.get_parameters()
    assert str(again.new_initial_state()) == str(game.new_initial_state())
    state = game.new_initial_state()
    state.apply_action(state.legal_actions()[0])
    restored = copied(state)
    assert str(restored.get_game().new_initial_state()) == str(game.new_initial_state())
    assert max(len(pickle.dumps(game)), len(pickle.dumps(state)), len(state.serialize())) < 3000
    while not state.is_terminal():
        assert str(restored) == str(state) and restored.history() == state.history()
        assert restored.legal_actions() == state.legal_actions()
        action = state.legal_actions()[-1]
        state.apply_action(action)
        restored.apply_action(action)
    assert restored.is_terminal() and restored.returns() == state.returns()


def test_an_illegal_action_is_refused_with_the_reason() -> None:
    state = pyspiel.load_game("python_boop").new_initial_state()
    with pytest.raises(boop_env.IllegalMove, match="no cat in the pool"):
        state.apply_action(36)


def test_our_bots_play_openspiels() -> None:
    game = pyspiel.load_game("python_boop")
    for seat in (0, 1):
        bots = [SpielBot("greedy"), pyspiel.make_uniform_random_bot(1 - seat, 1)]
        state = game.new_initial_state()
        assert pyspiel.evaluate_bots(state, bots if seat == 0 else bots[::-1], 1)[seat] == 1


def test_openspiels_search_is_a_bot() -> None:
    bot = make_bot("openspiel:mcts?sims=40")
    assert make_bot(bot.name).name == bot.name == "openspiel:mcts?sims=40"
    won = Game.from_position("boop", "CC4/6/6/6/6/6 0 p 5,1/8,0 - 20")
    assert bot.move(won, np.random.default_rng(0)) == "Cc1"
    middle = Game.from_record("halls", "Od3 Kc3")
    assert bot.move(middle, np.random.default_rng(3)) == bot.move(middle, np.random.default_rng(3))


@pytest.mark.parametrize("spec", ["openspiel", "openspiel:mcts", "openspiel:mcts?sims=0", "openspiel:minimax?sims=9"])
def test_other_specs_are_refused(spec: str) -> None:
    with pytest.raises(ValueError, match=r"(is not mcts\?sims=N|no search is given); write openspiel:mcts\?sims=N"):
        make_bot(spec)


def test_openspiels_tools_solve_an_endgame() -> None:
    # Two cats in a row and the third in the pool, two turns before the cap.
    endgame = Game.from_position(TINY, "3/3/CC1 0 p 0,1/3,0 - 10")
    game = BoopGame(start=endgame)
    wins = 0
    for move in endgame.legal_moves():
        after = endgame.copy()
        after.push(move)
        wins += after.winner == 0
    assert 0 < wins < len(endgame.legal_moves())
    value, best = minimax.alpha_beta_search(game)
    assert value == 1 and TINY.action_to_move(best) == "Cc3"
    # The other player can change nothing, so only the mover gains by leaving the uniform policy.
    gain = 1 - wins / len(endgame.legal_moves())
    assert exploitability.nash_conv(game, policy.UniformRandomPolicy(game)) == pytest.approx(gain)


def test_openspiels_playthrough() -> None:
    text = generate_playthrough.playthrough("python_boop(max_turns=4)", action_sequence=[0, 1, 2, 3])
    assert "ObservationString(0) = " in text and 'GameType.short_name = "python_boop"' in text
    assert "# Terminal? true\n" in text or "IsTerminal() = True" in text
