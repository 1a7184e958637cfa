"""Puts citations into a researched text: checks the citations that the text has, and adds new citations.

To check a citation, a reader compares the sentence with the cited source. The result is a card: a judgement.
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
from rarr.agent.runs import budget_of, usage_of
from rarr.components import Components
from rarr.errors import InputError
from rarr.ledger.card_reading import CardReading, KeptEvidence
from rarr.ledger.card_report import is_sure_support
from rarr.ledger.evidence_selection import evidence_of, merged_excerpts
from rarr.records import Evidence, Notice, Passage, Revision
from rarr.records.cards_and_edits import Card
from rarr.records.citations import CitationCheck, CitationState, Cited
from rarr.retrievers.combined import whole_text
from rarr.retrievers.corpus.chunking import cut_passages
from rarr.retrievers.given_passages import GivenPassages
from rarr.retrievers.reranking import nearest
from rarr.state import State, failure_notice
from rarr.tools.concurrency import work
from rarr.tools.models.run_budget import Meter, meter, using_meter
from rarr.tools.text.blocks_and_sentences import Span, source_entries
from rarr.tools.text.citation_marks import CitationMark, citation_marks, highest_number
from rarr.tools.text.wording import is_failure

_ORIGIN = re.compile(r"\A(?:https?:)?//(?:www\.)?([^/]*)", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_ADDRESS = re.compile(r"https?://(?:\([^\s<>()]*\)|[^\s<>()\]])+(?<![.,;:!?])")
"""A web address. It may contain pairs of brackets, and does not end with a punctuation mark."""
_MAX_PASSAGES = 5  # most passages of a cited source that are read for a sentence


def require_card_reader(components: Components) -> None:
    """Raises `InputError` if `components` rewrite whole texts, or have no reader that judges sentences."""
    if components.rewriter is not None:
        raise InputError("components with a rewriter change the text: give the usual components")
    if components.card_reader is None:
        raise InputError("sentences are read as cards here, and the preset paper has none: leave it out")


def non_editing_components(components: Components) -> Components:
    """Returns a copy of the components that makes no edits. Raises the errors of `require_card_reader`."""
    require_card_reader(components)
    return replace(components, baseline=replace(components.baseline, editor="unedited"))


async def add_citations(
    research: Revision, context: str | None, components: Components, *, mark_unsupported: bool
) -> Cited:
    """Checks the citations that the text of `research` has, and puts new citations into the text.

    The requests of the checks are added to the usage of `research`, and count against the budget of its run.
    With `mark_unsupported`, each checkable sentence without a new or a supported citation gets the mark
    `[citation needed]`. A sentence whose search or judgement failed gets no mark.
    """
    text, usage, checks = research.original, research.usage, list[CitationCheck]()
    source = getattr(components.retriever, "source", None)
    given = source if isinstance(source, GivenPassages) and not source_entries(text) else None
    if marks := await work(citation_marks, text):
        meter = Meter(budget_of(components.settings), before_s=usage.seconds, by_node=dict(usage.by_node))
        with using_meter(meter), meter.step("cite"):
            known = research.evidence
            checks, notices = await check_citations(text, context, marks, known, given, components)
        warnings = (*research.warnings, *notices, *meter.warnings)
        update = {"usage": usage_of(meter, [usage.controls]), "warnings": warnings}
        research = research.model_copy(update=update)

    def make_cited_text() -> Cited:
        unknown = {"retrieval_failed", "unjudged" if any(map(is_failure, research.warnings)) else ""}
        settled = [Span(it.sentence_start, it.sentence_end) for it in checks if it.state == "supported"]
        planned = planned_citations(research, settled)
        done = [*settled, *(Span(it.sentence.start, it.sentence.end) for it in planned)]
        every = research.report.sentences if mark_unsupported else ()
        checkable = [it for it in every if it.checkable and it.status not in unknown]
        lacking = [it for it in checkable if not any(Span(it.start, it.end).overlaps(span) for span in done)]
        listed = numbers = _numbers_in_own_list(text, research.evidence)
        if given and any(mark.label.isdecimal() for mark in marks):
            numbers = {name: given.sources.index(name) + 1 for name in given.sources}
        first = highest_number(text, marks) + 1
        return cited_text(research, planned, lacking, checks, numbers, listed, first_number=first)

    return await work(make_cited_text)


def _numbers_in_own_list(text: str, evidence: Sequence[Passage]) -> dict[str, int]:
    """Maps sources of `evidence` to their numbers in the source list of `text`, if the list names them."""
    numbers = dict[str, int]()
    for entry in (it for it in source_entries(text) if it.label.isdecimal()):
        parts = {*map(_word_key, (entry.text, *re.split(r"[.,;]\s", entry.text)))}
        named = {it.source for it in passages_of_entry(evidence, entry.text) if _word_key(it.title) in parts}
        named = named or {it.source for it in evidence if _has_whole_name(entry.text, it.source)}
        if len(named) == 1:
            numbers.setdefault(named.pop(), int(entry.label))
    return numbers


class _Citation(NamedTuple):
    """A citation of the text, with excerpts of the cited source. The text names the source as `target`."""

    mark: CitationMark
    target: str
    evidence: Sequence[Evidence] | None  # None: not found; empty: not judged
    problem: Notice | None = None  # the reason why the citation cannot be judged

    @property
    def source(self) -> str:
        return self.evidence[0].source if self.evidence else ""


_Reading = tuple[Card, Evidence | None]
"""The card of a sentence from the reading of one source, and the passage that the card quotes, or None."""


async def check_citations(
    text: str,
    context: str | None,
    marks: Sequence[CitationMark],
    known: Sequence[Passage],
    given: GivenPassages | None,
    components: Components,
) -> tuple[list[CitationCheck], list[Notice]]:
    """Judges each citation of the text. Returns a check for each of `marks`, and warnings about failures.

    `known` are passages of the run. `given` are the passages of the call; `[2]` cites their second source. A
    reader compares each sentence with each source that the sentence cites. If no source alone supports the
    sentence, the reader compares the sentence with all cited sources together.
    """
    sources, state = _SourceFinder(text, components, known, given), State(text=text, context=context)
    named = enumerate(marks, start=1)
    citations = await asyncio.gather(*(sources.find_evidence(mark, f"c{number}") for number, mark in named))
    notices = [it.problem for it in citations if it.problem]
    readings = defaultdict[tuple[Span, str], list[_Reading]](list)

    async def read(group: Sequence[_Citation]) -> None:
        """Lets the reader compare the sentences of `group` with the evidence of the citations in `group`."""
        by_place = defaultdict[Span, list[str]](list)
        for each in group:
            by_place[each.mark.sentence] += [passage.id for passage in each.evidence or ()]
        evidence, places = {it.id: it for each in group for it in each.evidence or ()}, sorted(by_place)
        kept = KeptEvidence([*evidence.values()], by_place)
        outcome = await CardReading(state, kept, components).read(places)
        notices.extend(outcome["warnings"])
        for place, card in zip(places, outcome["cards"], strict=True):
            quoted = {evidence[name].source: evidence[name] for name in reversed(card.quoted_evidence_ids)}
            for source in {evidence[name].source for name in by_place[place]}:
                readings[place, source].append((card, quoted.get(source)))

    by_source, by_sentence = defaultdict[str, list[_Citation]](list), defaultdict[Span, list[_Citation]](list)
    for each in (it for it in citations if it.evidence):
        by_source[each.source].append(each)
        by_sentence[each.mark.sentence].append(each)
    await asyncio.gather(*map(read, by_source.values()))
    done = {place for (place, _), its in readings.items() if any(is_sure_support(card) for card, _ in its)}
    several = {place: its for place, its in by_sentence.items() if len({it.source for it in its}) > 1}
    await asyncio.gather(*(read(its) for place, its in several.items() if place not in done))
    cited = Counter(each.mark.sentence for each in citations)

    def check(citation: _Citation) -> CitationCheck:
        place, names = citation.mark.sentence, {it.source for it in citation.evidence or ()}
        own = [reading for name in names for reading in readings[place, name]]
        return _judge(text, citation, own, alone=cited[place] == 1)

    return await work(lambda: list(map(check, citations))), notices


class _SourceFinder:
    """Finds the sources that a text cites. Makes each search only once, and reads each source only once."""

    def __init__(
        self, text: str, components: Components, known: Sequence[Passage], given: GivenPassages | None
    ) -> None:
        self._text, self._entries = text, {it.label: it.text for it in source_entries(text)}
        self._components, self._known, self._given = components, known, given
        self._results, self._locks = dict[Any, Any](), defaultdict[Any, asyncio.Lock](asyncio.Lock)

    async def find_evidence(self, mark: CitationMark, query_id: str) -> _Citation:
        """Returns the citation of `mark`: with unsuspicious passages of its source, or with a `problem`."""
        label, sentence = mark.label, mark.sentence.of(self._text)
        target = self._entries.get(label, "" if label.isdecimal() or label.startswith("^") else label)
        message = f"the citation {mark.place.of(self._text)} could not be judged"
        try:
            async with meter().in_time():
                found = await self._find_passages(target, sentence) if target else self._given_passages(label)
        except Exception as error:
            return _Citation(mark, target, (), failure_notice("cite", message, error))
        if not found:
            return _Citation(mark, target, None)
        close = await work(nearest, found, sentence, _MAX_PASSAGES)
        evidence = [evidence_of(it, f"{query_id}.{n}", query_id) for n, it in enumerate(close, start=1)]
        if usable := [passage for passage in evidence if not passage.suspicious]:
            return _Citation(mark, target, (await work(merged_excerpts, usable))[0])
        why = f"{message}: a passage of {evidence[0].source} is not used: {evidence[0].suspicious}"
        return _Citation(mark, target, (), Notice(code="suspicious_evidence", message=why, node="cite"))

    def _given_passages(self, label: str) -> Sequence[Passage]:
        """Returns the passages of the given source whose number is `label`; [] if there is no such source."""
        number, given = int(label) if label.isdecimal() else 0, self._given
        if given is None or not 1 <= number <= len(given.sources):
            return []
        return given.passages_of_source(given.sources[number - 1])

    async def _find_passages(self, target: str, sentence: str) -> Sequence[Passage]:
        """Searches for `target` and for `sentence`. Returns passages of the sources that `target` names.

        If a whole text is known, returns all passages of the text, else only those that were found.
        """
        settings, retriever = self._components.settings, self._components.retriever
        found, cited = list(self._known), list[Passage]()
        for query in (f"{_ADDRESS.sub(' ', target)} {PurePosixPath(_address_key(target)).stem}", sentence):
            found += await self._call_once(retriever.retrieve, query, settings.documents_per_query)
        named = await work(passages_of_entry, found, target)
        for source, passage in {each.source: each for each in named}.items():
            if (text := await self._call_once(whole_text, self._components.opened, source)) is None:
                cited += [each for each in named if each.source == source]
            else:
                whole = passage.model_copy(update={"text": text, "start": 0, "end": len(text), "lead": ()})
                cited += await work(cut_passages, whole, settings.window)
        return cited

    async def _call_once(self, call: Callable[..., Awaitable[Any]], *arguments: Any) -> Any:
        """Calls `call`, or returns the result of an earlier call with equal `arguments`. Stores no error."""
        async with self._locks[arguments]:
            if arguments not in self._results:
                self._results[arguments] = await call(*arguments)
            return self._results[arguments]


def _judge(text: str, citation: _Citation, readings: Sequence[_Reading], *, alone: bool) -> CitationCheck:
    """Judges a citation by `readings`: each has a card (a judgement of the sentence) and the quoted passage.

    If the source supports only a part of the sentence, the citation is `unjudged`. But the citation is
    `not_supported` if the sentence has no other citation (`alone`), and words before the mark lack support.
    """
    mark, evidence = citation.mark, citation.evidence
    quoting, silent = [it for it in readings if it[1]], mark.place.start if alone else -1
    says = next((passage for card, passage in quoting if is_sure_support(card)), None)
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


def passages_of_entry(passages: Sequence[Passage], target: str) -> list[Passage]:
    """Returns each passage whose source is named in `target`, which is an entry of a source list.

    Compares addresses or paths, then titles, then file names. The first comparison that matches decides. In
    an entry with an address, a title must be a whole sentence, because the entry may cite another page.
    """
    distinct = {(each.source, each.start, each.end): each for each in passages}.values()
    addresses = set(map(_address_key, _ADDRESS.findall(target)))
    lines = map(_word_key, _ADDRESS.sub(" ", target).split(". "))
    titles: Container[str] = set(lines) if addresses else _word_key(target)

    def has_title(passage: Passage) -> bool:
        words = _word_key(passage.title)
        return bool(words.strip()) and words in titles

    def has_address(passage: Passage) -> bool:
        return _has_whole_name(target, passage.source) or _address_key(passage.source) in addresses

    def has_file_name(passage: Passage) -> bool:
        name = PurePosixPath(_address_key(passage.source)).name.casefold()
        is_file = "." in name and not _ADDRESS.match(passage.source)
        return is_file and _has_whole_name(_address_key(target).casefold(), name, not_behind=r"\w./-")

    ways = (has_address, has_title, has_file_name)
    return next(filter(None, ([*filter(way, distinct)] for way in ways)), [])


def _word_key(text: str) -> str:
    return f" {' '.join(_WORD.findall(text.casefold()))} "


def _has_whole_name(target: str, name: str, not_behind: str = r"\w.-") -> bool:
    """Tells whether `target` has `name` as a whole name. No sign of `not_behind` may stand before `name`."""
    whole = rf"(?<![{not_behind}]){re.escape(name)}(?![\w/-]|[.?&=%~+]\w)"
    return re.search(whole, target) is not None


def _address_key(address: str) -> str:
    """Returns the address without scheme, `www.`, escapes, fragment and final slash, for comparisons."""
    bare = urldefrag(address).url if "://" in address else address
    return unquote(_ORIGIN.sub(lambda it: it[1].lower(), bare)).rstrip("/.")
