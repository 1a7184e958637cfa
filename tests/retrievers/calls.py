"""What hostile bytes may make a process do; each is called there by a test."""

import os
import re
import sys
import time
from pathlib import Path
from typing import cast


def sleep(seconds: float) -> None:
    time.sleep(seconds)


def backtrack() -> None:
    """Never leaves C, and holds Python's lock."""
    re.match("(a*)*b", "a" * 100)


def allocate(megabytes: int) -> int:
    return len(bytes(megabytes * 1_000_000))


def hoard() -> int:
    """Fills the memory piece by piece."""
    return len([bytes(100_000) for _ in range(100_000)])


def crash() -> None:
    os.abort()


def crash_counted(path: Path) -> None:
    """Counts its calls in a file."""
    with path.open("a") as file:
        file.write("x")
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


def lie() -> int:
    """Gives another type than it declares."""
    return cast(int, "text")
