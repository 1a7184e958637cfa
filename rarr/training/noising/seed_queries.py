"""Reads seed queries: one a line, as plain text or as a JSON object with "query"."""

import json
from pathlib import Path

from rarr.errors import InputError
from rarr.valid_unicode import valid


def read_seeds(path: Path) -> list[str]:
    """Reads a query a line, as it stands or as {"query": "..."}; each once, in order, without blank lines.

    Raises `InputError` for a file without a query, and for JSON without one.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}): give a file of queries") from None
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path} is not UTF-8 (byte 0x{error.object[error.start]:02x} at offset {error.start}):"
            " convert it, as with iconv -f LATIN1 -t UTF-8"
        ) from None
    lines = enumerate(valid(text).splitlines(), start=1)
    queries = dict.fromkeys(_query(line.strip(), f"{path}, line {n}") for n, line in lines if line.strip())
    if not queries:
        raise InputError(f"{path} has no query: give one a line")
    return list(queries)


def _query(line: str, where: str) -> str:
    if not line.startswith("{"):
        return line
    cure = 'give {"query": "..."}, or the query as it stands'
    try:
        value = valid(json.loads(line))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where}, is not JSON ({error}): {cure}") from None
    query = value.get("query")
    if not isinstance(query, str) or not query.strip():
        raise InputError(f'{where}, has no "query": {cure}')
    return " ".join(query.split())
