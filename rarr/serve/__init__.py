"""Serves `rarr` over HTTP: as a proxy in front of an OpenAI-compatible server, and with its own routes."""

from importlib.util import find_spec

from rarr.errors import SetupError


def require_packages() -> None:
    """Raises `SetupError`, with the command that installs them, if a package of the server is missing."""
    for name in ("starlette", "uvicorn"):
        if find_spec(name) is None:
            raise SetupError(f'rarr serve needs a package ({name} is missing): pip install "rarr[serve]"')
