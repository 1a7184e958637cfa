"""Connects this process with a Ray cluster, or starts one in it (extra `ray`)."""

import logging
import os
import socket
from contextlib import suppress
from typing import Any

from rarr.errors import InputError, SetupError
from rarr.settings import set_variable

LOCAL = "local"
"""The address that starts a cluster of this machine alone."""
CONNECT_S = 10.0
"""Seconds to wait for an answer of the address of a cluster."""


def require_ray() -> Any:
    """Returns the module `ray`. Raises `SetupError` where it is not installed."""
    # A cluster that this process starts must not report its use, and Ray reads this while it is imported.
    set_variable("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
        import ray.exceptions
    except ImportError:
        raise SetupError('Ray needs a package: pip install "rarr[ray]"') from None
    return ray


def enter(folder: str) -> None:
    """Works in the folder of the caller, so that relative paths in the settings mean what they mean there.

    A node may lack the folder. A relative path then fails with its own error, and a whole one does not.
    """
    with suppress(OSError):
        os.chdir(folder)


def connect(address: str) -> bool:
    """Connects with the cluster at `address`: HOST:PORT, `auto` for that of this machine, or `local`.

    Returns False if this process was connected before: its cluster is used. Raises `InputError` for an
    address without a cluster. The thread that calls this must live as long as the cluster is used: a cluster
    that it starts ends with it.
    """
    ray = require_ray()
    if ray.is_initialized():
        return False
    if address not in (LOCAL, "auto"):
        _require_answer(address)
    options = {"include_dashboard": False} if address == LOCAL else {}
    try:
        # Results tell which rows failed, and why; Ray's own lines would tear up the progress line.
        ray.init(address=address, log_to_driver=False, logging_level=logging.CRITICAL, **options)
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise InputError(f"no Ray cluster at {address} ({_first_line(error)}): {_CURE}") from None
    # Ray prints what it says about lost processes to standard output, also without a log of the driver, and
    # has no public switch. Standard output is for results.
    ray._private.worker._worker_logs_enabled = False
    return True


_CURE = "give the HOST:PORT that ray start printed, auto on a node of the cluster, or local"


def _require_answer(address: str) -> None:
    """Raises `InputError` if nothing answers: Ray would wait for a minute, and then end this process."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), CONNECT_S).close()
    except ValueError:
        raise InputError(f"{address} is not the address of a Ray cluster: {_CURE}") from None
    except OSError as error:
        raise InputError(f"no Ray cluster at {address} ({error.strerror or error}): {_CURE}") from None


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0].rstrip(".")
