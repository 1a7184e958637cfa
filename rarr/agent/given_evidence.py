"""Reads the evidence that a caller gives for a claim, and cuts long passages into windows."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from rarr.errors import InputError
from rarr.records import UNNAMED, Evidence, Passage
from rarr.retrievers.fetch.cached_page_passages import passages_of
from rarr.retrievers.web.nearest_passages import nearest
from rarr.settings import Settings
from rarr.tools.guard.injection import suspicion
from rarr.tools.text.blocks_and_sentences import sentences
from rarr.tools.text.plurals_and_articles import kind_of
from rarr.valid_unicode import valid

GivenPassage = str | Mapping[str, Any] | Passage
"""A passage: its text, or an object with "text" and optionally "title" and "source", or the record.

"url" is another name for "source", as in data files; if both are given, "url" counts.
"""
LONGEST = 10_000
"""The most characters of a passage that is read whole. The verifiers stretch over such passages."""
_KEYS = ("text", "title", "source", "url")


def given_passages(evidence: object) -> list[Passage]:
    """Makes passages of the evidence for one claim: one passage, or a list of passages, which may be empty.

    A passage without a source is named by its number. Raises `InputError` for an empty passage, and for
    anything else that is no passage.
    """
    pieces = evidence if isinstance(evidence, list | tuple) else [evidence]
    now = datetime.now(UTC)
    return [_passage(piece, number, now) for number, piece in enumerate(pieces, start=1)]


def _passage(piece: object, number: int, now: datetime) -> Passage:
    if isinstance(piece, Passage):
        passage = piece
    else:
        facts = _facts({"text": piece} if isinstance(piece, str) else piece, number)
        source = facts.get("url") or facts.get("source") or f"{UNNAMED}{number}"
        passage = Passage(
            text=facts["text"],
            title=facts.get("title", ""),
            source=source,
            start=0,
            end=len(facts["text"]),
            retrieved_at=now,
        )
    if not passage.text.strip():
        raise InputError(f"passage {number} of the evidence is empty: leave it out, or give its text")
    return passage


def _facts(piece: object, number: int) -> dict[str, str]:
    if not isinstance(piece, Mapping):
        raise InputError(
            f"passage {number} of the evidence is {kind_of(piece)}: give a str, a Passage, or an object with"
            " text, title and source (or url)"
        )
    if unknown := [key for key in piece if key not in _KEYS]:
        raise InputError(
            f"passage {number} of the evidence has an unknown key {unknown[0]!r}: give {', '.join(_KEYS)}"
        )
    facts = {key: value for key, value in piece.items() if value is not None}
    for key, value in facts.items():
        if not isinstance(value, str):
            raise InputError(
                f"passage {number} of the evidence has a {key} that is {kind_of(value)}: give a str"
            )
    if "text" not in facts:
        raise InputError(f"passage {number} of the evidence has no text: give its text")
    return valid(facts)


def readable_evidence(claim: str, passages: Sequence[Passage], settings: Settings) -> list[Evidence]:
    """Makes evidence of the passages: whole, or the windows of a long passage that are nearest to a sentence.

    A passage over 10,000 characters is long. The id of a whole passage is its number, as in "p2", that of a
    window "p2.7". A suspicious passage is kept with the reason; it decides nothing.
    """
    asked = [span.of(claim) for span in sentences(claim)] or [claim]
    evidence = list[Evidence]()
    for number, passage in enumerate(passages, start=1):
        if len(passage.text) <= LONGEST:
            evidence.append(_evidence(passage, f"p{number}"))
            continue
        cut = _windows(passage, settings)
        kept = {
            window.start
            for sentence in asked
            for window in nearest(cut, sentence, settings.evidence_per_query)
        }
        evidence += [
            _evidence(window, f"p{number}.{n}")
            for n, window in enumerate(cut, start=1)
            if window.start in kept
        ]
    return evidence


def _windows(passage: Passage, settings: Settings) -> list[Passage]:
    return passages_of(
        passage.text,
        source=passage.source,
        title=passage.title,
        window=settings.window,
        step=settings.step,
        retrieved_at=passage.retrieved_at,
        published_at=passage.published_at,
        offset=passage.start,
    )


def _evidence(passage: Passage, name: str) -> Evidence:
    why = suspicion(f"{passage.title}\n{passage.text}")
    facts = {field: getattr(passage, field) for field in Passage.model_fields}
    return Evidence(**facts, id=name, query_id="", relevance=1.0, suspicious=why)
