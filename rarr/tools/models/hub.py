"""Loads models of the Hugging Face hub, or from folders of the same form (extra `torch`)."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from rarr.tools.text.wording import shown

INSTALL = 'pip install "rarr[torch]"'
_HUB_SECONDS = 10  # to answer whether it has a model; a download may take longer

Model = TypeVar("Model")


def can_be_model(name: str) -> bool:
    """True for an existing folder, and for a name of the form `owner/model`; does not ask the hub."""
    return bool(name) and (Path(name).expanduser().is_dir() or name.count("/") == 1)


def loaded(name: str, load: Callable[[str, bool], Model]) -> Model:
    """Calls `load(name, only_local)` and returns its model: from a folder, from local files, or from the hub.

    While the hub cannot be reached, the libraries spend most of a minute on retries. So one request with a
    short timeout asks for the model first. Raises the libraries' errors, which share no base class.
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
    """Writes the error's message on one line of at most 200 characters."""
    return shown(" ".join(str(error).split()), 200) or type(error).__name__
