"""Loads models of the Hugging Face hub, or from folders of the same form (extra `torch`)."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from rarr.errors import SetupError
from rarr.tools.text.wording import safe_text

INSTALL = 'pip install "rarr[torch]"'
_CURE = "check the name and the connection, or give the folder of a model"
_HUB_SECONDS = 10  # to answer whether it has a model; a download may take longer

Model = TypeVar("Model")


def is_folder_or_hub_name(name: str) -> bool:
    """Tells whether `name` is an existing folder, or has the form `owner/model`. Does not ask the hub."""
    return bool(name) and (Path(name).expanduser().is_dir() or name.count("/") == 1)


def load_from_hub(what: str, name: str, load: Callable[[str, bool], Model]) -> Model:
    """Returns the model that `load(name, only_local)` loads from a folder, from local files, or from the hub.

    If the hub cannot be reached, the libraries retry for most of a minute. So one request with a short
    timeout asks for the model first. Raises `SetupError` about `what`, caused by the error of a library.
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
    except Exception as error:  # hub, network and file formats share no base class of errors
        why = f"cannot be loaded ({one_line(error)}): {INSTALL if isinstance(error, ImportError) else _CURE}"
        # The error about the local files may be only the context of an error about the hub.
        if "trust_remote_code" in f"{error} {error.__context__}":
            why = "needs its own Python code, which rarr does not run: choose another model"
        raise SetupError(f"{what} {why}") from error


def one_line(error: Exception) -> str:
    """Returns the message of the error on one line of at most 200 characters."""
    return safe_text(" ".join(str(error).split()), 200) or type(error).__name__
