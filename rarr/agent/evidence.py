"""Reads the passages that a caller gives for a claim, and searches the sources of a reviser for a query."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypeAlias

from langgraph.runtime import Runtime

from rarr.agent.inputs import required_text
from rarr.agent.runs import budget_of, using
from rarr.errors import InputError, RetrievalError
from rarr.ledger.excerpts import merged
from rarr.nodes.rerank import rerank
from rarr.nodes.retrieve import retrieve
from rarr.records import UNNAMED, Evidence, Passage, Query
from rarr.records.evidence_search_result import FoundEvidence
from rarr.retrievers.fetch.cached_page_passages import passages_of
from rarr.retrievers.given_passages import SHOWN_CHARACTERS, Given, given_facts
from rarr.retrievers.web.nearest_passages import nearest
from rarr.settings import Settings
from rarr.state import Branch, State
from rarr.tools.concurrency import together, work
from rarr.tools.guard.injection import suspicion
from rarr.tools.models.run_budget import Meter
from rarr.tools.text.blocks_and_sentences import sentences
from rarr.tools.text.wording import is_failure

if TYPE_CHECKING:
    from rarr.agent.revise import Reviser

Sources: TypeAlias = "Given | Sequence[Given]"
"""The passages for one claim: one, or a list of them."""
PASSAGES_OF_SENTENCE = 5
"""The passages that are searched for each sentence of a claim."""


def given_passages(sources: Sources) -> list[Passage]:
    """Makes passages of the sources for a claim: one, or a list of them, which may be empty.

    They are what `sources` of `rarr.revise` takes, and stay whole; without an address, a passage is named by
    its number. Raises `InputError` for an empty passage, and for anything else that is no passage.
    """
    pieces = sources if isinstance(sources, list | tuple) else [sources]
    return [_given_passage(piece, number) for number, piece in enumerate(pieces, start=1)]


def _given_passage(piece: object, number: int) -> Passage:
    if isinstance(piece, Passage):
        if not piece.text.strip():
            raise InputError(f"passage {number} is empty: give a text, or leave it out")
        return piece
    facts = given_facts(piece, number)
    return Passage(
        text=facts.text,
        title=facts.title,
        source=facts.source or f"{UNNAMED}{number}",
        start=0,
        end=len(facts.text),
        retrieved_at=datetime.now(UTC),
        published_at=facts.published_at,
    )


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


async def find_evidence(reviser: "Reviser", query: str, most: int, text: str = "") -> FoundEvidence:
    """Returns the `most` passages of the reviser's sources that are most relevant to `query`, best first.

    `text` is what the query is about, by which a graph tells namesakes apart. Passages that seem to speak to
    a language model are left out, with a warning. Raises `InputError` for an empty query, and
    `RetrievalError` if the sources cannot be searched or their passages not be ranked.
    """
    settings, asked = reviser.settings, required_text(query, "query")
    documents = max(most, settings.documents_per_query)
    more = {"evidence_per_query": most, "documents_per_query": documents}
    components = replace(reviser._components, settings=settings.model_copy(update=more))
    runtime, searched = Runtime(context=components), Query(id="q1", text=asked, start=0, end=len(asked))
    with using(Meter(budget_of(settings), text=text)) as meter:
        passages = (await retrieve(Branch(query=searched), runtime))["passages"]
        start = State(original=asked, text=asked, round=1, queries=[searched], passages=passages)
        state = await rerank(start, runtime)
    if failed := next(filter(is_failure, state["warnings"]), None):
        raise RetrievalError(failed.message)
    return FoundEvidence(
        query=query,
        evidence=tuple(passage for passage in state["evidence"] if not passage.suspicious),
        warnings=tuple(dict.fromkeys([*state["warnings"], *meter.warnings])),
    )


async def passages_about(reviser: "Reviser", claim: str, context: str | None) -> list[Passage]:
    """Returns the passages that are most relevant to each sentence of `claim`, as one list.

    A passage that several sentences find comes once. The `context` is searched with each sentence. Raises as
    `find_evidence` does.
    """
    spans, text = await work(sentences, claim), f"{context or ''}\n{claim}"
    asked = [f"{context or ''} {span.of(claim)}".strip() for span in spans] or [claim]
    found = await together(*(find_evidence(reviser, query, PASSAGES_OF_SENTENCE, text) for query in asked))
    by_place = {(each.source, each.start, each.end): each for one in found for each in one.evidence}
    return [passage_of(each) for each in by_place.values()]
