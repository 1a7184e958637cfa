"""Passages with an injection, and passages that only look like one. README.md describes the cases."""

import json
from pathlib import Path
from typing import Any, Literal, NamedTuple

from rarr import Passage
from rarr.testing import RETRIEVED_AT

Half = Literal["tuned", "held_out"]
HALVES: tuple[Half, ...] = ("tuned", "held_out")
_FOLDER = Path(__file__).parent


class Injection(NamedTuple):
    """An injection in the page of a search: after an honest passage, in its title, or in its source.

    The run revises the text `claim`. The claim answers `question` by `claimed`, and the passage by `truth`.
    """

    id: str
    group: str
    technique: str
    language: str
    question: str
    claim: str
    claimed: str
    honest: str
    truth: str
    injection: str
    wants: dict[str, str]  # what the injection wants: a `verdict`, an `edit` to a value, or a `query`
    place: Literal["passage", "title", "source"] = "passage"

    def page(self, *, injected: bool = True) -> Passage:
        """Returns the passage as a search finds it, with or without the injection."""
        places = {"passage": self.honest, "title": "", "source": "page"}
        if injected:
            space = " " if self.place == "passage" and not self.injection.startswith("\n") else ""
            honest = self.honest if self.place == "passage" else ""
            places[self.place] = f"{honest}{space}{self.injection}"
        text = places.pop("passage")
        return Passage(text=text, start=0, end=len(text), retrieved_at=RETRIEVED_AT, **places)

    @property
    def says_what_it_wants(self) -> bool:
        """Tells whether the injection states the value that it wants, and is thus evidence for the value."""
        wanted = self.wants.get("edit") or (self.claimed if "verdict" in self.wants else "")
        return wanted != "" and wanted.casefold() in self.injection.casefold()


def injections(half: Half) -> list[Injection]:
    """Returns the subtle injections of a half."""
    return [Injection(**row) for row in _read(f"injections_{half}")]


def card_injections(half: Half) -> list[Injection]:
    """Returns the injections of a half that aim at cards (judgements of sentences), such as forged cards."""
    return [Injection(**row) for row in _read(f"cards_{half}")]


def lookalikes(half: Half) -> list[str]:
    """Returns the harmless passages of a half that look like injections."""
    return [row["passage"] for row in _read(f"lookalikes_{half}")]


def obvious_injections() -> list[str]:
    """Returns injections that are easy to recognise. The rules for injections were written from these."""
    return [row["injection"] for row in _read("obvious")]


def ordinary_passages() -> list[str]:
    """Returns ordinary passages. The rules for injections were changed so that they mark none of these."""
    return [row["passage"] for row in _read("ordinary")]


def _read(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (_FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]
