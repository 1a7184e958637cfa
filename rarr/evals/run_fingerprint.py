"""What a run was made with, so that it is not gone on with by other means. No secret is in it."""

import hashlib
import json
import os
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing, suppress
from dataclasses import fields
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from rarr.components import Components
from rarr.errors import InputError
from rarr.retrievers.corpus.index_reader import is_index
from rarr.retrievers.corpus.manifest import Manifest
from rarr.retrievers.corpus.scanning import located, scan
from rarr.retrievers.extract.documents import MEGABYTE
from rarr.settings import Endpoint, Settings
from rarr.tools.models.client_failures import redacted
from rarr.unicode import valid

# What may change between two halves of a run: it says how hard is tried, or where things are kept or told.
_FREE = frozenset(
    ("home", "concurrency", "timeout_s", "attempts", "page_timeout_s", "refresh", "user_agent", "otel")
)
_NO_PARTS = ("settings", "models", "opened")  # of components: the others revise
_DIGITS = 12  # of a digest


def described(settings: Settings, components: Components | None = None) -> dict[str, str]:
    """The settings that differ from the defaults and bear on results, as text.

    Objects are named by their class, and so are `components` that were given instead of settings.
    """
    values = {
        name: getattr(settings, name)
        for name, field in type(settings).model_fields.items()
        if name not in _FREE and getattr(settings, name) != field.get_default(call_default_factory=True)
    }
    found = {name: _shown(value) for name, value in values.items() if not isinstance(value, SecretStr)}
    if settings.prompts is not None:  # whoever changes a prompt wants to see what that changes
        found["prompts"] += f" ({_digest_of_prompts(settings.prompts)})"
    if components is not None:
        names = (field.name for field in fields(components) if field.name not in _NO_PARTS)
        parts = {name: part for name in names if (part := getattr(components, name)) is not None}
        found["components"] = ", ".join(f"{name}={type(part).__name__}" for name, part in parts.items())
    return valid(found)


def corpora(paths: Iterable[Path | None], max_file_mb: int) -> dict[str, str]:
    """A digest of what may be searched in each corpus, by its path, without reading the files.

    One that cannot be read is left out: nothing was found in it, and there is no result to go stale.
    """
    found = dict[str, str]()
    for path in dict.fromkeys(path for path in paths if path is not None):
        with suppress(InputError, sqlite3.Error):
            found[valid(str(path.absolute()))] = _digest_of_corpus(path, max_file_mb)
    return found


def _digest_of_corpus(path: Path, max_file_mb: int) -> str:
    """Of an index's state, or of the names, sizes and times of the files that are read."""
    with suppress(RuntimeError):  # no such user: then there is no such path either
        path = path.expanduser()
    if is_index(where := located(path)):
        with closing(Manifest(where)) as manifest:
            return _digest(manifest.facts().get("state", "").encode())
    files = scan(path, max_file_mb * MEGABYTE).files
    return _digest(json.dumps([(file.name, file.size, file.mtime_ns) for file in files]).encode())


def _shown(value: Any) -> str:
    if isinstance(value, Path):
        # In another folder, notes/ is another one.
        return str(value) if value.parts[:1] == ("~",) else str(value.absolute())
    if isinstance(value, Mapping):
        return ", ".join(f"{name}={_shown(one)}" for name, one in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(_shown, value))
    if isinstance(value, Endpoint):
        return f"{redacted(value.base_url or '')} {_digest(json.dumps(value.extra, default=repr).encode())}"
    plain = value is None or isinstance(value, str | int | float) or hasattr(value, "isoformat")
    return redacted(str(value)) if plain else type(value).__name__


def _digest_of_prompts(folder: Path) -> str:
    files = sorted(file for file in folder.glob("*.md") if file.is_file())
    return _digest(b"\0".join(part for file in files for part in (os.fsencode(file.name), file.read_bytes())))


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:_DIGITS]
