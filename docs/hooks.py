"""What `mkdocs build` adds to the files in docs/: pages that stand elsewhere or are made from the code.

The README, the pages in models/, the changelog and the like are taken over as they are, with their links led
to where the pages are on the site. Variants get a page each, made from the environment's docstring and from
the tables of planes and actions; notebooks get one with all they show; public names get their reference.
"""

from __future__ import annotations

import inspect
import json
import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from boop_env.envs.aec import VARIANTS, BoopEnv
from boop_env.envs.planes import plane_shape, planes
from boop_env.envs.versus import env_id
from boop_env.rules.ruleset import PRESETS, RuleSet

ROOT = Path(__file__).parents[1]

TAKEN_OVER = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
}
"""Pages that stand outside of docs/, by where they go; those of models/ come to it."""

KINDS = {
    "kitten": "place a kitten on a space",
    "cat": "place a cat on a space",
    "ornament": "hang an ornament on a space",
    "row": "graduate a row of three, named by its two ends",
    "single": "with all pieces on the board, take one back",
    "ghost": "place the ghost on a seam at the edge, named by the spaces beside it",
    "pass": "pass, or decline",
}
"""What the blocks of action numbers mean."""

REFERENCE = {
    "rules": (
        "The game",
        ["Game", "Reason", "perft", "RuleSet", "ruleset", "PRESETS", "Layout", "States"],
        ["boop_env.IllegalMove", "boop_env.UnreadableMove", "boop_env.InvalidPosition"],
    ),
    "envs": (
        "Environments",
        [],
        [
            *(f"boop_env.envs.{name}" for name in VARIANTS),
            "boop_env.envs.aec.BoopEnv",
            "boop_env.envs.versus.VersusEnv",
            "boop_env.envs.versus.VersusVectorEnv",
            "boop_env.envs.batch.BatchEnv",
            "boop_env.envs.batch.BatchStep",
            "boop_env.envs.sb3.BoopVecEnv",
            "boop_env.envs.planes.planes",
            "boop_env.envs.planes.observe_states",
        ],
    ),
    "bots": (
        "Bots and policies",
        ["Bot", "make_bot", "load_policy"],
        [
            "boop_env.bots.factory.LEVELS",
            "boop_env.policy.available",
            "boop_env.policy.PolicyBot",
            "boop_env.policy.AzBot",
            "boop_env.policy.Card",
            "boop_env.policy.Checkpoint",
            "boop_env.policy.read_checkpoint",
            "boop_env.policy.write_checkpoint",
            "boop_env.policy.prospects.prospect_planes",
            "boop_env.policy.prospects.with_prospects",
        ],
    ),
    "arena": (
        "Arena",
        [],
        [
            "boop_env.arena.match.Match",
            "boop_env.arena.records.GameRecord",
            "boop_env.arena.records.read_games",
            "boop_env.arena.ratings.fit",
            "boop_env.arena.ratings.Ratings",
            "boop_env.arena.sprt.Sprt",
            "boop_env.arena.ladder.run_ladder",
        ],
    ),
    "data": (
        "Data",
        [],
        [
            "boop_env.data.StoredGame",
            "boop_env.data.read_games",
            "boop_env.data.write_games",
            "boop_env.data.Positions",
            "boop_env.data.read_positions",
            "boop_env.data.write_positions",
            "boop_env.data.PositionDataset",
            "boop_env.data.self_play.self_play",
        ],
    ),
}
"""Pages of the reference: title, names exported by `boop_env`, and names that are not."""

LINK = re.compile(r'(\]\(|(?:src|srcset|href)=")([^)"\s#]+)')

origins: dict[str, str] = {}
"""Where each page of the site comes from, as a path in the repository."""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the pages, and the files that they link to, and puts all of them into the navigation."""
    origins.clear()
    origins.update({file.src_uri: f"docs/{file.src_uri}" for file in files.documentation_pages()})
    guides = sorted(origins)
    taken = TAKEN_OVER | {f"models/{path.name}": f"models/{path.name}" for path in (ROOT / "models").glob("*.md")}
    taken["models/README.md"] = "models/index.md"
    for source, uri in taken.items():
        files.append(File.generated(config, uri, content=without_front_matter((ROOT / source).read_text())))
        origins[uri] = source
    notebooks = {f"notebooks/{path.stem}.md": path for path in sorted((ROOT / "notebooks").glob("*.ipynb"))}
    for uri, path in notebooks.items():
        files.append(File.generated(config, uri, content=notebook_page(path)))
        origins[uri] = f"notebooks/{path.name}"
    for preset in PRESETS:
        files.append(File.generated(config, f"variants/{preset}.md", content=variant_page(preset)))
    for name, (title, exported, others) in REFERENCE.items():
        files.append(File.generated(config, f"api/{name}.md", content=reference_page(title, exported, others)))
    for source in sorted(set(linked_files())):
        if source not in origins.values() and not source.startswith("docs/"):
            files.append(File.generated(config, source, abs_src_path=str(ROOT / source)))
    models = sorted(uri for uri in taken.values() if uri.startswith("models/"))
    config.nav = [
        {"Home": "index.md"},
        {"Variants": [{preset: f"variants/{preset}.md"} for preset in PRESETS]},
        {"Notebooks": list(notebooks)},
        {"Guides": guides},
        {"Models": ["models/index.md", *(uri for uri in models if uri != "models/index.md")]},
        {"Reference": [{title: f"api/{name}.md"} for name, (title, _, _) in REFERENCE.items()]},
        {"Project": ["changelog.md", "contributing.md"]},
    ]
    return files


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Leads links that hold in the repository to where their targets are on the site."""
    origin = origins.get(page.file.src_uri)
    if origin is None:
        return markdown
    places = {source: uri for uri, source in origins.items()}

    def led(match: re.Match[str]) -> str:
        source = resolved(origin, match[2])
        if source is None:
            return match[0]
        uri = places.get(source, source.removeprefix("docs/"))
        return match[1] + posixpath.relpath(uri, posixpath.dirname(page.file.src_uri) or ".")

    return LINK.sub(led, markdown)


def linked_files() -> Iterator[str]:
    """Files of the repository that pages of the site link to."""
    for origin in origins.values():
        for match in LINK.finditer((ROOT / origin).read_text()):
            source = resolved(origin, match[2])
            if source is not None:
                yield source


def resolved(origin: str, target: str) -> str | None:
    """The file of the repository that a link means, None where it means none."""
    if "://" in target or target.startswith("data:"):
        return None
    source = posixpath.normpath(posixpath.join(posixpath.dirname(origin), target))
    if (ROOT / source).is_dir():
        source = posixpath.join(source, "README.md")
    inside = not source.startswith(("..", "/"))
    return source if inside and (ROOT / source).is_file() else None


def without_front_matter(text: str) -> str:
    """A page without the YAML in front of it, which is for Hugging Face."""
    return text.split("---\n", 2)[2].lstrip() if text.startswith("---\n") else text


def notebook_page(path: Path) -> str:
    """A notebook as it was saved: its text, its code, and what that showed."""
    parts = []
    for cell in json.loads(path.read_text())["cells"]:
        source = "".join(cell["source"])
        parts.append(source if cell["cell_type"] == "markdown" else f"```python\n{source}\n```")
        parts += [shown(output) for output in cell.get("outputs", [])]
    return "\n\n".join(parts) + "\n"


def shown(output: dict[str, Any]) -> str:
    """What a notebook's cell showed, a picture where there is one."""
    data = output.get("data", {})
    if "text/html" in data:
        return "".join(data["text/html"])
    if "image/png" in data:
        return f'<img src="data:image/png;base64,{"".join(data["image/png"]).strip()}" alt="a plot">'
    text = "".join(output.get("text") or data["text/plain"]).rstrip()
    return f"```text\n{text}\n```"


def described() -> dict[str, str]:
    """The README's line on each preset."""
    rows = re.findall(r"^\| `(\w+)` \| (.+?) \| \d+ \|", (ROOT / "README.md").read_text(), re.M)
    return dict(rows)


def variant_page(preset: str) -> str:
    """The page of a preset: facts, the environment's docstring, and its actions and planes."""
    rules = PRESETS[preset]
    sections = re.split(r"^(?=## )", inspect.cleandoc(BoopEnv.__doc__ or ""), flags=re.M)
    tables = {"## Action Space": action_table(rules), "## Observation Space": plane_table(rules)}
    body = [section + "\n" + tables.get(section.splitlines()[0], "") for section in sections[1:]]
    top = [f"# {preset}\n", f"{described()[preset]}.\n", picture(preset), facts_table(preset, rules)]
    return "\n".join([*top, *body])


def module_of(preset: str) -> str:
    """The environment that a preset belongs to."""
    return next(name for name, presets in VARIANTS.items() if preset in presets)


def picture(preset: str) -> str:
    """The picture of a preset's board, which some share."""
    names = (preset, VARIANTS[module_of(preset)][0])
    found = next((name for name in names if (ROOT / "docs" / "pictures" / f"{name}.svg").is_file()), None)
    return f"![A game of {found}](../pictures/{found}.svg){{ width=420 }}\n" if found else ""


def facts_table(preset: str, rules: RuleSet) -> str:
    """How to make the environment, and the options of its rules."""
    shape = "x".join(map(str, plane_shape(rules)))
    options = {**rules.to_dict(), "layout": "/".join(rules.board.lines)}
    rows = {
        "PettingZoo": f'`boop_env.{module_of(preset)}.env(rules="{preset}")`',
        "Gymnasium, against a bot": f'`gymnasium.make("{env_id(preset)}", opponent="greedy")`',
        "batches": f'`boop_env.envs.batch.BatchEnv("{preset}", 4096)`',
        "actions": f"{rules.num_actions}",
        "observation": f"float32 {shape}, and an int8 mask of {rules.num_actions}",
        **{f"`{name}`": f"`{value}`" for name, value in options.items()},
    }
    return "\n".join(["| | |", "|---|---|", *(f"| {name} | {value} |" for name, value in rows.items()), ""])


def action_table(rules: RuleSet) -> str:
    """Blocks of action numbers."""
    lines = ["", "| numbers | moves | what they do |", "|---|---|---|"]
    for block in rules.actions.blocks:
        first, last = block.texts[0], block.texts[-1]
        numbers = f"{block.start} to {block.stop - 1}" if len(block.texts) > 1 else str(block.start)
        moves = f"`{first}` to `{last}`" if len(block.texts) > 1 else f"`{first}`"
        lines.append(f"| {numbers} | {moves} | {KINDS[block.kind]} |")
    return "\n".join([*lines, ""])


def plane_table(rules: RuleSet) -> str:
    """Planes by channel."""
    rows = [f"| {channel} | `{plane.name}` | {plane.description} |" for channel, plane in enumerate(planes(rules))]
    return "\n".join(["", "| channel | name | what it holds |", "|--:|---|---|", *rows, ""])


def reference_page(title: str, exported: list[str], others: list[str]) -> str:
    """A page of the reference, whose content mkdocstrings puts in."""
    names = [*(f"boop_env.{name}" for name in exported), *others]
    return "\n\n".join([f"# {title}", *(f"::: {name}" for name in names)]) + "\n"
