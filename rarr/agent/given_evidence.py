"""Reads the evidence that a caller gives for a claim, and cuts long passages into windows."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from rarr.errors import InputError
from rarr.records import UNNAMED, Evidence, Passage
from rarr.retrievers.fetch.cached_page_passages import passages_of
from rarr.retrievers.given_passages import SHOWN_CHARACTERS
from rarr.retrievers.web.nearest_passages import nearest
from rarr.settings import Settings
from rarr.tools.guard.injection import suspicion
from rarr.tools.text.wording import kind_of
from rarr.valid_unicode import valid

GivenPassage = str | Mapping[str, Any] | Passage
"""A passage: its text, or an object with "text" and optionally "title" and "source", or the record.

"url" is another name for "source", as in data files; if both are given, "url" counts.
"""
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


def readable_evidence(
    asked: Sequence[str], passages: Sequence[Passage], settings: Settings
) -> list[Evidence]:
    """Makes evidence of the passages: all of them while they fit, else the parts nearest to the sentences.

    Together they fit if they have at most 12,000 characters. `asked` are the sentences, each with its
    question. The id of a whole passage is its number, as in "p2", that of a part "p2.7". A suspicious passage
    is kept with the reason; it decides nothing.
    """
    if sum(len(passage.text) for passage in passages) <= SHOWN_CHARACTERS:
        return [_evidence(passage, f"p{number}") for number, passage in enumerate(passages, start=1)]
    cut = [_windows(passage, settings) for passage in passages]
    windows = [window for of_passage in cut for window in of_passage]
    kept = {
        id(window) for sentence in asked for window in nearest(windows, sentence, settings.evidence_per_query)
    }
    return [
        part
        for number, (passage, of_passage) in enumerate(zip(passages, cut, strict=True), start=1)
        for part in _parts(passage, f"p{number}", [window for window in of_passage if id(window) in kept])
    ]


def _parts(passage: Passage, name: str, windows: Sequence[Passage]) -> Iterator[Evidence]:
    """Yields the windows of a passage, those that overlap as one part.

    The text of a part is a slice of the passage, so that quotes point into the source.
    """
    merged = list[Passage]()
    for window in windows:
        last = merged[-1] if merged else None
        if last and window.start <= last.end:
            text = passage.text[last.start - passage.start : window.end - passage.start]
            merged[-1] = last.model_copy(update={"text": text, "end": window.end})
        else:
            merged.append(window)
    for number, part in enumerate(merged, start=1):
        yield _evidence(part, f"{name}.{number}")


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
