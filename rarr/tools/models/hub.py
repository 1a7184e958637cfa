"""Loads models from the Hugging Face hub, or from folders with the same files (extra `torch`)."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from rarr.errors import SetupError
from rarr.tools.text.wording import safe_text

INSTALL = 'pip install "rarr[torch]"'
_CURE = "check the name and the connection, or give the folder of a model"
_HUB_SECONDS = 10  # for the question whether the hub has a model; a download may take longer

Model = TypeVar("Model")


def is_folder_or_hub_name(name: str) -> bool:
    """Tells whether `name` is an existing folder, or has the form `owner/model`. Does not ask the hub."""
    return bool(name) and (Path(name).expanduser().is_dir() or name.count("/") == 1)


def load_from_hub(what: str, name: str, load: Callable[[str, bool], Model]) -> Model:
    """Returns the model that `load(name, only_local)` loads from a folder, from local files, or from the hub.

    If the hub cannot be reached, the libraries retry for most of a minute. So a request with a short timeout
    asks first whether the hub has the model. Raises `SetupError` with a message that begins with `what`.
    """
    folder = Path(name).expanduser()
    try:
        if folder.is_dir():
            return load(str(folder), True)
        if name.startswith((".", "/", "~")):
            raise FileNotFoundError("there is no such folder")
        try:
            return load(name, True)
        except Exception:
            from huggingface_hub import HfApi

            HfApi().model_info(name, timeout=_HUB_SECONDS)
            return load(name, False)
    except Exception as error:  # the errors of hub, network and files share no base class
        why = f"cannot be loaded ({one_line(error)}): {INSTALL if isinstance(error, ImportError) else _CURE}"
        # If the hub fails too, the error about the local files is only the context of the error.
        if "trust_remote_code" in f"{error} {error.__context__}":
            why = "needs its own Python code, which rarr does not run: choose another model"
        raise SetupError(f"{what} {why}") from error


def one_line(error: Exception) -> str:
    """Returns the message of the error on one line of at most 200 characters."""
    return safe_text(" ".join(str(error).split()), 200) or type(error).__name__
