"""A learner against opponents: Gymnasium's environments and the SB3 one, and what both stand on."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from stable_baselines3.common.vec_env import VecMonitor

from boop_env import PRESETS, Bot, Game, IllegalMove, States, make_bot
from boop_env.envs.learner import LearnerGames
from boop_env.envs.planes import observe_sides, observe_states
from boop_env.envs.sb3 import BoopVecEnv
from boop_env.envs.versus import VersusEnv, VersusVectorEnv, env_id
from boop_env.rules.symmetry import symmetries, turn_states

WIN_IN_ONE = "CC4/6/6/6/6/6 0 p 5,1/8,0 - 20"
OPPONENT_WINS_IN_ONE = "6/6/2cc2/6/6/6 1 p 8,0/5,1 - 10"
LOSES_UNLESS_BLOCKED = "6/cc4/6/6/6/6 0 p 8,0/5,1 - 20"


class Scripted(Bot):
    """Plays the first legal action, and remembers how many positions it was asked about at once."""

    def __init__(self, name: str = "scripted") -> None:
        self.name = name
        self.batches: list[int] = []

    def choose(self, states: States, rng: np.random.Generator) -> np.ndarray:
        self.batches.append(len(states))
        return np.array([game.legal_actions()[0] for game in states.games()])


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.filterwarnings("ignore:.*render.*:UserWarning")
def test_gymnasium_checker_passes(preset: str) -> None:
    check_env(gymnasium.make(env_id(preset), opponent="random").unwrapped, skip_render_check=True)


def test_ids_are_registered_by_import() -> None:
    assert env_id("halls_no_ornaments") == "boop_env/HallsNoOrnaments-v0"
    for preset in PRESETS:
        assert gymnasium.make(env_id(preset)).unwrapped.rules == PRESETS[preset]


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("preset", ["boop", "booop", "halls"])
def test_the_learner_always_acts_and_sees_its_own_side(preset: str, seat: int) -> None:
    env = VersusEnv(preset, "random", seat=seat)
    rng = np.random.default_rng(1)
    for episode in range(5):
        planes, info = env.reset(seed=episode)
        over = False
        while not over:
            game = env.game
            assert game.mover == seat == info["seat"]
            assert (planes == observe_states(States.of([game]))[0][0]).all()
            assert np.flatnonzero(env.action_masks()).tolist() == game.legal_actions().tolist()
            planes, reward, terminated, truncated, info = env.step(rng.choice(game.legal_actions()))
            over = terminated or truncated
            assert over or reward == 0
        final = env.game
        assert terminated == (final.winner is not None)
        assert reward == (0 if final.winner is None else 1 if final.winner == seat else -1)
        assert (planes == observe_sides(States.of([final]), np.array([final.mover != seat], np.int8))[0]).all()
        assert info["winner"] == final.winner
        assert info["turns"] == final.turn
        assert not env.action_masks().any()


def test_a_win_is_rewarded() -> None:
    env = VersusEnv("boop", "random", seat=0)
    env.reset(seed=0, options={"position": WIN_IN_ONE})
    _, reward, terminated, truncated, info = env.step(env.rules.move_to_action("Cc1"))
    assert (reward, terminated, truncated, info["reason"]) == (1.0, True, False, "three_cats")


def test_the_learner_sees_its_loss_when_the_opponent_moves_last() -> None:
    env = VersusEnv("boop", "greedy", seat=0)
    env.reset(seed=0, options={"position": LOSES_UNLESS_BLOCKED})
    _, reward, terminated, _, info = env.step(env.rules.move_to_action("Kf6"))
    assert (reward, terminated, info["winner"]) == (-1.0, True, 1)


def test_the_turn_cap_truncates_a_gymnasium_game() -> None:
    env = VersusEnv("boop", "random", seat=1, max_turns=4)
    env.reset(seed=0)
    results = [env.step(np.flatnonzero(env.action_masks())[0]) for _ in range(2)]
    assert [result[2:4] for result in results] == [(False, False), (False, True)]
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)


def test_the_last_game_is_shown_though_the_opponent_wins_the_next_at_once() -> None:
    env = VersusEnv("boop", "alphabeta:depth=1", opening_plies=45)
    rng = np.random.default_rng(0)
    for episode in range(60):
        env.reset(seed=episode)
        over = False
        while not over:
            _, _, terminated, truncated, info = env.step(rng.choice(np.flatnonzero(env.action_masks())))
            over = terminated or truncated
        assert (env.game.winner, env.game.turn) == (info["winner"], info["turns"])


@pytest.mark.parametrize("action", [188, 10**6, -1])
def test_an_illegal_action_loses(action: int) -> None:
    env = VersusEnv("boop", "random", seat=0)
    env.reset(seed=0)
    _, reward, terminated, _, info = env.step(action)
    assert (reward, terminated, info["reason"], info["winner"]) == (-1.0, True, "illegal_action", 1)


def test_make_vec_gives_the_batch_engine() -> None:
    env = gymnasium.make_vec("boop_env/Boop-v0", num_envs=16, opponent="random")
    assert isinstance(env, VersusVectorEnv)
    planes, info = env.reset(seed=4)
    ends = 0
    for _ in range(120):
        assert info["action_mask"].shape == (16, 189)
        planes, rewards, terminated, truncated, info = env.step(env.sample())
        assert planes.shape == (16, 14, 6, 6)
        done = terminated | truncated
        ends += done.sum()
        assert not rewards[~done].any()
        if done.any():
            assert (info["_final_obs"] == done).all()
            assert all(info["final_obs"][index].shape == (14, 6, 6) for index in np.flatnonzero(done))
            won = info["final_info"]["winner"] == info["final_info"]["seat"]
            assert (rewards[terminated] == np.where(won, 1, -1)[terminated]).all()
    assert ends > 16


def test_vector_and_single_tell_the_same_story() -> None:
    """The same seed and choices, whether a game is played alone or in the vector environment."""
    single, vector = VersusEnv("boop", "greedy", seat="random"), VersusVectorEnv(1, "boop", "greedy", seat="random")
    planes, _ = single.reset(seed=11)
    many, _ = vector.reset(seed=11)
    for _ in range(30):
        assert (many[0] == planes).all()
        action = int(np.flatnonzero(single.action_masks())[-1])
        planes, reward, terminated, truncated, _ = single.step(action)
        many, rewards, *_ = vector.step(np.array([action]))
        assert rewards[0] == reward
        if terminated or truncated:
            break


def test_each_opponent_is_asked_once_for_all_that_wait() -> None:
    bot = Scripted()
    games = LearnerGames("boop", 32, [bot], seat=1)
    assert bot.batches == [32]
    games.step(games.sample())
    assert bot.batches[-1] == 32


def test_opponents_come_as_often_as_their_weights() -> None:
    often, seldom = Scripted("often"), Scripted("seldom")
    games = LearnerGames("boop", 64, [(often, 3.0), (seldom, 1.0)], seed=1)
    names = []
    for _ in range(150):
        names += [end.opponent for end in games.step(games.sample())]
    assert len(names) > 100
    assert 0.6 < names.count("often") / len(names) < 0.9


def test_a_new_pool_is_met_in_new_games_only() -> None:
    games = LearnerGames("boop", 8, [Scripted("old")], seed=1)
    games.set_opponents([Scripted("new")])
    names = []
    while len(names) < 40:
        names += [end.opponent for end in games.step(games.sample())]
    assert sorted(set(names[-10:])) == ["new"]
    assert "old" in names


def test_sb3_rewards_lengths_and_terminal_observations() -> None:
    env = VecMonitor(BoopVecEnv("boop", 32, [make_bot("random")], seed=2, seat="random"))
    env.reset()
    seats, rewards_seen = set(), set()
    for _ in range(150):
        observations, rewards, dones, infos = env.step(env.unwrapped.sample())
        assert observations.dtype == np.float32
        for index in np.flatnonzero(dones):
            info = infos[index]
            won = info["winner"] == info["seat"]
            assert rewards[index] == (0 if info["winner"] is None else 1 if won else -1)
            assert info["episode"]["r"] == rewards[index]
            assert info["terminal_observation"].shape == (14, 6, 6)
            assert info["TimeLimit.truncated"] is False
            seats.add(info["seat"])
            rewards_seen.add(float(rewards[index]))
        assert not rewards[~dones].any()
    assert seats == {0, 1}
    assert rewards_seen >= {1.0, -1.0}


def test_sb3_observations_outlive_the_next_step() -> None:
    env = BoopVecEnv("boop", 4, [make_bot("random")], seed=2)
    first = env.reset()
    kept = first.copy()
    env.step(env.sample())
    assert (first == kept).all()


def test_sb3_masks_come_through_env_method() -> None:
    env = BoopVecEnv("boop", 4, [make_bot("random")], seed=2)
    env.reset()
    masks = np.stack(env.env_method("action_masks"))
    assert masks.shape == (4, 189)
    assert (masks == env.action_masks()).all()
    assert len(env.env_method("action_masks", indices=[0, 2])) == 2
    assert env.has_attr("action_masks")
    assert not env.has_attr("nothing_of_the_kind")


def test_sb3_raises_on_an_illegal_action() -> None:
    env = BoopVecEnv("boop", 4, [make_bot("random")], seat=0)
    env.reset()
    with pytest.raises(IllegalMove, match="game 0"):
        env.step(np.full(4, 188))


def test_seeds_repeat_a_run() -> None:
    def run(seed: int) -> list[np.ndarray]:
        env = BoopVecEnv("booop", 16, [make_bot("greedy"), make_bot("random")], seed=seed)
        env.reset()
        return [env.step(env.sample())[0] for _ in range(40)]

    assert all((one == other).all() for one, other in zip(run(3), run(3), strict=True))
    assert any((one != other).any() for one, other in zip(run(3), run(4), strict=True))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"opponents": []}, "opponents"),
        ({"opponents": ["greddy"]}, "there is no bot 'greddy'"),
        ({"opponents": [(Scripted(), 0.0)]}, "weights"),
        ({"seat": 2}, "seat=2"),
        ({"max_turns": 1}, "max_turns=1"),
        ({"opening_plies": (3, 2)}, "opening_plies=\\(3, 2\\)"),
    ],
)
def test_bad_arguments_are_named(arguments: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        LearnerGames(**{"rules": "boop", "num_envs": 4, "opponents": [Scripted()], **arguments})


def test_a_finished_position_is_no_start() -> None:
    env = VersusEnv("boop")
    with pytest.raises(ValueError, match="is over"):
        env.reset(options={"position": "CCC3/6/6/6/6/6 0 x 5,0/8,0 - 20"})
    assert Game.from_position("boop", "CCC3/6/6/6/6/6 0 x 5,0/8,0 - 20").is_over


@pytest.mark.parametrize("preset", ["boop", "booop", "halls"])
def test_turned_games_are_the_games_that_are_played(preset: str) -> None:
    """What a turned learner sees is a symmetry of the position, and its action turned back is what is played."""
    env = BoopVecEnv(preset, 64, [make_bot("random")], seed=4, turned=True)
    table = symmetries(env.rules)
    planes = env.reset()
    seen = set()
    for _ in range(30):
        states = env.games.batch.states
        masks = env.action_masks()
        actions = env.sample()
        assert masks[np.arange(64), actions].all()
        for index, game in enumerate(states.games()):
            looks = [
                which
                for which in range(len(table.cells))
                if (observe_states(turned(states[index : index + 1], which))[0][0] == planes[index]).all()
            ]
            legal = set(game.legal_actions().tolist())
            looks = [w for w in looks if {int(table.actions[w][a]) for a in legal} == set(np.flatnonzero(masks[index]))]
            assert looks
            if len(looks) == 1:
                seen.add(looks[0])
        planes, *_ = env.step(actions)
    assert seen == set(range(len(table.cells)))


def turned(states: States, which: int) -> States:
    return States(states.rules, turn_states(states.rules, states.words, np.full(len(states), which)))


def test_a_turned_action_is_turned_back() -> None:
    """A win is in one space only, wherever the learner sees it."""
    env = BoopVecEnv("boop", 32, [make_bot("random")], seat=0, turned=True)
    table = symmetries(env.rules)
    env.games.reset(position=WIN_IN_ONE)
    env.observe()
    words = States.of([Game.from_position("boop", WIN_IN_ONE)] * 32).words
    winning = env.rules.move_to_action("Cc1")
    planes = env.observe()
    actions = np.empty(32, np.int64)
    for index in range(32):
        (which,) = [
            which
            for which in range(8)
            if (observe_states(turned(States(env.rules, words[:1]), which))[0][0] == planes[index]).all()
        ]
        actions[index] = table.actions[which, winning]
    _, rewards, dones, _ = env.step(actions)
    assert dones.all() and (rewards == 1).all()


@pytest.mark.parametrize("actions", [-1, 10**6])
def test_turned_refuses_what_is_no_action(actions: int) -> None:
    env = BoopVecEnv("boop", 4, [make_bot("random")], turned=True)
    with pytest.raises(IllegalMove, match="game 0"):
        env.step(np.full(4, actions))


def test_a_position_that_the_opponent_wins_first_is_no_start() -> None:
    env = VersusEnv("boop", "greedy", seat=0)
    env.reset(seed=0)
    with pytest.raises(ValueError, match="opponent greedy ends the game before the learner, in seat 0"):
        env.reset(options={"position": OPPONENT_WINS_IN_ONE})
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)
    env.reset()
    assert env.game.turn == 0
    env.step(np.flatnonzero(env.action_masks())[0])


def test_after_a_refused_position_the_games_are_at_their_beginning() -> None:
    games = LearnerGames("boop", 8, [make_bot("greedy")], seat="random")
    with pytest.raises(ValueError, match="ends the game"):
        games.reset(seed=1, position=OPPONENT_WINS_IN_ONE)
    assert (games.batch.states.turns == games.seats).all()
    assert (games.batch.states.movers == games.seats).all()
    games.step(games.sample())


def test_an_illegal_action_changes_nothing() -> None:
    games = LearnerGames("boop", 4, [make_bot("random")], seed=1, opening_plies=(0, 8))
    games.step(games.sample())
    before, opening = games.state_dict(), games.batch.opening_plies
    actions = np.argmax(games.masks, axis=1)
    actions[2] = 188
    with pytest.raises(IllegalMove, match="game 2"):
        games.step(actions)
    after = games.state_dict()
    assert all(np.array_equal(before[name], after[name]) for name in before)
    assert games.batch.opening_plies == opening


def test_reset_with_a_seed_begins_again() -> None:
    games = LearnerGames("boop", 64, [make_bot("random")], seed=1, opening_plies=(2, 8))

    def play() -> list[np.ndarray]:
        found = [games.batch.states.words.copy()]
        for _ in range(40):
            games.step(games.sample())
            found.append(games.batch.states.words.copy())
        return found

    fresh = play()
    games.batch.opening_plies = 7  # as a step may have drawn
    games.reset(seed=1)
    assert all((one == other).all() for one, other in zip(fresh, play(), strict=True))


def test_openings_have_any_of_the_lengths_given() -> None:
    games = LearnerGames("boop", 64, [Scripted()], seed=1, seat=1, opening_plies=(2, 5))
    lengths = set()
    for _ in range(200):
        ended = [end.index for end in games.step(games.sample())]
        lengths |= set(games.batch.states.turns[ended].tolist())
    # The learner sits second, so it is to act after an odd number of turns.
    assert lengths == {3, 5}


@pytest.mark.parametrize("turned", [False, True])
def test_a_state_goes_on_exactly(turned: bool) -> None:
    bots = {name: make_bot(name) for name in ("greedy", "random")}

    def env(seed: int) -> BoopVecEnv:
        return BoopVecEnv("booop", 16, list(bots.values()), seed=seed, turned=turned, opening_plies=(0, 4))

    def play(env: BoopVecEnv, count: int) -> list:
        found = []
        for _ in range(count):
            planes, rewards, dones, infos = env.step(env.sample())
            found += [planes, rewards, dones, env.action_masks()]
            found += [np.array([info.get("opponent", "") for info in infos])]
        return found

    one, other = env(1), env(2)
    play(one, 25)
    other.load_state_dict(one.state_dict(), bots)
    assert (one.observe() == other.observe()).all()
    assert one.games.opponents == other.games.opponents == {"greedy", "random"}
    assert all((a == b).all() for a, b in zip(play(one, 40), play(other, 40), strict=True))


def test_a_state_that_does_not_fit_is_refused() -> None:
    state = BoopVecEnv("boop", 8, [make_bot("random")]).state_dict()
    with pytest.raises(ValueError, match="the state holds 8 games, and there are 4"):
        BoopVecEnv("boop", 4, [make_bot("random")]).load_state_dict(state, {"random": make_bot("random")})
    with pytest.raises(ValueError, match="no bot is given for the opponents random"):
        BoopVecEnv("boop", 8, [make_bot("random")]).load_state_dict(state, {})
