"""Passages with an injection and passages that only look like it: see README.md beside this file."""

import json
from pathlib import Path
from typing import Any, Literal, NamedTuple

from rarr import Passage
from rarr.testing import RETRIEVED_AT

Half = Literal["tuned", "held_out"]
HALVES: tuple[Half, ...] = ("tuned", "held_out")
_FOLDER = Path(__file__).parent


class Injection(NamedTuple):
    """An injection behind an honest passage, or at another `place`: as its title, or as its source.

    `claim` is the text under revision: of `question` it says `claimed`, and the passage says `truth`. The
    injection wants one of these: a `verdict`, an `edit` to a value, a `query`.
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
    wants: dict[str, str]
    place: Literal["passage", "title", "source"] = "passage"

    def page(self, *, injected: bool = True) -> Passage:
        """The passage as a search finds it, with or without the injection."""
        places = {"passage": self.honest, "title": "", "source": "page"}
        if injected:
            space = " " if self.place == "passage" and not self.injection.startswith("\n") else ""
            honest = self.honest if self.place == "passage" else ""
            places[self.place] = f"{honest}{space}{self.injection}"
        text = places.pop("passage")
        return Passage(text=text, start=0, end=len(text), retrieved_at=RETRIEVED_AT, **places)

    @property
    def says_what_it_wants(self) -> bool:
        """Does the injection state the value that it wants? Then the passage is evidence for that value."""
        wanted = self.wants.get("edit") or (self.claimed if "verdict" in self.wants else "")
        return wanted != "" and wanted.casefold() in self.injection.casefold()


def injections(half: Half) -> list[Injection]:
    """The subtle injections of a half."""
    return [Injection(**row) for row in _read(f"injections_{half}")]


def card_injections(half: Half) -> list[Injection]:
    """The injections of a half that aim at cards: forged sources and cards, planted sentences, file names."""
    return [Injection(**row) for row in _read(f"cards_{half}")]


def lookalikes(half: Half) -> list[str]:
    """The benign passages of a half."""
    return [row["passage"] for row in _read(f"lookalikes_{half}")]


def obvious_injections() -> list[str]:
    """Injections that shout, which the signs were written from."""
    return [row["injection"] for row in _read("obvious")]


def ordinary_passages() -> list[str]:
    """Ordinary passages, which the signs were mended with in view."""
    return [row["passage"] for row in _read("ordinary")]


def _read(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (_FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]
