"""Checks whether the source that the text cites supports the sentence that cites it."""

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rarr.agent.citing.citation_resolution import CitedSources
from rarr.components import Components
from rarr.ledger.card_reading import Kept, read_cards
from rarr.ledger.card_report import is_relied_on
from rarr.ledger.excerpts import merged
from rarr.records import Evidence, Notice, Passage
from rarr.records.card import Card
from rarr.records.citations import CitationCheck, CitationState
from rarr.state import State, failure
from rarr.tools.concurrency import work
from rarr.tools.guard.injection import suspicion
from rarr.tools.models.run_budget import meter
from rarr.tools.text.blocks_and_sentences import Span
from rarr.tools.text.citation_marks import CitationMark, has_words, source_entries


class CitedText(NamedTuple):
    """The text whose citations are checked, with its context."""

    text: str
    context: str | None


class _Resolved(NamedTuple):
    """A citation with the excerpts of its source; `evidence` is None without a source.

    `problem` tells why passages of the source cannot be judged.
    """

    mark: CitationMark
    target: str
    evidence: Sequence[Evidence] | None
    problem: Notice | None = None


class _Reading(NamedTuple):
    """The card of a sentence that was read beside the evidence with these ids."""

    card: Card
    evidence: frozenset[str]


async def check_citations(
    cited: CitedText, marks: Sequence[CitationMark], sources: CitedSources, components: Components
) -> tuple[list[CitationCheck], list[Notice]]:
    """Judges each citation of the text. Returns a check for each of `marks`, and notices about failures.

    Each sentence is read as a card beside each source that it cites. Where no source says all of it, it is
    read once more beside all of its sources.
    """
    entries = {entry.label: entry.text for entry in source_entries(cited.text)}
    resolved = await asyncio.gather(
        *(
            _resolved(cited, mark, _target(mark, entries), number, sources)
            for number, mark in enumerate(marks, start=1)
        )
    )
    by_source: dict[str, list[_Resolved]] = defaultdict(list)
    for each in resolved:
        if each.evidence:
            by_source[each.evidence[0].source].append(each)
    alone = await _read(cited, list(by_source.values()), components)
    together = await _read(cited, _undecided(resolved, alone.readings), components)
    readings = [*alone.readings, *together.readings]
    checks = await work(lambda: [_check(cited, each, readings, marks) for each in resolved])
    problems = [each.problem for each in resolved if each.problem]
    return checks, [*problems, *alone.notices, *together.notices]


class _Readings(NamedTuple):
    readings: list[_Reading]
    notices: list[Notice]


async def _read(cited: CitedText, groups: Sequence[Sequence[_Resolved]], components: Components) -> _Readings:
    """Reads the sentences of each group beside the evidence of their citations in this group alone."""
    state = State(text=cited.text, context=cited.context)
    readings, notices = list[_Reading](), list[Notice]()

    async def read(group: Sequence[_Resolved]) -> None:
        evidence = {passage.id: passage for each in group for passage in each.evidence or ()}
        by_place: dict[Span, list[str]] = defaultdict(list)
        for each in group:
            by_place[each.mark.sentence] += [passage.id for passage in each.evidence or ()]
        places = sorted(by_place)
        outcome = await read_cards(state, places, Kept(list(evidence.values()), by_place), components)
        notices.extend(outcome.notices)
        for place, card in zip(places, outcome.cards, strict=True):
            readings.append(_Reading(card, frozenset(by_place[place])))

    await asyncio.gather(*map(read, groups))
    return _Readings(readings, notices)


def _undecided(resolved: Sequence[_Resolved], readings: Sequence[_Reading]) -> list[list[_Resolved]]:
    """Returns the citations of each sentence with several sources, none of which supports it alone."""
    done = {Span(it.card.start, it.card.end) for it in readings if is_relied_on(it.card)}
    by_sentence: dict[Span, list[_Resolved]] = defaultdict(list)
    for each in resolved:
        if each.evidence and each.mark.sentence not in done:
            by_sentence[each.mark.sentence].append(each)
    return [
        group
        for group in by_sentence.values()
        if len({passage.source for each in group for passage in each.evidence or ()}) > 1
    ]


def _target(mark: CitationMark, entries: Mapping[str, str]) -> str:
    label = mark.label
    return entries.get(label, "" if label.isdecimal() or label.startswith("^") else label)


async def _resolved(
    cited: CitedText, mark: CitationMark, target: str, number: int, sources: CitedSources
) -> _Resolved:
    """Finds the passages of the cited source; suspicious ones are left out. A failure becomes a notice."""
    message = f"the citation {mark.place.of(cited.text)} could not be judged"
    try:
        async with meter().in_time():
            passages = await sources.passages(mark.label, target, mark.sentence.of(cited.text))
    except Exception as error:
        return _Resolved(mark, target, (), failure("cite", message, error))
    if passages is None:
        return _Resolved(mark, target, None)
    evidence = [_evidence(passage, f"c{number}", n) for n, passage in enumerate(passages, start=1)]
    usable = [passage for passage in evidence if not passage.suspicious]
    if evidence and not usable:
        why = f"a passage of {evidence[0].source} is not used: {evidence[0].suspicious}"
        notice = Notice(code="suspicious_evidence", message=f"{message}: {why}", node="cite")
        return _Resolved(mark, target, (), notice)
    excerpts, _ = await work(merged, usable)
    return _Resolved(mark, target, excerpts)


def _evidence(passage: Passage, query_id: str, number: int) -> Evidence:
    facts = passage.model_dump(include=set(Passage.model_fields))
    why = suspicion(f"{passage.title}\n{passage.text}")
    return Evidence(**facts, id=f"{query_id}.{number}", query_id=query_id, relevance=0.0, suspicious=why)


def _check(
    cited: CitedText, citation: _Resolved, readings: Sequence[_Reading], marks: Sequence[CitationMark]
) -> CitationCheck:
    mark, evidence = citation.mark, {passage.id: passage for passage in citation.evidence or ()}
    own = [
        it
        for it in readings
        if Span(it.card.start, it.card.end) == mark.sentence and evidence.keys() & it.evidence
    ]
    whole = next((it for it in own if is_relied_on(it.card) and evidence.keys() & set(it.card.cited)), None)
    clause = _clause(cited.text, mark, marks)
    part = next((it for it in own if clause and _confirms(it.card, clause, evidence)), None)
    reading = whole or part
    quoted = (name for name in reading.card.cited if name in evidence) if reading else iter(evidence)
    return CitationCheck(
        text=mark.place.of(cited.text),
        start=mark.place.start,
        end=mark.place.end,
        target=citation.target,
        sentence_start=mark.sentence.start,
        sentence_end=mark.sentence.end,
        state=_state(citation, own, is_supported=reading is not None),
        part=whole is None and part is not None,
        passage=evidence.get(next(quoted, "")),
    )


def _state(citation: _Resolved, own: Sequence[_Reading], *, is_supported: bool) -> CitationState:
    if citation.evidence is None:
        return "source_not_found"
    if is_supported:
        return "supported"
    cards = [reading.card for reading in own]
    read = bool(cards) and not any(card.verdict is None or card.unreliable for card in cards)
    return "unjudged" if citation.problem or not read else "not_supported"


def _confirms(card: Card, clause: Span, evidence: Mapping[str, Evidence]) -> bool:
    """Does the card quote this source, and leave no word of the clause open or wrong?"""
    if card.verdict not in ("open", "no") or card.unreliable or not any(it in evidence for it in card.cited):
        return False
    if card.verdict == "no" and not card.edits:
        return False
    return not any(clause.overlaps(Span(it.start, it.end)) for it in (*card.open, *card.edits))


def _clause(text: str, mark: CitationMark, marks: Sequence[CitationMark]) -> Span | None:
    """Returns the words between the mark and the mark before it; None if these are the whole sentence."""
    before = [
        other.place.end
        for other in marks
        if other.sentence == mark.sentence and other.place.end <= mark.place.start
    ]
    clause = Span(max([mark.sentence.start, *before]), mark.place.start)
    is_whole = not has_words(text[mark.sentence.start : clause.start]) and not has_words(
        text[mark.place.end : mark.sentence.end]
    )
    return None if is_whole or not has_words(clause.of(text)) else clause
