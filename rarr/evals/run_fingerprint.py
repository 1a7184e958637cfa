"""Describes the inputs of a run, so that it is not continued with other inputs. Secrets are left out."""

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import fields
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from rarr.components import NO_BASELINE, Baseline, Components
from rarr.errors import InputError
from rarr.retrievers.corpus.file_listing import located, scan
from rarr.retrievers.corpus.passage_index import is_index, read_manifest
from rarr.retrievers.extract.extracted_document import MEGABYTE
from rarr.settings import Settings, installed_version
from rarr.settings.endpoints import Endpoint
from rarr.tools.models.failures import redacted
from rarr.valid_unicode import valid

# Settings that may differ between two parts of a run: how hard it tries, and where it stores and reports.
_FREE = frozenset(("home", "concurrency", "timeout_s", "refresh", "user_agent"))
_NO_PARTS = ("settings", "models", "opened", "baseline")  # fields of components that do not revise
_DIGITS = 12  # hexadecimal digits of a digest


def run_inputs(
    data: str, settings: Mapping[str, Any], corpora: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Returns the inputs of a run for its run.json. `data` and `corpora` are digests.

    `settings` are those of `described`, with "command" and what else must not differ when a run continues.
    """
    return {
        "version": installed_version(),
        "data": data,
        "settings": dict(settings),
        "corpora": dict(corpora or {}),
    }


def described(
    settings: Settings, components: Components | None = None, baseline: Baseline = NO_BASELINE
) -> dict[str, str]:
    """Describes as text the settings that differ from defaults and affect results, and those of a baseline.

    Secrets are left out. Objects are named by their class, and so are `components` that were given instead
    of settings. Prompts of the user's own come with a digest.
    """
    values = {
        name: getattr(settings, name)
        for name, field in type(settings).model_fields.items()
        if name not in _FREE and getattr(settings, name) != field.get_default(call_default_factory=True)
    }
    values |= baseline.changes()
    texts = {name: _shown(value) for name, value in values.items() if not isinstance(value, SecretStr)}
    if settings.prompts is not None:  # a changed prompt is another run
        texts["prompts"] += f" ({_digest_of_prompts(settings.prompts)})"
    if components is not None:
        names = (field.name for field in fields(components) if field.name not in _NO_PARTS)
        parts = {name: part for name in names if (part := getattr(components, name)) is not None}
        texts["components"] = ", ".join(f"{name}={type(part).__name__}" for name, part in parts.items())
    return valid(texts)


def corpora(paths: Iterable[Path | None], max_file_mb: int) -> dict[str, str]:
    """Makes a digest of each corpus by its path, from names, sizes and times of files, or a built index.

    A corpus that cannot be read is left out: no result came from it, so none can be outdated.
    """
    digests = dict[str, str]()
    for path in dict.fromkeys(path for path in paths if path is not None):
        with suppress(InputError):
            digests[valid(str(path.absolute()))] = _digest_of_corpus(path, max_file_mb)
    return digests


def _digest_of_corpus(path: Path, max_file_mb: int) -> str:
    """Hashes the state of a built index, or the names, sizes and times of files."""
    with suppress(RuntimeError):  # the path names an unknown user: `located` reports it
        path = path.expanduser()
    if is_index(where := located(path)):
        return _digest(read_manifest(where).state.encode())
    files = scan(path, max_file_mb * MEGABYTE).files
    return _digest(json.dumps([(file.name, file.size, file.mtime_ns) for file in files]).encode())


def _shown(value: Any) -> str:
    if isinstance(value, Path):
        # A relative path is another path in another folder.
        return str(value) if value.parts[:1] == ("~",) else str(value.absolute())
    if isinstance(value, Mapping):
        return ", ".join(f"{name}={_shown(part)}" for name, part in value.items())
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
