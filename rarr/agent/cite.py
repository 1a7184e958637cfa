"""Puts citations into a text after its research: checks those that it has, and adds those that it lacks.

The sentence of each citation is read as a card beside the source that the citation names.
"""

import asyncio
import re
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Container, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any, NamedTuple
from urllib.parse import unquote, urldefrag

from rarr.agent.marks import cited_text, planned_citations
from rarr.agent.runs import budget_of, usage_of, using
from rarr.components import Components
from rarr.errors import InputError
from rarr.ledger.card_reading import KeptEvidence, read_cards
from rarr.ledger.card_report import is_relied_on
from rarr.ledger.evidence_selection import evidence_of, merged_excerpts
from rarr.records import Evidence, Notice, Passage, Revision
from rarr.records.cards_and_edits import Card
from rarr.records.citations import CitationCheck, CitationState, Cited
from rarr.retrievers.combined import whole_text
from rarr.retrievers.corpus.chunking import cut_passages
from rarr.retrievers.given_passages import GivenPassages
from rarr.retrievers.reranking import nearest
from rarr.state import State, failure
from rarr.tools.concurrency import work
from rarr.tools.models.run_budget import Meter, meter
from rarr.tools.text.blocks_and_sentences import Span, source_entries
from rarr.tools.text.citation_marks import CitationMark, citation_marks, highest_number
from rarr.tools.text.wording import is_failure

_SCHEME = re.compile(r"\A(?:https?:)?//(?:www\.)?", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_ADDRESS = re.compile(r"https?://(?:\([^\s<>()]*\)|[^\s<>()\]])+(?<![.,;:!?])")
"""An address, with pairs of brackets but without marks behind it."""
_PASSAGES = 5  # passages of a cited source that are read for a sentence


def require_cards(components: Components) -> None:
    """Raises `InputError` for components that rewrite or read no cards."""
    if components.rewriter is not None:
        raise InputError("components with a rewriter change the text: give the usual components")
    if components.card_reader is None:
        raise InputError("sentences are read as cards here, and the preset paper has none: leave it out")


def unedited(components: Components) -> Components:
    """Returns components that edit nothing. Raises `InputError` for those that rewrite or read no cards."""
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
    source = getattr(components.retriever, "source", None)
    given = source if isinstance(source, GivenPassages) and not source_entries(text) else None
    if marks := await work(citation_marks, text):
        meter = Meter(budget_of(components.settings), before_s=usage.seconds, by_node=dict(usage.by_node))
        with using(meter), meter.step("cite"):
            known = research.evidence
            checks, notices = await check_citations(text, context, marks, known, given, components)
        warnings = (*research.warnings, *notices, *meter.warnings)
        update = {"usage": usage_of(meter, [usage.controls]), "warnings": warnings}
        research = research.model_copy(update=update)

    def made() -> Cited:
        unknown = {"retrieval_failed", "unjudged" if any(map(is_failure, research.warnings)) else ""}
        settled = [Span(it.sentence_start, it.sentence_end) for it in checks if it.state == "supported"]
        planned = planned_citations(research, settled)
        done = [*settled, *(Span(it.sentence.start, it.sentence.end) for it in planned)]
        every = research.report.sentences if mark_unsupported else ()
        checkable = [it for it in every if it.checkable and it.status not in unknown]
        lacking = [it for it in checkable if not any(Span(it.start, it.end).overlaps(span) for span in done)]
        listed = numbers = _own_numbers(text, research.evidence)
        if given and any(mark.label.isdecimal() for mark in marks):
            numbers = {name: given.sources.index(name) + 1 for name in given.sources}
        first = highest_number(text, marks) + 1
        return cited_text(research, planned, lacking, checks, numbers, listed, first_number=first)

    return await work(made)


def _own_numbers(text: str, evidence: Sequence[Passage]) -> dict[str, int]:
    """Maps each source to the number of the entry of the text's own list that has its title or file alone."""
    numbers = dict[str, int]()
    for entry in (it for it in source_entries(text) if it.label.isdecimal()):
        parts = {*map(_words, (entry.text, *re.split(r"[.,;]\s", entry.text)))}
        named = {it.source for it in named_passages(evidence, entry.text) if _words(it.title) in parts}
        named = named or {it.source for it in evidence if _has_whole(entry.text, it.source)}
        if len(named) == 1:
            numbers.setdefault(named.pop(), int(entry.label))
    return numbers


class _Resolved(NamedTuple):
    """A citation with the excerpts of its source; `evidence` is None without a source.

    `problem` tells why passages of the source cannot be judged.
    """

    mark: CitationMark
    target: str
    evidence: Sequence[Evidence] | None
    problem: Notice | None = None

    @property
    def source(self) -> str:
        return self.evidence[0].source if self.evidence else ""


_Reading = tuple[Card, Evidence | None]
"""The card of a sentence that was read beside a source, with the passage of the source that it quotes."""


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
    sources, state = _Sources(text, components, known, given), State(text=text, context=context)
    named = enumerate(marks, start=1)
    resolved = await asyncio.gather(*(sources.resolved(mark, f"c{number}") for number, mark in named))
    notices = [it.problem for it in resolved if it.problem]
    readings = defaultdict[tuple[Span, str], list[_Reading]](list)

    async def read(group: Sequence[_Resolved]) -> None:
        """Reads the sentences of the group beside the evidence of their citations in this group alone."""
        by_place = defaultdict[Span, list[str]](list)
        for each in group:
            by_place[each.mark.sentence] += [passage.id for passage in each.evidence or ()]
        evidence, places = {it.id: it for each in group for it in each.evidence or ()}, sorted(by_place)
        outcome = await read_cards(state, places, KeptEvidence([*evidence.values()], by_place), components)
        notices.extend(outcome["warnings"])
        for place, card in zip(places, outcome["cards"], strict=True):
            quoted = {evidence[name].source: evidence[name] for name in reversed(card.cited)}
            for source in {evidence[name].source for name in by_place[place]}:
                readings[place, source].append((card, quoted.get(source)))

    by_source, by_sentence = defaultdict[str, list[_Resolved]](list), defaultdict[Span, list[_Resolved]](list)
    for each in (it for it in resolved if it.evidence):
        by_source[each.source].append(each)
        by_sentence[each.mark.sentence].append(each)
    await asyncio.gather(*map(read, by_source.values()))
    done = {place for (place, _), its in readings.items() if any(is_relied_on(card) for card, _ in its)}
    several = {place: its for place, its in by_sentence.items() if len({it.source for it in its}) > 1}
    await asyncio.gather(*(read(its) for place, its in several.items() if place not in done))
    cited = Counter(each.mark.sentence for each in resolved)

    def checked(citation: _Resolved) -> CitationCheck:
        place, names = citation.mark.sentence, {it.source for it in citation.evidence or ()}
        own = [reading for name in names for reading in readings[place, name]]
        return _check(text, citation, own, alone=cited[place] == 1)

    return await work(lambda: list(map(checked, resolved))), notices


class _Sources:
    """Finds the sources that a text cites among those that `components` can search.

    Each query is searched for once, and each source read once, however many marks name it.
    """

    def __init__(
        self, text: str, components: Components, known: Sequence[Passage], given: GivenPassages | None
    ) -> None:
        self._text, self._entries = text, {it.label: it.text for it in source_entries(text)}
        self._components, self._known, self._given = components, known, given
        self._made, self._turns = dict[Any, Any](), defaultdict[Any, asyncio.Lock](asyncio.Lock)

    async def resolved(self, mark: CitationMark, query_id: str) -> _Resolved:
        """Finds the passages of the cited source but suspicious ones. A failure becomes a notice."""
        label, sentence = mark.label, mark.sentence.of(self._text)
        target = self._entries.get(label, "" if label.isdecimal() or label.startswith("^") else label)
        message = f"the citation {mark.place.of(self._text)} could not be judged"
        try:
            async with meter().in_time():
                found = await self._named(target, sentence) if target else self._numbered(label)
        except Exception as error:
            return _Resolved(mark, target, (), failure("cite", message, error))
        if not found:
            return _Resolved(mark, target, None)
        close = await work(nearest, found, sentence, _PASSAGES)
        evidence = [evidence_of(it, f"{query_id}.{n}", query_id) for n, it in enumerate(close, start=1)]
        if usable := [passage for passage in evidence if not passage.suspicious]:
            return _Resolved(mark, target, (await work(merged_excerpts, usable))[0])
        why = f"{message}: a passage of {evidence[0].source} is not used: {evidence[0].suspicious}"
        return _Resolved(mark, target, (), Notice(code="suspicious_evidence", message=why, node="cite"))

    def _numbered(self, label: str) -> Sequence[Passage]:
        """Returns the passages of the given source of this number; none for another label."""
        number, given = int(label) if label.isdecimal() else 0, self._given
        if given is None or not 1 <= number <= len(given.sources):
            return []
        return given.passages_of_source(given.sources[number - 1])

    async def _named(self, target: str, sentence: str) -> Sequence[Passage]:
        """Returns the passages of the sources that `target` names; where a text can be read, all of them."""
        settings, retriever = self._components.settings, self._components.retriever
        found, cited = list(self._known), list[Passage]()
        for query in (f"{_ADDRESS.sub(' ', target)} {PurePosixPath(_path(target)).stem}", sentence):
            found += await self._once(retriever.retrieve, query, settings.documents_per_query)
        named = await work(named_passages, found, target)
        for source, passage in {each.source: each for each in named}.items():
            if (text := await self._once(whole_text, self._components.opened, source)) is None:
                cited += [each for each in named if each.source == source]
            else:
                whole = passage.model_copy(update={"text": text, "start": 0, "end": len(text), "lead": ()})
                cited += await work(cut_passages, whole, settings.window)
        return cited

    async def _once(self, call: Callable[..., Awaitable[Any]], *arguments: Any) -> Any:
        """Awaits a call once for its arguments; an error is not kept."""
        async with self._turns[arguments]:
            if arguments not in self._made:
                self._made[arguments] = await call(*arguments)
            return self._made[arguments]


def _check(text: str, citation: _Resolved, readings: Sequence[_Reading], *, alone: bool) -> CitationCheck:
    """Judges a citation by the readings of its sentence beside its source.

    A source that says a part of the sentence is not judged: another citation, or nobody, may say the rest.
    Behind the mark of a source that the sentence cites `alone`, it may be silent.
    """
    mark, evidence = citation.mark, citation.evidence
    quoting, silent = [it for it in readings if it[1]], mark.place.start if alone else -1
    says = next((passage for card, passage in quoting if is_relied_on(card)), None)
    is_read = readings and all(card.verdict and not card.unreliable for card, _ in readings)
    in_part = any(
        card.verdict == "yes" or (card.verdict == "open" and all(it.start > silent for it in card.open))
        for card, _ in quoting
        if not any((it.start, it.end) == mark.sentence for it in card.open)
    )
    fault: CitationState = "unjudged" if in_part or not is_read else "not_supported"
    return CitationCheck(
        text=mark.place.of(text),
        **mark.place._asdict(),
        target=citation.target,
        sentence_start=mark.sentence.start,
        sentence_end=mark.sentence.end,
        state="source_not_found" if evidence is None else "supported" if says else fault,
        passage=says or next(iter(evidence or ()), None),
    )


def named_passages(passages: Sequence[Passage], target: str) -> list[Passage]:
    """Selects the passages whose source `target` names: by address or path, else by title, else by file name.

    A passage that was found twice comes once. An address in the entry belongs to another page here, so that
    a title must then be a sentence of the entry.
    """
    distinct = {(each.source, each.start, each.end): each for each in passages}.values()
    addresses = set(map(_path, _ADDRESS.findall(target)))
    lines = map(_words, _ADDRESS.sub(" ", target).split(". "))
    titles: Container[str] = set(lines) if addresses else _words(target)

    def has_title(passage: Passage) -> bool:
        words = _words(passage.title)
        return bool(words.strip()) and words in titles

    def has_address(passage: Passage) -> bool:
        return _has_whole(target, passage.source) or _path(passage.source) in addresses

    def has_file_name(passage: Passage) -> bool:
        name = PurePosixPath(_path(passage.source)).name.casefold()
        is_file = "." in name and not _ADDRESS.match(passage.source)
        return is_file and _has_whole(_path(target).casefold(), name, not_behind=r"\w./-")

    ways = (has_address, has_title, has_file_name)
    return next(filter(None, ([*filter(way, distinct)] for way in ways)), [])


def _words(text: str) -> str:
    return f" {' '.join(_WORD.findall(text.casefold()))} "


def _has_whole(target: str, name: str, not_behind: str = r"\w.-") -> bool:
    """Does the entry have the name or address, and not as a piece of a longer name or address?

    `not_behind` are characters that may not stand before it. A longer path may end with an address.
    """
    whole = rf"(?<![{not_behind}]){re.escape(name)}(?![\w/-]|[.?&=%~+]\w)"
    return re.search(whole, target) is not None


def _path(address: str) -> str:
    """Returns the address without its scheme, its fragment and a slash at the end, and without escapes."""
    return unquote(_SCHEME.sub("", urldefrag(address).url if "://" in address else address)).rstrip("/.")
