"""What a version id promises: rules, actions and planes of every preset are what they were.

Digests of a fixed set of games stand in versions.json. Where one changes, so does what trained agents, stored
games and published results mean; docs/versions.md says what to do then.
"""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import numpy as np
import pytest

from boop_env.envs import booop_v0, boop_v0, halls_v0
from boop_env.envs.aec import VARIANTS, BoopEnv
from boop_env.envs.planes import PLANES_VERSION, observe_states, plane_names
from boop_env.envs.versus import VersusEnv, env_id
from boop_env.policy.prospects import PROSPECTS_VERSION, prospect_planes, with_prospects
from boop_env.rules.game import Game
from boop_env.rules.ruleset import PRESETS, RuleSet
from boop_env.rules.states import States

FILE = Path(__file__).with_name("versions.json")
GAMES = 12

WHAT_TO_DO = """
The {part} of {preset} are not what they were under version {version} of the environments.
If you did not mean that, it is a bug. If you did, docs/versions.md says how: in short
  1. name the ids anew (boop_v1, boop_env/Boop-v1, ...) and, for planes, raise PLANES_VERSION;
  2. add a line to the Version History in the docstrings of BoopEnv and VersusEnv, and to CHANGELOG.md;
  3. put the new digest into tests/versions.json: "{digest}".
"""


def played(rules: RuleSet) -> tuple[list[str], States]:
    """Positions of games drawn by a generator of our own, so that no library's can change them."""
    seed, texts, words = 1, [], []
    for _ in range(GAMES):
        game = Game(rules)
        while not game.is_over:
            texts.append(f"{game.position()} {','.join(map(str, game.legal_actions()))}")
            words.append(game.state)
            seed = (6364136223846793005 * seed + 1442695040888963407) % 2**64
            legal = game.legal_actions()
            game.push(int(legal[(seed >> 33) % len(legal)]))
        texts.append(f"{game.position()} {game.winner} {game.reason}")
    return texts, States(rules, np.stack(words))


def digests(rules: RuleSet) -> dict[str, str]:
    """What must stay: rules by their games, actions by their meaning, planes by their names and content."""
    texts, states = played(rules)
    planes, _ = observe_states(states)
    options = json.dumps(rules.to_dict(), sort_keys=True)
    return {
        "rules": digest("\n".join([options, *texts]).encode()),
        "actions": digest("\n".join(rules.actions.texts).encode()),
        "planes": digest("\n".join(plane_names(rules)).encode() + planes.astype("<f4").tobytes()),
    }


def prospects_digest(rules: RuleSet, version: int) -> str:
    """What prospect planes must stay: names and content."""
    observations, _ = observe_states(played(rules)[1])
    prospects = with_prospects(rules, observations, version)[:, observations.shape[1] :]
    names = "\n".join(plane.name for plane in prospect_planes(rules, version))
    return digest(names.encode() + prospects.astype("<f4").tobytes())


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:32]


@pytest.mark.parametrize("preset", PRESETS)
def test_rules_actions_and_planes_are_those_of_the_version(preset: str) -> None:
    golden = json.loads(FILE.read_text())
    for part, found in digests(PRESETS[preset]).items():
        told = WHAT_TO_DO.format(part=part, preset=preset, version=golden["version"], digest=found)
        assert found == golden["presets"].get(preset, {}).get(part), told


@pytest.mark.parametrize("version", range(1, PROSPECTS_VERSION + 1))
@pytest.mark.parametrize("preset", PRESETS)
def test_prospect_planes_are_those_of_their_version(preset: str, version: int) -> None:
    golden = json.loads(FILE.read_text())["prospects"]
    assert len(golden) == PROSPECTS_VERSION
    found = prospects_digest(PRESETS[preset], version)
    told = f"prospect planes {version} of {preset} changed: make a new version, as docs/versions.md says; now {found}"
    assert found == golden[str(version)].get(preset), told


def test_ids_history_and_digests_are_of_one_version() -> None:
    golden = json.loads(FILE.read_text())
    assert golden["planes_version"] == PLANES_VERSION
    assert golden["presets"].keys() == PRESETS.keys()
    version = golden["version"]
    names = [*VARIANTS, *(module.__name__.split(".")[-1] for module in (boop_v0, booop_v0, halls_v0))]
    assert {name.rpartition("_")[2] for name in names} == {version}
    assert {env_id(preset).rpartition("-")[2] for preset in PRESETS} == {version}
    for documented in (BoopEnv, VersusEnv):
        history = (documented.__doc__ or "").partition("Version History")[2]
        newest = re.findall(r"\bv\d+(?=:)", history)[0]
        assert newest == version, f"{documented.__name__} has no line for {version} first in its Version History"


def test_digests_tell_one_preset_from_the_others() -> None:
    presets = json.loads(FILE.read_text())["presets"]
    assert len({found["rules"] for found in presets.values()}) == len(PRESETS)
