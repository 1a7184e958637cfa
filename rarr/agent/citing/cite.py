"""Puts citations into a text after its research: checks those that it has, and adds those that it lacks."""

from collections.abc import Sequence
from dataclasses import replace
from typing import get_args

from rarr.agent.citing.checks import check_citations
from rarr.agent.citing.cited_sources import CitedSources
from rarr.agent.citing.marks import NEEDED, PlannedCitation, cited_text, planned_citations
from rarr.agent.runs import budget_of, usage_of, using
from rarr.components import Components
from rarr.errors import InputError
from rarr.records import Revision, Sentence
from rarr.records.citations import CitationCheck, CitationStyle, Cited
from rarr.retrievers.given_passages import GivenPassages
from rarr.tools.concurrency import work
from rarr.tools.models.run_budget import Meter
from rarr.tools.text.blocks_and_sentences import Span
from rarr.tools.text.citation_marks import (
    CitationMark,
    citation_marks,
    has_words,
    highest_number,
    source_entries,
    source_list_places,
)
from rarr.tools.text.wording import is_failure


def without_edits(components: Components) -> Components:
    """Returns the components with edits left out. Raises `InputError` if they do not read cards."""
    if components.rewriter is not None:
        raise InputError("components with a rewriter change the text: cite with the usual components")
    if components.card_reader is None:
        raise InputError("citations are checked by cards, and the preset paper has none: leave it out")
    return replace(components, baseline=replace(components.baseline, editor="unedited"))


def require_style(style: object) -> None:
    """Raises `InputError` for an unknown style of citations."""
    if style not in (known := get_args(CitationStyle)):
        raise InputError(f"style is {style!r}: give one of {', '.join(map(repr, known))}")


async def cited(
    research: Revision,
    context: str | None,
    components: Components,
    style: CitationStyle,
    *,
    mark_unsupported: bool,
) -> Cited:
    """Checks the citations that the text of `research` has, and puts new ones into it.

    The requests of the checks count in the usage of `research`, and within the budget of its run.
    """
    text = research.original
    marks = await work(citation_marks, text)
    source = getattr(components.retriever, "source", None)
    listed = bool(source_entries(text))
    given = source if isinstance(source, GivenPassages) and not listed else None
    checks: list[CitationCheck] = []
    if marks:
        research, checks = await _checked(research, context, marks, components, given)
    numbers = dict[str, int]()
    if given and any(mark.label.isdecimal() for mark in marks):
        for number, name in enumerate(given.sources, start=1):
            numbers.setdefault(name, number)

    def made() -> Cited:
        settled = [*source_list_places(text), *_rightly_cited(text, checks)]
        planned = planned_citations(research, settled)
        lacking = _lacking(research, settled, planned) if mark_unsupported else []
        first = highest_number(text, marks) + 1
        return cited_text(
            research, planned, lacking, checks, style=style, numbers=numbers, first_number=first
        )

    return await work(made)


async def _checked(
    research: Revision,
    context: str | None,
    marks: Sequence[CitationMark],
    components: Components,
    given: GivenPassages | None,
) -> tuple[Revision, list[CitationCheck]]:
    """Checks the citations of the text within what the research left of the budget.

    Returns the checks, and before them the research with their usage and warnings added.
    """
    usage = research.usage
    meter = Meter(budget_of(components.settings), before_s=usage.seconds, by_node=dict(usage.by_node))
    sources = CitedSources(components, research.evidence, given)
    with using(meter), meter.step("cite"):
        checks, notices = await check_citations(research.original, context, marks, sources, components)
    warnings = (*research.warnings, *notices, *meter.warnings)
    update = {"usage": usage_of(meter, [usage.controls]), "warnings": warnings}
    return research.model_copy(update=update), checks


def _rightly_cited(text: str, checks: Sequence[CitationCheck]) -> list[Span]:
    """Returns the sentences for which their own citations are enough.

    One of these supports the whole sentence, or each supports the words before it, and none follow.
    """
    by_sentence: dict[Span, list[CitationCheck]] = {}
    for check in checks:
        by_sentence.setdefault(Span(check.sentence_start, check.sentence_end), []).append(check)
    return [
        sentence
        for sentence, own in by_sentence.items()
        if any(check.state == "supported" and not check.part for check in own)
        or (
            all(check.state == "supported" for check in own)
            and not has_words(text[max(check.end for check in own) : sentence.end])
        )
    ]


def _lacking(
    research: Revision, settled: Sequence[Span], planned: Sequence[PlannedCitation]
) -> list[tuple[Sentence, str]]:
    """Returns the sentences with something to check for which there is no citation, with their mark.

    Sentences at the places in `settled` are left out. So are those whose search or judgement failed.
    """
    cited = {citation.sentence.start for citation in planned}
    failed = any(is_failure(notice) for notice in research.warnings)
    unknown = ("retrieval_failed", "unjudged") if failed else ("retrieval_failed",)
    return [
        (sentence, NEEDED)
        for sentence in research.report.sentences
        if sentence.checkable
        and sentence.start not in cited
        and sentence.status not in unknown
        and not any(Span(sentence.start, sentence.end).overlaps(span) for span in settled)
    ]
