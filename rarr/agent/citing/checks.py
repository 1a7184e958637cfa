"""Checks the citations of a text: reads the sentence of each as a card beside the source that it names."""

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rarr.agent.citing.cited_sources import CitedSources
from rarr.agent.evidence import evidence_of
from rarr.components import Components
from rarr.ledger.card_reading import Kept, read_cards
from rarr.ledger.card_report import is_relied_on
from rarr.ledger.excerpts import merged
from rarr.records import Evidence, Notice
from rarr.records.card import Card
from rarr.records.citations import CitationCheck, CitationState
from rarr.state import State, failure
from rarr.tools.concurrency import work
from rarr.tools.models.run_budget import meter
from rarr.tools.text.blocks_and_sentences import Span
from rarr.tools.text.citation_marks import CitationMark, has_words, source_entries


class _Resolved(NamedTuple):
    """A citation with the excerpts of its source by their ids; `evidence` is None without a source.

    `problem` tells why passages of the source cannot be judged.
    """

    mark: CitationMark
    target: str
    evidence: Mapping[str, Evidence] | None
    problem: Notice | None = None

    @property
    def source(self) -> str:
        return next((passage.source for passage in (self.evidence or {}).values()), "")


class _Reading(NamedTuple):
    """The card of a sentence that was read beside the evidence with these ids."""

    card: Card
    evidence: frozenset[str]


async def check_citations(
    text: str,
    context: str | None,
    marks: Sequence[CitationMark],
    sources: CitedSources,
    components: Components,
) -> tuple[list[CitationCheck], list[Notice]]:
    """Judges each citation of the text. Returns a check for each of `marks`, and notices about failures.

    Each sentence is read as a card beside each source that it cites. Where no source says all of it, it is
    read once more beside all of its sources.
    """
    state = State(text=text, context=context)
    entries = {entry.label: entry.text for entry in source_entries(text)}
    resolved = await asyncio.gather(
        *(_resolved(text, mark, entries, f"c{number}", sources) for number, mark in enumerate(marks, start=1))
    )
    by_source, by_sentence = defaultdict[str, list[_Resolved]](list), defaultdict[Span, list[_Resolved]](list)
    for each in resolved:
        if each.evidence:
            by_source[each.source].append(each)
            by_sentence[each.mark.sentence].append(each)
    alone, notices = await _read(state, list(by_source.values()), components)
    done = {Span(it.card.start, it.card.end) for it in alone if is_relied_on(it.card)}
    undecided = [
        group
        for place, group in by_sentence.items()
        if place not in done and len({each.source for each in group}) > 1
    ]
    together, later = await _read(state, undecided, components)
    checks = await work(lambda: [_check(text, each, [*alone, *together], marks) for each in resolved])
    return checks, [*(each.problem for each in resolved if each.problem), *notices, *later]


async def _resolved(
    text: str, mark: CitationMark, entries: Mapping[str, str], query_id: str, sources: CitedSources
) -> _Resolved:
    """Finds the passages of the cited source; suspicious ones are left out. A failure becomes a notice."""
    label, message = mark.label, f"the citation {mark.place.of(text)} could not be judged"
    target = entries.get(label, "" if label.isdecimal() or label.startswith("^") else label)
    try:
        async with meter().in_time():
            passages = await sources.passages(label, target, mark.sentence.of(text))
    except Exception as error:
        return _Resolved(mark, target, {}, failure("cite", message, error))
    if passages is None:
        return _Resolved(mark, target, None)
    evidence = [evidence_of(it, f"{query_id}.{n}", query_id) for n, it in enumerate(passages, start=1)]
    usable = [passage for passage in evidence if not passage.suspicious]
    if evidence and not usable:
        why = f"a passage of {evidence[0].source} is not used: {evidence[0].suspicious}"
        notice = Notice(code="suspicious_evidence", message=f"{message}: {why}", node="cite")
        return _Resolved(mark, target, {}, notice)
    excerpts, _ = await work(merged, usable)
    return _Resolved(mark, target, {excerpt.id: excerpt for excerpt in excerpts})


async def _read(
    state: State, groups: Sequence[Sequence[_Resolved]], components: Components
) -> tuple[list[_Reading], list[Notice]]:
    """Reads the sentences of each group beside the evidence of their citations in this group alone."""
    readings, notices = list[_Reading](), list[Notice]()

    async def read(group: Sequence[_Resolved]) -> None:
        evidence, by_place = dict[str, Evidence](), defaultdict[Span, list[str]](list)
        for each in group:
            evidence |= each.evidence or {}
            by_place[each.mark.sentence] += each.evidence or ()
        places = sorted(by_place)
        outcome = await read_cards(state, places, Kept(list(evidence.values()), by_place), components)
        notices.extend(outcome.notices)
        for place, card in zip(places, outcome.cards, strict=True):
            readings.append(_Reading(card, frozenset(by_place[place])))

    await asyncio.gather(*map(read, groups))
    return readings, notices


def _check(
    text: str, citation: _Resolved, readings: Sequence[_Reading], marks: Sequence[CitationMark]
) -> CitationCheck:
    mark, evidence = citation.mark, citation.evidence or {}
    own = [
        it.card
        for it in readings
        if Span(it.card.start, it.card.end) == mark.sentence and it.evidence & evidence.keys()
    ]
    quoting = [card for card in own if evidence.keys() & set(card.cited)]
    clause = _clause(text, mark, marks)
    whole = next((card for card in quoting if is_relied_on(card)), None)
    part = next((card for card in quoting if clause and _confirms(card, clause)), None)
    card = whole or part
    quoted = [name for name in card.cited if name in evidence] if card else list(evidence)
    return CitationCheck(
        text=mark.place.of(text),
        start=mark.place.start,
        end=mark.place.end,
        target=citation.target,
        sentence_start=mark.sentence.start,
        sentence_end=mark.sentence.end,
        state="supported" if card else _state(citation, own),
        part=whole is None and part is not None,
        passage=evidence[quoted[0]] if quoted else None,
    )


def _state(citation: _Resolved, own: Sequence[Card]) -> CitationState:
    """Tells why a citation is not supported."""
    if citation.evidence is None:
        return "source_not_found"
    was_read = own and not any(card.verdict is None or card.unreliable for card in own)
    return "not_supported" if was_read and not citation.problem else "unjudged"


def _confirms(card: Card, clause: Span) -> bool:
    """Does the card leave no word of the clause open or wrong?"""
    if card.unreliable or not (card.verdict == "open" or (card.verdict == "no" and card.edits)):
        return False
    return not any(clause.overlaps(Span(it.start, it.end)) for it in (*card.open, *card.edits))


def _clause(text: str, mark: CitationMark, marks: Sequence[CitationMark]) -> Span | None:
    """Returns the words between the mark and the mark before it; None if these are the whole sentence."""
    sentence, place = mark.sentence, mark.place
    before = [it.place.end for it in marks if it.sentence == sentence and it.place.end <= place.start]
    clause = Span(max([sentence.start, *before]), place.start)
    around = (text[sentence.start : clause.start], text[place.end : sentence.end])
    return clause if has_words(clause.of(text)) and any(map(has_words, around)) else None
