"""Checkpoint files by name: those that come with the package, and any others by their path."""

from __future__ import annotations

from pathlib import Path

CHECKPOINT = ".safetensors"


def models_folder() -> Path:
    """The folder of the checkpoints that come with the package: inside it once installed, beside it in a checkout."""
    package = Path(__file__).parents[1]
    installed = package / "models"
    return installed if installed.is_dir() else package.parent / "models"


def available() -> tuple[str, ...]:
    """Names of the checkpoints that come with the package, each good for `load_policy` and as a bot's spec.

    Example:
        >>> available()  # doctest: +SKIP
        ('boop-ppo',)
    """
    return tuple(sorted(path.name.removesuffix(CHECKPOINT) for path in models_folder().glob(f"*{CHECKPOINT}")))


def find_checkpoint(name: str | Path) -> Path:
    """The file of a checkpoint.

    Args:
        name: a path, or one of the names that `available` lists.

    Raises:
        FileNotFoundError: there is no such file or name; the message lists what there is.
    """
    text, path = str(name), Path(name)
    if path.is_file():
        return path
    if text in available():
        return models_folder() / f"{text}{CHECKPOINT}"
    if not text.endswith(CHECKPOINT) and path.name == text:
        raise FileNotFoundError(f"there is no checkpoint {text!r}; those that come with boop_env are {listed()}")
    folder = path.parent
    found = sorted(str(other) for other in folder.glob(f"*{CHECKPOINT}")) if folder.is_dir() else []
    raise FileNotFoundError(f"there is no checkpoint file {text}; {folder} has {', '.join(found) or 'no checkpoints'}")


def listed() -> str:
    """The names that `available` gives, for messages."""
    return ", ".join(available()) or "none"


def short_name(path: Path) -> str:
    """What a checkpoint is called: its bare name if it comes with the package, else its path as given."""
    return path.name.removesuffix(CHECKPOINT) if path.parent == models_folder() else str(path)


def spec_checkpoint(spec: str) -> Path | None:
    """The checkpoint file that a bot's spec names, None where it names none."""
    text = spec.removeprefix("az:").partition("?")[0]
    try:
        return find_checkpoint(text) if text in available() or text.endswith(CHECKPOINT) else None
    except FileNotFoundError:
        return None
