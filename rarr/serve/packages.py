"""Tells whether the packages of the extra `serve` are there."""

from importlib.util import find_spec

from rarr.errors import SetupError

PACKAGES = ("fastapi", "prometheus_client", "uvicorn")


def require_packages() -> None:
    """Raises `SetupError`, with the command that installs them, if a package of the server is missing."""
    if missing := [name for name in PACKAGES if find_spec(name) is None]:
        raise SetupError(f'rarr serve needs a package ({missing[0]} is missing): pip install "rarr[serve]"')
