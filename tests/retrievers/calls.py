"""What hostile bytes may make a process do; each is called there by a test."""

import os
import re
import sys
import time
from collections.abc import Callable


def double(number: int) -> int:
    return 2 * number


def sleep(seconds: float) -> None:
    time.sleep(seconds)


def spin() -> None:
    while True:
        pass


def backtrack() -> None:
    """Never leaves C, and holds Python's lock."""
    re.match("(a*)*b", "a" * 100)


def hoard() -> None:
    held = []
    while True:
        held.append(bytes(1_000_000))


def allocate(megabytes: int) -> int:
    return len(bytes(megabytes * 1_000_000))


KEPT: list[bytes] = []


def crash() -> None:
    os.abort()


def leave() -> None:
    raise SystemExit(3)


def chatter(text: str) -> str:
    """Writes where outcomes are expected."""
    sys.stdout.write(text)
    sys.stdout.flush()
    os.write(1, text.encode())
    os.write(2, text.encode())
    return text


class Evil:
    """Runs a command of its choice in the process that loads it."""

    def __init__(self, path: str) -> None:
        self._path = path

    def __reduce__(self) -> tuple[Callable[[str], int], tuple[str]]:
        return os.system, (f"touch {self._path}",)


def evil(path: str) -> Evil:
    return Evil(path)


def function() -> Callable[[int], int]:
    return double
