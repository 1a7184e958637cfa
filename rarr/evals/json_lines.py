"""Reads files of JSON lines: each line with its number, and the place of an error in it."""

import gzip
import json
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple, cast

from rarr.errors import InputError
from rarr.valid_unicode import valid


class WrongRowError(Exception):
    """A line that is not a row. The message is the reason, such as "it is not JSON (...)"."""


class JsonLine(NamedTuple):
    """A line that is not empty, with its number from 1."""

    number: int
    data: bytes

    def value(self) -> dict[str, Any]:
        """Parses the line. Raises `WrongRowError` if it is no JSON object; the message has the position."""
        try:
            text = self.data.decode("utf-8-sig" if self.number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            raise WrongRowError(
                f"it is not UTF-8 (byte 0x{self.data[error.start]:02x} at offset {error.start})"
            ) from None
        try:
            value = valid(json.loads(text))
        except json.JSONDecodeError as error:
            raise WrongRowError(f"it is not JSON ({error.msg}, at character {error.colno})") from None
        except (ValueError, RecursionError) as error:
            raise WrongRowError(f"it is not JSON that can be read ({error})") from None
        if not isinstance(value, dict):
            raise WrongRowError("it is JSON, but not an object in braces")
        return value


def json_lines(path: Path, on_bytes: Callable[[bytes], object] = lambda line: None) -> Iterator[JsonLine]:
    """Yields the lines of a file, unpacked if its name ends in `.gz`, without empty lines.

    `on_bytes` is called with the bytes of each line, also of empty lines. Raises `InputError` if the file
    cannot be read.
    """
    with _opened(path) as file:
        for number, line in enumerate(file, start=1):
            on_bytes(line)
            if line.strip(b" \t\r\n\xef\xbb\xbf"):
                yield JsonLine(number, line)


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    try:
        with cast(IO[bytes], gzip.open(path) if path.suffix == ".gz" else path.open("rb")) as file:
            yield file
    except (OSError, EOFError, ValueError, zlib.error) as error:  # ValueError: the path holds a NUL byte
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"{path} cannot be read ({reason}): give the path of a file of JSON lines") from None
