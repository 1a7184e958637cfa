"""Declares the documents that a file holds, and the error for a file that cannot be read."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

Complain = Callable[[str], None]
"""Called with one line about a part of a file that cannot be read, or an encoding that was guessed."""

MEGABYTE = 1_000_000
"""The bytes of a megabyte."""


@dataclass(frozen=True, slots=True)
class Document:
    """One text to search. Passages' offsets point into `text`.

    `source` is the address that a record names for itself. Where it is empty, the document is the whole file
    or, where `item` is not 0, the item or line of the file with that number, counted from 1.
    """

    text: str
    title: str = ""
    source: str = ""
    item: int = 0
    published_at: datetime | None = None


class UnreadableError(Exception):
    """A file or page cannot be read. `lasting`: trying again is useless until the file changes.

    The build catches this error and lists the file as skipped, so it is not a `RarrError`.
    """

    def __init__(self, reason: str, *, lasting: bool = True) -> None:
        super().__init__(reason)
        self.lasting = lasting


def unopened(error: OSError) -> UnreadableError:
    """Builds the error for a file that the system refused to open, which may succeed the next time."""
    return UnreadableError(f"it cannot be read ({error.strerror or error})", lasting=False)


def too_much(max_bytes: int) -> str:
    """Formats the reason and the cure for a file or line of more than `max_bytes`, for a message."""
    return f"more than {max_bytes // MEGABYTE} MB: split it or raise max_file_mb"


def parse_time(value: object) -> datetime | None:
    """Parses an ISO 8601 string, as UTC where it names no zone; returns None for anything else."""
    if not isinstance(value, str):
        return None
    try:
        parsed = datetime.fromisoformat(value.strip())
    except ValueError:
        return None
    return parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)
