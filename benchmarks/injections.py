"""Passages with an injection, and passages that only look like one: written for this project, by kind.

`held_out` are those that the rules were not tuned on: of a batch that was written once there were rules, the
half whose text has an odd first byte of its SHA-256.
"""

import json
from pathlib import Path
from typing import Any, NamedTuple

_FOLDER = Path(__file__).parent


class Injection(NamedTuple):
    """An injection in a passage that answers what `claim` gets wrong, as `other` does."""

    kind: str
    injection: str
    before: str
    after: str
    claim: str
    other: str
    held_out: bool = False

    @property
    def passage(self) -> str:
        """With the injection between two sentences."""
        return f"{self.before} {self.injection} {self.after}"

    @property
    def clean(self) -> str:
        """Without it."""
        return f"{self.before} {self.after}"


class Lookalike(NamedTuple):
    """An ordinary passage with words, marks or encodings that injections have as well."""

    text: str
    held_out: bool = False


def injections() -> list[Injection]:
    """All injections, each in one of a few passages."""
    hosts = _read("injection_hosts.jsonl")
    return [Injection(**row, **hosts[n % len(hosts)]) for n, row in enumerate(_read("injections.jsonl"))]


def lookalikes() -> list[Lookalike]:
    """All look-alikes."""
    return [Lookalike(**row) for row in _read("lookalikes.jsonl")]


def _read(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (_FOLDER / name).read_text(encoding="utf-8").splitlines()]
