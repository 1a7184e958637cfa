"""The documents that a file holds, and the error for a file that cannot be read."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

Complain = Callable[[str], None]

MEGABYTE = 1_000_000
"""Bytes."""


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
    """A file that holds nothing to search. `lasting`: trying again is useless until the file changes.

    The build catches this error and lists the file as skipped, so it is not a `RarrError`.
    """

    def __init__(self, reason: str, *, lasting: bool = True) -> None:
        super().__init__(reason)
        self.lasting = lasting


def unopened(error: OSError) -> UnreadableError:
    """The error for a file that the system refused to open, which may succeed the next time."""
    return UnreadableError(f"it cannot be read ({error.strerror or error})", lasting=False)


def too_much(max_bytes: int) -> str:
    """How much a file or line holds that is too large to read, and the cure."""
    return f"more than {max_bytes // MEGABYTE} MB: split it or raise max_file_mb"


def parse_time(value: object) -> datetime | None:
    """The time of an ISO 8601 string, in UTC where it names no zone; None for anything else."""
    if not isinstance(value, str):
        return None
    try:
        parsed = datetime.fromisoformat(value.strip())
    except ValueError:
        return None
    return parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)
