"""Checks the citations of a text: finds the source that each names, and reads its sentence beside it."""

import asyncio
import re
from collections import defaultdict
from collections.abc import Callable, Coroutine, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any, NamedTuple, TypeVar
from urllib.parse import unquote, urldefrag

from rarr.agent.evidence import evidence_of
from rarr.components import Components, KeepsText
from rarr.ledger.card_reading import Kept, read_cards
from rarr.ledger.card_report import is_relied_on
from rarr.ledger.excerpts import merged
from rarr.records import Evidence, Notice, Passage
from rarr.records.card import Card
from rarr.records.citations import CitationCheck, CitationState
from rarr.retrievers.fetch.cached_page_passages import passages_of
from rarr.retrievers.given_passages import GivenPassages
from rarr.retrievers.web.nearest_passages import nearest
from rarr.state import State, failure
from rarr.tools.concurrency import work
from rarr.tools.models.run_budget import meter
from rarr.tools.text.blocks_and_sentences import Span
from rarr.tools.text.citation_marks import CitationMark, has_words, source_entries

Made = TypeVar("Made")

_SCHEME = re.compile(r"\A(?:https?:)?//(?:www\.)?", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_ADDRESS = re.compile(r"https?://(?:\([^\s<>()]*\)|[^\s<>()\]])+(?<![.,;:!?])")
"""An address, with pairs of brackets but without marks behind it."""
_PASSAGES = 5
"""The passages of a cited source that are read for a sentence."""


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

    @property
    def place(self) -> Span:
        return Span(self.card.start, self.card.end)


async def check_citations(
    cited: CitedText, marks: Sequence[CitationMark], sources: "CitedSources", components: Components
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
    alone, notices = await _read(cited, list(by_source.values()), components)
    together, later = await _read(cited, _undecided(resolved, alone), components)
    checks = await work(lambda: [_check(cited, each, [*alone, *together], marks) for each in resolved])
    return checks, [*(each.problem for each in resolved if each.problem), *notices, *later]


async def _read(
    cited: CitedText, groups: Sequence[Sequence[_Resolved]], components: Components
) -> tuple[list[_Reading], list[Notice]]:
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
    return readings, notices


def _undecided(resolved: Sequence[_Resolved], readings: Sequence[_Reading]) -> list[list[_Resolved]]:
    """Returns the citations of each sentence with several sources, none of which supports it alone."""
    done = {it.place for it in readings if is_relied_on(it.card)}
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
    cited: CitedText, mark: CitationMark, target: str, number: int, sources: "CitedSources"
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
    query_id = f"c{number}"
    evidence = [evidence_of(it, f"{query_id}.{n}", query_id) for n, it in enumerate(passages, start=1)]
    usable = [passage for passage in evidence if not passage.suspicious]
    if evidence and not usable:
        why = f"a passage of {evidence[0].source} is not used: {evidence[0].suspicious}"
        notice = Notice(code="suspicious_evidence", message=f"{message}: {why}", node="cite")
        return _Resolved(mark, target, (), notice)
    excerpts, _ = await work(merged, usable)
    return _Resolved(mark, target, excerpts)


def _check(
    cited: CitedText, citation: _Resolved, readings: Sequence[_Reading], marks: Sequence[CitationMark]
) -> CitationCheck:
    mark, evidence = citation.mark, {passage.id: passage for passage in citation.evidence or ()}
    own = [it for it in readings if it.place == mark.sentence and evidence.keys() & it.evidence]
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
    sentence, place = mark.sentence, mark.place
    before = [it.place.end for it in marks if it.sentence == sentence and it.place.end <= place.start]
    clause = Span(max([sentence.start, *before]), place.start)
    around = (text[sentence.start : clause.start], text[place.end : sentence.end])
    return clause if has_words(clause.of(text)) and any(map(has_words, around)) else None


class CitedSources:
    """Resolves citations among the sources that `components` can search.

    `known` are passages that the run found. `given` are the passages of the call: their numbers count where
    the text has no list of its own. Each source is read once, and each query is searched for once, however
    many marks name it.
    """

    def __init__(self, components: Components, known: Sequence[Passage], given: GivenPassages | None) -> None:
        self._components, self._known, self._given = components, known, given
        self._made: dict[tuple[str, str], Any] = {}
        self._turns = defaultdict[tuple[str, str], asyncio.Lock](asyncio.Lock)

    async def passages(self, label: str, target: str, sentence: str) -> Sequence[Passage] | None:
        """Returns the passages of the cited source that are nearest to `sentence`; None: no such source.

        `label` is that of the mark, `target` the entry of the text's list or the address. Raises
        `RetrievalError` if the sources cannot be searched.
        """
        if not target:
            return await work(self._numbered, label, sentence)
        query = f"{_ADDRESS.sub(' ', target)} {PurePosixPath(_path(target)).stem}"
        retrieved = [*await self._once(self._retrieve, query), *await self._once(self._retrieve, sentence)]
        passages = await work(_named, [*self._known, *retrieved], target)
        if not passages:
            return None
        return await work(nearest, await self._whole(passages), sentence, _PASSAGES)

    async def _once(self, make: Callable[[str], Coroutine[Any, Any, Made]], key: str) -> Made:
        """Returns `make(key)`, awaited once for all sentences that need it; an error is not kept."""
        async with self._turns[make.__name__, key]:
            if (make.__name__, key) not in self._made:
                self._made[make.__name__, key] = await make(key)
            made: Made = self._made[make.__name__, key]
            return made

    async def _retrieve(self, words: str) -> Sequence[Passage]:
        k = self._components.settings.documents_per_query
        return await self._components.retriever.retrieve(words, k)

    def _numbered(self, label: str, sentence: str) -> Sequence[Passage] | None:
        sources = self._given.sources if self._given else []
        number = int(label) if label.isdecimal() else 0
        if self._given is None or not 1 <= number <= len(sources):
            return None
        return nearest(self._given.of_source(sources[number - 1]), sentence, _PASSAGES)

    async def _whole(self, passages: Sequence[Passage]) -> list[Passage]:
        """Replaces the passages of each source by all of its passages, where its whole text can be read."""
        read: list[Passage] = []
        for passage in {each.source: each for each in passages}.values():
            text = await self._once(self._text, passage.source)
            if text is None:
                read += [each for each in passages if each.source == passage.source]
            else:
                read += await work(self._cut, text, passage)
        return read

    def _cut(self, text: str, passage: Passage) -> list[Passage]:
        """Cuts `text`, the whole text of the source of `passage`, into passages."""
        return passages_of(
            text,
            source=passage.source,
            title=passage.title,
            window=self._components.settings.window,
            step=self._components.settings.step,
            retrieved_at=passage.retrieved_at,
            published_at=passage.published_at,
        )

    async def _text(self, source: str) -> str | None:
        for opened in self._components.opened:
            text = await opened.extracted(source) if isinstance(opened, KeepsText) else None
            if text is not None:
                return text
        return None


def _named(passages: Sequence[Passage], target: str) -> list[Passage]:
    """Selects the passages whose source `target` names: by address or path, else by title, else by file name.

    A passage that was found twice comes once.
    """
    distinct = list({(each.source, each.start, each.end): each for each in passages}.values())
    for names in (_has_address, _has_title, _has_file_name):
        if selected := [passage for passage in distinct if names(target, passage)]:
            return selected
    return []


def _has_address(target: str, passage: Passage) -> bool:
    if _has_whole(target, passage.source):
        return True
    return any(_path(address) == _path(passage.source) for address in _ADDRESS.findall(target))


def _has_title(target: str, passage: Passage) -> bool:
    """Does the entry have the words of the title, one after another? A link has no title.

    Beside an address, which is that of another page, the title must be a sentence or all of the entry.
    """
    title, words = (_WORD.findall(text.casefold()) for text in (passage.title, _ADDRESS.sub(" ", target)))
    if _ADDRESS.search(target):
        sentences = _ADDRESS.sub(" ", target).split(". ")
        return bool(title) and any(_WORD.findall(each.casefold()) == title for each in sentences)
    places = range(len(words) - len(title) + 1)
    return bool(title) and any(words[at : at + len(title)] == title for at in places)


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
