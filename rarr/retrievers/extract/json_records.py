"""Reads documents from JSON: one object, a list of objects, or one object a line."""

import json
from collections.abc import Iterator
from typing import IO

from rarr.retrievers.extract.extracted_document import (
    MEGABYTE,
    Complain,
    Document,
    UnreadableError,
    parse_time,
    too_much,
)
from rarr.valid_unicode import valid


def read_array(data: bytes, complain: Complain) -> Iterator[Document]:
    """Yields the documents of a JSON list or object. An item without a "text" string is left out and
    reported to `complain` by its number, from 1. Raises `UnreadableError` if `data` is not JSON.
    """
    try:
        value = valid(json.loads(data))
    except (ValueError, RecursionError) as error:
        raise UnreadableError(f"its JSON cannot be read ({error})") from error
    for number, item in enumerate(value if isinstance(value, list) else [value], start=1):
        try:
            yield _document(item, number)
        except UnreadableError as problem:
            complain(f"item {number} is left out: {problem}")


LONGEST_RECORD = 20 * MEGABYTE
"""The most bytes of a line of JSON lines: the size of many books."""


def read_lines(lines: IO[bytes], max_bytes: int, complain: Complain) -> Iterator[Document]:
    """Yields the documents of JSON lines. A line that holds no document is reported by its number, from 1.

    Raises `UnreadableError` at a line of more than `LONGEST_RECORD` bytes, since it cannot be a record, and
    after `max_bytes` in all: a small compressed file can hold much.
    """
    number = read = 0
    most = min(max_bytes, LONGEST_RECORD)
    while line := lines.readline(most + 1):
        number += 1
        read += len(line)
        if len(line) > most < max_bytes:
            raise UnreadableError(f"line {number} holds more than {most // MEGABYTE} MB: split it")
        if read > max_bytes:
            raise UnreadableError(f"it holds {too_much(max_bytes)}", lasting=False)
        if not line.strip():
            continue
        try:
            yield _document(_parsed(line), number)
        except UnreadableError as problem:
            complain(f"line {number} is left out: {problem}")


def _parsed(line: bytes) -> object:
    try:
        return valid(json.loads(line.decode("utf-8-sig")))
    except (ValueError, RecursionError) as error:
        raise UnreadableError(f"it is not JSON in UTF-8 ({error})") from error


def _document(value: object, number: int) -> Document:
    if not isinstance(value, dict) or not isinstance(value.get("text"), str):
        raise UnreadableError('it is not an object with a "text" string')
    source = value.get("url") or value.get("source")
    title = value.get("title")
    return Document(
        text=value["text"],
        title=title if isinstance(title, str) else "",
        source=source if isinstance(source, str) else "",
        item=number,
        published_at=parse_time(value.get("published_at") or value.get("date")),
    )
