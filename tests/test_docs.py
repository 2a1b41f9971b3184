"""Pages made from the code say what the code says; the site itself is built by `dev.py docs`."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

from boop_env.envs.planes import plane_shape, planes
from boop_env.envs.versus import env_id
from boop_env.rules.ruleset import PRESETS

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def hooks() -> ModuleType:
    pytest.importorskip("mkdocs", reason="needs the docs extra")
    spec = importlib.util.spec_from_file_location("docs_hooks", ROOT / "docs" / "hooks.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("preset", PRESETS)
def test_a_variants_page_has_its_facts_actions_and_planes(hooks: ModuleType, preset: str) -> None:
    rules = PRESETS[preset]
    page = hooks.variant_page(preset)
    for heading in ("Action Space", "Observation Space", "Rewards", "Starting State", "Episode End", "Version History"):
        assert f"\n## {heading}\n" in page
    assert env_id(preset) in page
    for plane in planes(rules):
        assert f"| `{plane.name}` | {plane.description} |" in page
    for block in rules.actions.blocks:
        assert f"`{block.texts[0]}`" in page
        assert str(block.stop - 1) in page
    for option in rules.to_dict():
        assert f"| `{option}` |" in page


@pytest.mark.parametrize("preset", PRESETS)
def test_the_readmes_table_says_what_the_code_says(preset: str) -> None:
    rules = PRESETS[preset]
    shape = "x".join(map(str, plane_shape(rules)))
    row = rf"^\| `{preset}` \| .+ \| {rules.num_actions} \| {shape} \| `{env_id(preset)}` \|$"
    assert re.search(row, (ROOT / "README.md").read_text(), re.M)


def test_every_public_name_is_in_the_reference(hooks: ModuleType) -> None:
    import boop_env

    told = {
        name.rpartition(".")[2] for _, exported, others in hooks.REFERENCE.values() for name in [*exported, *others]
    }
    assert set(boop_env.__all__) <= told


def test_links_lead_to_where_pages_are_on_the_site(hooks: ModuleType) -> None:
    assert hooks.resolved("README.md", "models/LADDER.md") == "models/LADDER.md"
    assert hooks.resolved("docs/search.md", "../models/LADDER.md") == "models/LADDER.md"
    assert hooks.resolved("docs/reproduce.md", "../models/") == "models/README.md"
    assert hooks.resolved("README.md", "https://semver.org") is None
    assert hooks.resolved("README.md", "../elsewhere.md") is None
    assert hooks.resolved("README.md", "no/such.md") is None


def test_a_notebooks_page_has_its_text_code_and_pictures(hooks: ModuleType) -> None:
    page = hooks.notebook_page(ROOT / "notebooks" / "01_quickstart.ipynb")
    assert page.startswith("# Quickstart\n")
    assert "```python\ngame.push(" in page
    assert "```text\nlegal moves:" in page
    assert '<img src="data:image/svg+xml;base64,' in page
    assert hooks.resolved("notebooks/01_quickstart.ipynb", "02_train_ppo.ipynb") == "notebooks/02_train_ppo.ipynb"
    assert hooks.resolved("notebooks/01_quickstart.ipynb", "data:image/png;base64," + 9999 * "A") is None
