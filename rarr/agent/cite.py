"""Puts citations into a text after its research: checks those that it has, and adds those that it lacks.

The sentence of each citation is read as a card beside the source that the citation names.
"""

import asyncio
import re
from collections import defaultdict
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any, NamedTuple
from urllib.parse import unquote, urldefrag

from rarr.agent.marks import cited_text, planned_citations
from rarr.agent.runs import budget_of, usage_of, using
from rarr.components import Components, KeepsText
from rarr.errors import InputError
from rarr.ledger.card_reading import Kept, read_cards
from rarr.ledger.card_report import is_relied_on
from rarr.ledger.excerpts import merged
from rarr.records import Evidence, Notice, Passage, Revision
from rarr.records.card import Card, Place
from rarr.records.citations import CitationCheck, CitationState, Cited
from rarr.retrievers.corpus.chunking import cut
from rarr.retrievers.given_passages import GivenPassages
from rarr.retrievers.rerank.overlap import nearest
from rarr.state import State, failure
from rarr.tools.concurrency import work
from rarr.tools.guard.injection import suspicion
from rarr.tools.models.run_budget import Meter, meter
from rarr.tools.text.blocks_and_sentences import Span
from rarr.tools.text.citation_marks import (
    CitationMark,
    citation_marks,
    highest_number,
    source_entries,
    source_list_places,
)
from rarr.tools.text.wording import is_failure

_SCHEME = re.compile(r"\A(?:https?:)?//(?:www\.)?", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_ADDRESS = re.compile(r"https?://(?:\([^\s<>()]*\)|[^\s<>()\]])+(?<![.,;:!?])")
"""An address, with pairs of brackets but without marks behind it."""
_PASSAGES = 5
"""The passages of a cited source that are read for a sentence."""


def evidence_of(passage: Passage, name: str, query_id: str = "") -> Evidence:
    """Makes evidence of a passage, with the reason if it seems to speak to a language model."""
    why = suspicion(f"{passage.title}\n{passage.text}")
    facts = passage.model_dump(include=set(Passage.model_fields))
    return Evidence(**facts, id=name, query_id=query_id, relevance=1.0, suspicious=why)


def require_cards(components: Components) -> None:
    """Raises `InputError` for components that rewrite or read no cards."""
    if components.rewriter is not None:
        raise InputError("components with a rewriter change the text: give the usual components")
    if components.card_reader is None:
        raise InputError("sentences are read as cards here, and the preset paper has none: leave it out")


def without_edits(components: Components) -> Components:
    """Returns the components with edits left out. Raises `InputError` if they do not read cards."""
    require_cards(components)
    return replace(components, baseline=replace(components.baseline, editor="unedited"))


async def cited(
    research: Revision, context: str | None, components: Components, *, mark_unsupported: bool
) -> Cited:
    """Checks the citations that the text of `research` has, and puts new ones into it.

    The requests of the checks count in the usage of `research`, and within the budget of its run. With
    `mark_unsupported`, sentences with something to check that have no citation get a mark too, but for those
    whose search or judgement failed.
    """
    text, usage, checks = research.original, research.usage, list[CitationCheck]()
    marks = await work(citation_marks, text)
    source = getattr(components.retriever, "source", None)
    given = source if isinstance(source, GivenPassages) and not source_entries(text) else None
    if marks:
        meter = Meter(budget_of(components.settings), before_s=usage.seconds, by_node=dict(usage.by_node))
        with using(meter), meter.step("cite"):
            checked = check_citations(text, context, marks, research.evidence, given, components)
            checks, notices = await checked
        warnings = (*research.warnings, *notices, *meter.warnings)
        update = {"usage": usage_of(meter, [usage.controls]), "warnings": warnings}
        research = research.model_copy(update=update)
    failed = any(is_failure(notice) for notice in research.warnings)
    unknown = ("retrieval_failed", "unjudged") if failed else ("retrieval_failed",)

    def made() -> Cited:
        right = [Span(it.sentence_start, it.sentence_end) for it in checks if it.state == "supported"]
        settled = [*source_list_places(text), *right]
        planned = planned_citations(research, settled)
        done = {citation.sentence.start for citation in planned}
        lacking = [
            it
            for it in research.report.sentences
            if mark_unsupported and it.checkable and it.start not in done and it.status not in unknown
            if not any(Span(it.start, it.end).overlaps(span) for span in settled)
        ]
        numbers = dict[str, int]()
        if given and any(mark.label.isdecimal() for mark in marks):
            for number, name in enumerate(given.sources, start=1):
                numbers.setdefault(name, number)
        first = highest_number(text, marks) + 1
        return cited_text(research, planned, lacking, checks, numbers=numbers, first_number=first)

    return await work(made)


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


_Reading = tuple[Card, frozenset[str]]
"""The card of a sentence, and the ids of the evidence beside which it was read."""


async def check_citations(
    text: str,
    context: str | None,
    marks: Sequence[CitationMark],
    known: Sequence[Passage],
    given: GivenPassages | None,
    components: Components,
) -> tuple[list[CitationCheck], list[Notice]]:
    """Judges each citation of the text. Returns a check for each of `marks`, and notices about failures.

    `known` are passages that the run found. `given` are the passages of the call: their numbers count where
    the text has no list of its own. Each sentence is read as a card beside each source that it cites. Where
    no source says all of it, it is read once more beside all of its sources.
    """
    state, readings, notices = State(text=text, context=context), list[_Reading](), list[Notice]()
    sources, entries = _Sources(components, known, given), {it.label: it.text for it in source_entries(text)}
    resolved = await asyncio.gather(
        *(_resolved(text, mark, entries, f"c{number}", sources) for number, mark in enumerate(marks, start=1))
    )

    async def read(group: Sequence[_Resolved]) -> None:
        """Reads the sentences of the group beside the evidence of their citations in this group alone."""
        evidence, by_place = dict[str, Evidence](), defaultdict[Span, list[str]](list)
        for each in group:
            evidence |= each.evidence or {}
            by_place[each.mark.sentence] += each.evidence or ()
        places = sorted(by_place)
        outcome = await read_cards(state, places, Kept(list(evidence.values()), by_place), components)
        notices.extend(outcome.notices)
        beside = (frozenset(by_place[place]) for place in places)
        readings.extend(zip(outcome.cards, beside, strict=True))

    by_source, by_sentence = defaultdict[str, list[_Resolved]](list), defaultdict[Span, list[_Resolved]](list)
    for each in resolved:
        if each.evidence:
            by_source[each.source].append(each)
            by_sentence[each.mark.sentence].append(each)
    await asyncio.gather(*map(read, by_source.values()))
    done = {Span(card.start, card.end) for card, _ in readings if is_relied_on(card)}
    undecided = [
        group
        for place, group in by_sentence.items()
        if place not in done and len({each.source for each in group}) > 1
    ]
    await asyncio.gather(*map(read, undecided))
    checks = await work(lambda: [_check(text, each, readings) for each in resolved])
    return checks, [*(each.problem for each in resolved if each.problem), *notices]


async def _resolved(
    text: str, mark: CitationMark, entries: Mapping[str, str], query_id: str, sources: "_Sources"
) -> _Resolved:
    """Finds the passages of the cited source; suspicious ones are left out. A failure becomes a notice."""
    label, message = mark.label, f"the citation {mark.place.of(text)} could not be judged"
    target = entries.get(label, "" if label.isdecimal() or label.startswith("^") else label)
    try:
        async with meter().in_time():
            named = await sources.passages(label, target, mark.sentence.of(text))
    except Exception as error:
        return _Resolved(mark, target, {}, failure("cite", message, error))
    if not named:
        return _Resolved(mark, target, None)
    close = await work(nearest, named, mark.sentence.of(text), _PASSAGES)
    evidence = [evidence_of(it, f"{query_id}.{n}", query_id) for n, it in enumerate(close, start=1)]
    usable = [passage for passage in evidence if not passage.suspicious]
    if not usable:
        why = f"a passage of {evidence[0].source} is not used: {evidence[0].suspicious}"
        notice = Notice(code="suspicious_evidence", message=f"{message}: {why}", node="cite")
        return _Resolved(mark, target, {}, notice)
    excerpts, _ = await work(merged, usable)
    return _Resolved(mark, target, {excerpt.id: excerpt for excerpt in excerpts})


class _Sources:
    """Finds cited sources among those that `components` can search.

    Each query is searched for once, and each source read once, however many marks name it.
    """

    def __init__(self, components: Components, known: Sequence[Passage], given: GivenPassages | None) -> None:
        self._components, self._known, self._given = components, known, given
        most = components.settings.documents_per_query
        self._search = _once(lambda query: components.retriever.retrieve(query, most))
        self._read = _once(self._extracted)

    async def passages(self, label: str, target: str, sentence: str) -> Sequence[Passage]:
        """Returns the passages of the cited sources; of those whose text can be read, all passages.

        `label` is the label of the mark, `target` the entry of the text's list or the address. Raises
        `RetrievalError` if the sources cannot be searched.
        """
        if not target:
            number, given = int(label) if label.isdecimal() else 0, self._given
            is_given = given is not None and 1 <= number <= len(given.sources)
            return given.of_source(given.sources[number - 1]) if given and is_given else []
        query = f"{_ADDRESS.sub(' ', target)} {PurePosixPath(_path(target)).stem}"
        searched = [*await self._search(query), *await self._search(sentence)]
        named, found = await work(named_passages, [*self._known, *searched], target), list[Passage]()
        for source, passage in {each.source: each for each in named}.items():
            if (text := await self._read(source)) is None:
                found += [each for each in named if each.source == source]
            else:
                whole = passage.model_copy(update={"text": text, "start": 0, "end": len(text), "lead": ()})
                found += await work(cut, whole, self._components.settings.window)
        return found

    async def _extracted(self, source: str) -> str | None:
        for opened in self._components.opened:
            if isinstance(opened, KeepsText) and (text := await opened.extracted(source)) is not None:
                return text
        return None


def _once(make: Callable[[str], Coroutine[Any, Any, Any]]) -> Callable[[str], Coroutine[Any, Any, Any]]:
    """Makes the function that awaits `make` once for a key; an error is not kept."""
    made, turns = dict[str, Any](), defaultdict[str, asyncio.Lock](asyncio.Lock)

    async def once(key: str) -> Any:
        async with turns[key]:
            if key not in made:
                made[key] = await make(key)
            return made[key]

    return once


def _check(text: str, citation: _Resolved, readings: Sequence[_Reading]) -> CitationCheck:
    """Judges a citation: `not_supported` only if no card beside its source quotes it for a part."""
    mark, evidence = citation.mark, citation.evidence or {}
    own = [
        card
        for card, beside in readings
        if Span(card.start, card.end) == mark.sentence and beside & evidence.keys()
    ]
    quoting = [card for card in own if evidence.keys() & set(card.cited)]
    card = next((card for card in quoting if is_relied_on(card)), None)
    unread = not own or citation.problem or any(it.verdict is None or it.unreliable for it in own)
    partly = [it for it in quoting if it.verdict == "open" and mark.sentence not in map(_span, it.open)]
    fault: CitationState = "unjudged" if unread or partly else "not_supported"
    quoted = [name for name in card.cited if name in evidence] if card else list(evidence)
    return CitationCheck(
        text=mark.place.of(text),
        start=mark.place.start,
        end=mark.place.end,
        target=citation.target,
        sentence_start=mark.sentence.start,
        sentence_end=mark.sentence.end,
        state="supported" if card else "source_not_found" if citation.evidence is None else fault,
        passage=evidence[quoted[0]] if quoted else None,
    )


def _span(place: Place) -> Span:
    return Span(place.start, place.end)


def named_passages(passages: Sequence[Passage], target: str) -> list[Passage]:
    """Selects the passages whose source `target` names: by address or path, else by title, else by file name.

    A passage that was found twice comes once.
    """
    distinct = list({(each.source, each.start, each.end): each for each in passages}.values())
    for names in (_has_address, _has_title, _has_file_name):
        if selected := [passage for passage in distinct if names(target, passage)]:
            return selected
    return []


def _has_address(target: str, passage: Passage) -> bool:
    addresses = map(_path, _ADDRESS.findall(target))
    return _has_whole(target, passage.source) or _path(passage.source) in addresses


def _has_title(target: str, passage: Passage) -> bool:
    """Has the entry the words of the title, one after another?

    An address in the entry belongs to another page here, so the title must be a sentence of the entry.
    """
    title, rest = _words(passage.title), _ADDRESS.sub(" ", target)
    if rest != target:
        return title != "  " and title in map(_words, rest.split(". "))
    return title != "  " and title in _words(target)


def _words(text: str) -> str:
    return f" {' '.join(_WORD.findall(text.casefold()))} "


def _has_file_name(target: str, passage: Passage) -> bool:
    name = PurePosixPath(_path(passage.source)).name.casefold()
    if "." not in name or _ADDRESS.match(passage.source):
        return False
    return _has_whole(_path(target).casefold(), name, not_behind=r"\w./-")


def _has_whole(target: str, name: str, not_behind: str = r"\w.-") -> bool:
    """Does the entry have the name or address, and not as a piece of a longer name or address?

    `not_behind` are characters that may not stand before it. A longer path may end with an address.
    """
    whole = rf"(?<![{not_behind}]){re.escape(name)}(?![\w/-]|[.?&=%~+]\w)"
    return re.search(whole, target) is not None


def _path(address: str) -> str:
    """Returns the address without its scheme, its fragment and a slash at the end, and without escapes."""
    return unquote(_SCHEME.sub("", urldefrag(address).url if "://" in address else address)).rstrip("/.")
