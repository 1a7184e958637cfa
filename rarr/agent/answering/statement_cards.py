"""Checks written statements by cards: what a source says is cited, and the rest needs support."""

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

from rarr.agent.answering.question_sources import evidence_of
from rarr.components import Components
from rarr.errors import InputError
from rarr.ledger.card_reading import Kept, read_cards
from rarr.ledger.card_report import is_relied_on
from rarr.records.answers import AnswerSource, CitedStatement, NamedTriple, StatementDraft
from rarr.records.card import Card
from rarr.retrievers.graph.triples import name_key, relation_words, value_forms
from rarr.state import State
from rarr.tools.concurrency import work
from rarr.tools.text.blocks_and_sentences import Span, sentences
from rarr.tools.text.citation_brackets import bracket_statements


async def checked_statements(
    question: str, written: Sequence[CitedStatement], found: Sequence[AnswerSource], components: Components
) -> State:
    """Has the sentences of all statements read as cards beside all sources, for the state of the run.

    A statement is supported if code relies on the card of each of its sentences that states something: which
    these are, only a language model tells. It cites what its cards quote; other citations are refused.
    """
    texts = [" ".join(statement.text.split()) for statement in written]
    places = await work(lambda: list(_sentences(texts)))
    evidence = [evidence_of(source) for source in found]
    ids = [each.id for each in evidence]
    spans = [span for group in places for span in group]
    state: State = {"text": "\n\n".join(texts), "context": question}
    read = await read_cards(state, spans, Kept(evidence, dict.fromkeys(spans, ids)), components)
    may_skip = components.card_reader is not None and components.card_reader.is_model
    cards = {Span(card.start, card.end): card for card in read.cards}
    sources = {f"s{source.number}": source for source in found}
    drafts = [
        _draft(text, statement, [cards[span] for span in group], sources, may_skip=may_skip)
        for text, statement, group in zip(texts, written, places, strict=True)
    ]
    return {"statements": drafts, "warnings": read.notices, "controls": read.controls}


def _sentences(texts: Sequence[str]) -> Iterator[list[Span]]:
    """Yields the places of the sentences of each text, where the texts are joined to paragraphs."""
    start = 0
    for text in texts:
        found = sentences(text) or [Span(0, len(text))]
        yield [Span(start + span.start, start + span.end) for span in found]
        start += len(text) + 2


def _draft(
    text: str,
    statement: CitedStatement,
    cards: Sequence[Card],
    sources: Mapping[str, AnswerSource],
    *,
    may_skip: bool,
) -> StatementDraft:
    """Makes the checked statement of its cards.

    A statement that lacks support keeps the citations that it was written with and that its cards quote for
    a part of it; where it was written without any, nothing is added.
    """
    numbers = {source.number for source in sources.values()}
    named = [(each, _numbers(each, sources.values())) for each in statement.named]
    written = dict.fromkeys([*statement.citations, *(number for _, found in named for number in found)])
    quoted = dict.fromkeys(
        sources[quote.evidence_id].number for card in cards for quote in card.quotes if quote.side == "for"
    )
    stating = [card for card in cards if not may_skip or card.verdict != "none" or card.unreliable]
    lacks = not all(is_relied_on(card) for card in stating)
    relied = {
        sources[evidence_id].number for card in cards if is_relied_on(card) for evidence_id in card.cited
    }
    citations = [number for number in quoted if number in relied or number in written]
    refused = [f"[{number}]: {_fault(number, numbers)}" for number in written if number not in citations]
    unknown = [_unknown(each) for each, found in named if not found]
    return StatementDraft(
        text=text,
        citations=tuple(citations),
        needs_support=lacks or (statement.needs_support and not citations),
        refused=(*refused, *unknown),
        unjudged=bool(sources) and any(card.verdict is None for card in cards),
        written=(*written, *(0 for _ in unknown)),
    )


def _fault(number: int, numbers: Container[int]) -> str:
    return "the check does not quote it" if number in numbers else "there is no such source"


def _unknown(named: NamedTriple) -> str:
    """Says why brackets name no source; writes them with the parts that they have."""
    fact = f"{named.relation}: {named.value}" if named.value else ""
    why = "there is no such triple" if fact else "it names no triple: write [id, relation: value]"
    return f"[{', '.join(filter(None, (named.entity, fact)))}]: {why}"


def _numbers(named: NamedTriple, sources: Iterable[AnswerSource]) -> list[int]:
    """Returns the numbers of the triples that brackets name, by the id of the subject or its last part."""
    return [
        source.number
        for source in sources
        if named.value
        and (triple := source.triple) is not None
        and named.entity.lower() in ("", *_ids(triple.subject_id.lower()))
        and relation_words(named.relation) == relation_words(triple.relation)
        and name_key(named.value) in map(name_key, value_forms(triple.value))
    ]


def _ids(id_: str) -> tuple[str, str]:
    return id_, re.split(r"[/#]", id_)[-1]


def draft_statements(draft: str) -> list[CitedStatement]:
    """Reads the sentences of a draft, each with the triples that its brackets name.

    Raises `InputError` for a draft without a sentence, such as a table, code or a mark alone.
    """
    statements = [statement for statement in bracket_statements(draft) if statement.text.strip()]
    if not statements:
        raise InputError("draft has no statement: give an answer of at least one sentence")
    return statements
