"""Reads every written statement as a card, and takes as its citations what the card quotes."""

import re
from collections.abc import Sequence

from rarr.agent.answering.answer_sources import GivenSource, QuestionSources
from rarr.components import Components
from rarr.ledger.card_reading import Kept, read_cards
from rarr.ledger.card_report import is_relied_on
from rarr.records import Evidence, Notice
from rarr.records.answers import CitedStatement, NamedTriple, StatementDraft
from rarr.records.card import Card
from rarr.retrievers.graph.triples import name_key, relation_words, value_forms
from rarr.state import State
from rarr.tools.concurrency.worker_threads import work
from rarr.tools.text.blocks_and_sentences import Span, sentences


async def checked_statements(
    question: str, written: Sequence[CitedStatement], found: QuestionSources, components: Components
) -> tuple[list[StatementDraft], list[Notice]]:
    """Returns the statements with the sources that say them, and tells which need support that is not there.

    Each sentence is read beside all sources, so that a citation that holds is found wherever it is. What
    could not be judged needs support.
    """
    texts = [" ".join(statement.text.split()) for statement in written]
    text = "\n\n".join(texts)
    evidence = [_evidence(source) for source in found.sources]
    spans = await work(sentences, text)
    kept = {span: [passage.id for passage in evidence] for span in spans}
    read = await read_cards(State(text=text, context=question), spans, Kept(evidence, kept), components)
    drafts, start = list[StatementDraft](), 0
    for statement, own in zip(written, texts, strict=True):
        place = Span(start, start + len(own))
        cards = [card for card in read.cards if place.overlaps(Span(card.start, card.end))]
        drafts.append(_draft(statement, own, cards, found))
        start = place.end + 2
    return drafts, read.notices


def _evidence(source: GivenSource) -> Evidence:
    return Evidence(**source.passage.model_dump(), id=f"q1.{source.number}", query_id="q1", relevance=1.0)


def _draft(
    statement: CitedStatement, text: str, cards: Sequence[Card], found: QuestionSources
) -> StatementDraft:
    """Makes the checked statement: supported if each of its sentences that says something is."""
    sources = {source.number: source for source in found.sources}
    written = dict.fromkeys([*statement.citations, *_numbers(statement.named, found.sources)])
    unknown = [_unknown(each) for each in statement.named if not _numbers([each], found.sources)]
    said = [card for card in cards if card.verdict != "none"]
    quoted = dict.fromkeys(
        int(quote.evidence_id.rpartition(".")[2])
        for card in said
        if is_relied_on(card)
        for quote in card.quotes
        if quote.side == "for"
    )
    # A bare "Yes." says what the question asks.
    says_nothing = not said and len(text.split()) > _SHORT and not statement.needs_support
    lacks = any(not is_relied_on(card) for card in said) or not (said or says_nothing)
    refused = [
        f"[{number}]: {'the check did not find the statement in it' if number in sources else _MISSING}"
        for number in written
        if number not in quoted
    ]
    return StatementDraft(
        text=text,
        citations=tuple(quoted),
        needs_support=lacks or not cards,
        refused=(*refused, *unknown),
        unjudged=not cards or any(card.verdict is None or card.unreliable for card in said),
        written=(*written, *(0 for _ in unknown)),
    )


_SHORT = 2  # words
_MISSING = "there is no such source"


def _numbers(named: Sequence[NamedTriple], sources: Sequence[GivenSource]) -> list[int]:
    """Returns the numbers of the sources that brackets in free text name."""
    return [source.number for citation in named for source in sources if _is_named(citation, source)]


def _unknown(citation: NamedTriple) -> str:
    fact = f"{citation.relation}: {citation.value}" if citation.value else ""
    why = "there is no such triple" if citation.value else "it names no triple: write [id, relation: value]"
    return f"[{', '.join(filter(None, (citation.entity, fact)))}]: {why}"


def _is_named(citation: NamedTriple, source: GivenSource) -> bool:
    """Does the citation name the triple: by the id of its subject, or by the last part of an address?"""
    triple = source.triple
    if triple is None or not citation.value:
        return False
    id_ = triple.subject_id.lower()
    return (
        citation.entity.lower() in ("", id_, re.split(r"[/#]", id_)[-1])
        and relation_words(citation.relation) == relation_words(triple.relation)
        and name_key(citation.value) in map(name_key, value_forms(triple.object))
    )
