"""Write the pages of the trained agents from what their files and the ladder say.

    python -m train.cards            (models/)
    python -m train.cards FOLDER

Every NAME.safetensors gets a NAME.md: a model card as Hugging Face reads it, YAML in front and Markdown for
people below, made from the card inside the file and from ladder.json. README.md of the folder gets their table.
Nothing is sent anywhere.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from boop_env.arena.ladder import DATA, PAGE
from boop_env.arena.report import duration
from boop_env.bots.models import CHECKPOINT
from boop_env.envs.planes import Plane, planes
from boop_env.envs.versus import env_id
from boop_env.policy.checkpoint import Checkpoint, read_checkpoint, replace_file
from boop_env.policy.prospects import prospect_planes

NOT_LISTED = ("settings", "command", "algorithm", "initial")
"""Entries of a card's training that have a place of their own."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Writes the pages; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m train.cards", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "folder", nargs="?", type=Path, default=Path("models"), help="where the checkpoints are (models)"
    )
    folder = parser.parse_args(arguments).folder
    try:
        found = pages(folder)
        for name, text in found.items():
            replace_file(folder / name, lambda part, text=text: part.write_text(text, encoding="utf-8"))  # type: ignore[misc]
    except (ValueError, OSError) as error:
        print(f"cards: {error}", file=sys.stderr)
        return 2
    print(f"{folder}: {', '.join(found)}")
    return 0


def pages(folder: Path) -> dict[str, str]:
    """The text of every page by its file's name.

    Raises:
        ValueError: a checkpoint cannot be read, or there is none.
    """
    checkpoints = [read_checkpoint(path) for path in sorted(folder.glob(f"*{CHECKPOINT}"))]
    if not checkpoints:
        raise ValueError(f"{folder} has no {CHECKPOINT} files")
    path = folder / DATA
    ladder = json.loads(path.read_text()) if path.is_file() else {}
    cards = {f"{model_name(checkpoint)}.md": card_page(checkpoint, ladder) for checkpoint in checkpoints}
    return {"README.md": index_page(checkpoints, ladder), **cards}


def model_name(checkpoint: Checkpoint) -> str:
    """The checkpoint's bare name."""
    return checkpoint.path.name.removesuffix(CHECKPOINT)


def entries(name: str, ladder: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Where a model stands on the ladder: the rule set, how it plays, and its row."""
    for rules, rated in sorted(ladder.items()):
        for bot in rated["bots"]:
            file, _, options = bot["name"].removeprefix("az:").partition("?")
            if Path(file).name.removesuffix(CHECKPOINT) == name:
                how = "with search" if bot["name"].startswith("az:") else "policy alone"
                yield rules, f"{how}, {options.replace('&', ', ')}" if options else how, bot


def front_matter(checkpoint: Checkpoint, ladder: dict[str, Any]) -> str:
    """The card's facts as Hugging Face's model cards have them."""
    name, rules = model_name(checkpoint), checkpoint.card.rules.name
    results = [
        {
            "task": {"type": "reinforcement-learning", "name": "reinforcement-learning"},
            "dataset": {"type": env_id(preset), "name": preset},
            "metrics": [
                {"type": "elo", "name": f"Elo, random = 0 ({how})", "value": round(bot["elo"])},
                {"type": "score", "name": f"score on the ladder ({how})", "value": round(bot["score"], 3)},
            ],
        }
        for preset, how, bot in entries(name, ladder)
    ]
    facts: dict[str, Any] = {
        "license": "mit",
        "library_name": "boop-env",
        "pipeline_tag": "reinforcement-learning",
        "tags": ["reinforcement-learning", "self-play", "board-games", "pettingzoo", "boop-env", env_id(rules)],
    }
    if results:
        facts["model-index"] = [{"name": name, "results": results}]
    return str(yaml.safe_dump(facts, sort_keys=False, allow_unicode=True, width=120))


def card_page(checkpoint: Checkpoint, ladder: dict[str, Any]) -> str:
    """A model's card."""
    card, name = checkpoint.card, model_name(checkpoint)
    told, network = card.training, card.network
    history = runs(told)
    others = ", ".join(f"`{preset}`" for preset in checkpoint.card.presets()[1:])
    weights = sum(array.size for array in checkpoint.weights.values())
    lines = [
        f"# {name}",
        "",
        f"A {network.get('kind', '')} network, {network.get('depth', '?')} deep and {network.get('width', '?')} wide "
        f"({weights:,} weights), that plays `{card.rules.name}`{f'; {others} too' if others else ''}. Trained by "
        f"{told.get('algorithm', 'nobody knows what')}. It gives the chance of each action and the value of the "
        "position for the player to act.",
        "",
        "## Use",
        "",
        "```python",
        "import boop_env",
        "",
        f'bot = boop_env.load_policy("{name}")',
        f'# With tree search: bot = boop_env.make_bot("az:{name}?sims=64")',
        f'print(bot.move(boop_env.Game("{card.rules.name}")))',
        "```",
        "",
        "It is made to play this game and nothing else, against programs and people. Loading it runs no code from it.",
        "",
        "## Results",
        "",
        *results_table(name, ladder),
        "",
        *learning_curve(checkpoint),
        "## Training",
        "",
        "```sh",
        *(str(run.get("command", "")) for run in history),
        f"python -m train.reproduce {name} --out runs/again",
        "```",
        "",
        *(["The runs one after the other, each from the checkpoint of the one before.", ""] * (len(history) > 1)),
        "| |" + " |" * len(history),
        "|---|" + "---|" * len(history),
        *(
            f"| {key.replace('_', ' ')} | " + " | ".join(cell(run.get(key, "")) for run in history) + " |"
            for key in told
            if key not in NOT_LISTED
        ),
        "",
        "Written with " + ", ".join(f"{key} {value}" for key, value in card.versions.items()) + ".",
        "",
        *(
            "Settings: " + ", ".join(f"`{key}={value}`" for key, value in run.get("settings", {}).items()) + ".\n"
            for run in history
        ),
        *([card.notes, ""] if card.notes else []),
        "## Input and output",
        "",
        f"{card.num_actions} actions, and planes of {card.rules.board.height}x{card.rules.board.width} "
        f"(version {card.planes_version}):",
        "",
        *plane_table(planes_of(checkpoint)),
        "",
        *prospect_table(checkpoint),
    ]
    return f"---\n{front_matter(checkpoint, ladder)}---\n\n" + "\n".join(lines)


def runs(training: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """What the runs that led to a checkpoint say of themselves, the first one first."""
    return [*(runs(training["initial"]) if "initial" in training else []), training]


def results_table(name: str, ladder: dict[str, Any]) -> list[str]:
    """Where a model stands on the ladder, as lines."""
    rows = [
        f"| `{rules}` | {how} | {bot['elo']:.0f} | {bot['low']:.0f} to {bot['high']:.0f} | {bot['games']} "
        f"| {bot['score']:.1%} | {duration(bot['seconds'])} |"
        for rules, how, bot in entries(name, ladder)
    ]
    if not rows:
        return ["Not rated yet."]
    head = ["| rules | how | Elo | 95 % interval | games | score | time a move |", "|---|---|--:|--:|--:|--:|--:|"]
    return [f"Elo on the [ladder]({PAGE}), `random` being 0.", "", *head, *rows]


def learning_curve(checkpoint: Checkpoint) -> list[str]:
    """The plot of the ratings during training, where `train.ship` has put one beside the checkpoint."""
    plot = checkpoint.path.with_suffix(".png")
    if not plot.is_file():
        return []
    return ["## Learning curve", "", f"![Rating against fixed bots over the minutes of training]({plot.name})", ""]


def planes_of(checkpoint: Checkpoint) -> list[Plane]:
    """The planes; their names alone where today's planes are others."""
    told = {plane.name: plane.description for plane in planes(checkpoint.card.rules)}
    return [Plane(name, told.get(name, "")) for name in checkpoint.card.plane_names]


def plane_table(found: Sequence[Plane], first: int = 0) -> list[str]:
    """Planes as lines, numbered from `first` on."""
    rows = [f"| {number} | `{plane.name}` | {plane.description} |" for number, plane in enumerate(found, first)]
    return ["| | plane | |", "|--:|---|---|", *rows]


def prospect_table(checkpoint: Checkpoint) -> list[str]:
    """The prospect planes as lines, of a network that looks at them."""
    version = checkpoint.card.network.get("prospects")
    if not version:
        return []
    return [
        "From these the network makes more by the rules: what each placement would do, on its space, and 0 where there",
        "is no such placement.",
        "",
        *plane_table(prospect_planes(checkpoint.card.rules, version), len(checkpoint.card.plane_names)),
        "",
    ]


def cell(value: Any) -> str:
    """A value in a table."""
    if isinstance(value, dict):
        return ", ".join(f"{key} {cell(entry)}" for key, entry in value.items())
    return f"{value:,}" if isinstance(value, int) else str(value)


def index_page(checkpoints: Sequence[Checkpoint], ladder: dict[str, Any]) -> str:
    """The folder's README."""
    rows = []
    for checkpoint in checkpoints:
        name, told = model_name(checkpoint), checkpoint.card.training
        best = [
            f"{bot['elo']:.0f} ({how})"
            for rules, how, bot in entries(name, ladder)
            if rules == checkpoint.card.rules.name
        ]
        fitting = checkpoint.card.presets()
        also = f"; plays {', '.join(f'`{preset}`' for preset in fitting[1:])} too" if fitting[1:] else ""
        minutes = " + ".join(f"{run.get('seconds', 0) / 60:.0f}" for run in runs(told))
        rows.append(
            f"| [`{name}`]({name}.md) | `{checkpoint.card.rules.name}`{also} | `{told.get('command', '')}` "
            f"| {minutes} min | {', '.join(best) or 'not rated'} |"
        )
    return "\n".join(
        [
            "# Trained agents",
            "",
            "Written by `python -m train.cards`, like the pages of the agents. One safetensors file each, with a JSON",
            'card inside: rules, planes, network, how it was trained. `boop_env.load_policy("NAME")` plays one, and',
            "`NAME` and `az:NAME?sims=64`, with tree search, are specs of bots. They come with the package.",
            f"[{PAGE}]({PAGE}) rates them beside the scripted bots; below is their Elo on the rules they learned.",
            "",
            "| name | rules | made by | time | Elo |",
            "|---|---|---|--:|---|",
            *rows,
            "",
            "`python -m train.reproduce NAME --out runs/again` trains one again. Any reader of the format prints a",
            "card, and so does ours:",
            "",
            "```python",
            "from boop_env.policy import read_checkpoint",
            "",
            f'print(read_checkpoint("models/{model_name(checkpoints[0])}{CHECKPOINT}").card.to_json())',
            "```",
            "",
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
