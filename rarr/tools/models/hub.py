"""Models of the Hugging Face hub, or in folders of the same shape (extra `torch`)."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

INSTALL = 'pip install "rarr[torch]"'
_HUB_SECONDS = 10  # to answer whether it has a model; a download takes the time that it takes

Model = TypeVar("Model")


def can_be_model(name: str) -> bool:
    """Is it a folder, or might the hub have it?"""
    return bool(name) and (Path(name).expanduser().is_dir() or name.count("/") == 1)


def loaded(name: str, load: Callable[[str, bool], Model]) -> Model:
    """`load(folder or name, local files only)`: from the folder or what was downloaded before, else the hub.

    The libraries spend most of a minute on trying again while the hub cannot be reached: one question to it,
    with a limit of its own, comes first. Raises what they raise, which have no class in common.
    """
    folder = Path(name).expanduser()
    if folder.is_dir():
        return load(str(folder), True)
    try:
        return load(name, True)
    except Exception:
        from huggingface_hub import HfApi

        HfApi().model_info(name, timeout=_HUB_SECONDS)
        return load(name, False)


def one_line(error: Exception) -> str:
    """What it says, on one line of at most 200 characters."""
    said = " ".join(str(error).split()) or type(error).__name__
    return said if len(said) <= 200 else f"{said[:199]}…"
