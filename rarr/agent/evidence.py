"""Makes evidence of passages: those that a caller gives for a claim, or that a source has."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from rarr.ledger.excerpts import merged
from rarr.records import UNNAMED, Evidence, Passage
from rarr.retrievers.fetch.cached_page_passages import passages_of
from rarr.retrievers.given_passages import SHOWN_CHARACTERS, Given, given_passage
from rarr.retrievers.web.nearest_passages import nearest
from rarr.settings import Settings
from rarr.tools.guard.injection import suspicion

if TYPE_CHECKING:
    pass

Sources: TypeAlias = "Given | Sequence[Given]"
"""The passages for one claim: one, or a list of them."""


def given_passages(sources: Sources) -> list[Passage]:
    """Makes passages of the sources for a claim: one, or a list of them, which may be empty.

    They are what `sources` of `rarr.revise` takes, and stay whole; without an address, a passage is named by
    its number. Raises `InputError` for an empty passage, and for anything else that is no passage.
    """
    pieces = sources if isinstance(sources, list | tuple) else [sources]
    return [
        given_passage(piece, number, f"{UNNAMED}{number}") for number, piece in enumerate(pieces, start=1)
    ]


def readable_evidence(
    asked: Sequence[str], passages: Sequence[Passage], settings: Settings
) -> list[Evidence]:
    """Makes evidence of the passages: all of them while they fit, else the parts nearest to the sentences.

    Together they fit if they have at most 12,000 characters. `asked` are the sentences, each with its
    question. The id of a whole passage is its number, as in "p2", that of a part "p2.7". A suspicious passage
    is kept with the reason; it decides nothing.
    """
    if sum(len(passage.text) for passage in passages) <= SHOWN_CHARACTERS:
        return [evidence_of(passage, f"p{number}") for number, passage in enumerate(passages, start=1)]
    parts = {
        f"p{number}/{at}": window
        for number, passage in enumerate(passages, start=1)
        for at, window in enumerate(windows_of(passage.text, passage, settings, offset=passage.start))
    }
    most = settings.evidence_per_query
    kept = {id(it) for sentence in asked for it in nearest(list(parts.values()), sentence, most)}
    return merged(
        [evidence_of(it, name, name.partition("/")[0]) for name, it in parts.items() if id(it) in kept]
    )[0]


def windows_of(text: str, passage: Passage, settings: Settings, *, offset: int = 0) -> list[Passage]:
    """Cuts a text of the source of `passage`, in which it begins at `offset`, into passages."""
    return passages_of(
        text,
        source=passage.source,
        title=passage.title,
        window=settings.window,
        step=settings.step,
        retrieved_at=passage.retrieved_at,
        published_at=passage.published_at,
        offset=offset,
    )


def evidence_of(passage: Passage, name: str, query_id: str = "") -> Evidence:
    """Makes evidence of a passage, with the reason if it seems to speak to a language model."""
    why = suspicion(f"{passage.title}\n{passage.text}")
    facts = passage_of(passage).model_dump()
    return Evidence(**facts, id=name, query_id=query_id, relevance=1.0, suspicious=why)


def passage_of(found: Passage) -> Passage:
    """Returns the passage that an evidence is."""
    return Passage(**{name: getattr(found, name) for name in Passage.model_fields})
