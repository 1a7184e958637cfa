"""Functions that do what hostile bytes may make a process do. A test calls each of them in a worker."""

import os
import re
import sys
import time
from pathlib import Path
from typing import cast


def sleep(seconds: float) -> None:
    time.sleep(seconds)


def backtrack(*_: object) -> None:
    """Stays in C forever, and holds Python's lock."""
    re.match("(a*)*b", "a" * 100)


def allocate(megabytes: int) -> int:
    return len(bytes(megabytes * 1_000_000))


def fill_memory() -> int:
    return len([bytes(100_000) for _ in range(100_000)])


def crash(path: Path) -> None:
    """Counts its calls in a file, and crashes."""
    with path.open("a") as file:
        file.write("x")
    os.abort()


def leave() -> None:
    raise SystemExit(3)


def print_text(text: str) -> str:
    sys.stdout.write(text)
    sys.stdout.flush()
    os.write(1, text.encode())
    os.write(2, text.encode())
    return text


def wrong_type() -> int:
    return cast(int, "text")
