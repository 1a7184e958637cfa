"""Puts citations into a text after its research: checks those that it has, and adds those that it lacks."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import get_args

from rarr.agent.citing.citation_insertion import cited_text
from rarr.agent.citing.citation_planning import planned_citations
from rarr.agent.citing.citation_resolution import CitedSources
from rarr.agent.citing.citation_verification import CitedText, check_citations
from rarr.agent.final_revision import budget_of, usage_of
from rarr.backends.rules.baseline_components import NoEditor
from rarr.components import Components
from rarr.errors import InputError
from rarr.records import Revision, Sentence
from rarr.records.citations import CitationCheck, CitationPlace, CitationStyle, Cited
from rarr.retrievers.given_passages import GivenPassages
from rarr.tools.concurrency.worker_threads import work
from rarr.tools.models.run_budget import METER, Meter, ModelCall, Tally
from rarr.tools.text.blocks_and_sentences import Span
from rarr.tools.text.citation_marks import (
    CitationMark,
    citation_marks,
    highest_number,
    source_entries,
    source_list_places,
)

_LACKING = ("contradicted", "unconfirmed", "no_evidence")
"""The statuses that `mark_unsupported` marks. A search or judgement that failed is no finding."""


def without_edits(components: Components) -> Components:
    """Returns the components with an editor that edits nothing. Raises `InputError` if they rewrite."""
    if components.rewriter is not None:
        raise InputError("components with a rewriter change the text: cite with the usual components")
    baseline = replace(components.baseline, editor="unedited")
    return replace(components, editor=NoEditor(), baseline=baseline)


@dataclass(frozen=True)
class CitationRun:
    """The options of citing one text. Raises `InputError` for an unknown style or place."""

    style: CitationStyle = "numbered"
    place: CitationPlace = "sentence"
    mark_unsupported: bool = False

    def __post_init__(self) -> None:
        choices = {"style": get_args(CitationStyle), "place": get_args(CitationPlace)}
        for name, known in choices.items():
            if (value := getattr(self, name)) not in known:
                raise InputError(f"{name} is {value!r}: give one of {', '.join(map(repr, known))}")

    async def cited(
        self,
        research: Revision,
        context: str | None,
        components: Components,
        on_call: Callable[[ModelCall], None] | None = None,
    ) -> Cited:
        """Checks the citations that the text of `research` has, and puts new ones into it.

        The requests of the checks count in the usage of `research`, and within the budget of its run.
        """
        marks = await work(citation_marks, research.original)
        checks: list[CitationCheck] = []
        if marks:
            research, checks = await _checked(research, context, marks, components, on_call)
        return await work(self._put_in, research, context, marks, checks, _given(components))

    def _put_in(
        self,
        research: Revision,
        context: str | None,
        marks: Sequence[CitationMark],
        checks: Sequence[CitationCheck],
        given: GivenPassages | None,
    ) -> Cited:
        text = research.original
        right = [Span(c.sentence_start, c.sentence_end) for c in checks if c.state == "supported"]
        settled = [*source_list_places(text), *right]
        numbers: dict[str, int] = {}
        if given and any(mark.label.isdecimal() for mark in marks) and not source_entries(text):
            for number, source in enumerate(given.sources, start=1):
                numbers.setdefault(source, number)
        return cited_text(
            research,
            planned_citations(research, context, self.place, settled),
            _lacking(research, settled) if self.mark_unsupported else [],
            checks,
            style=self.style,
            numbers=numbers,
            first_number=highest_number(text, marks) + 1,
        )


async def _checked(
    research: Revision,
    context: str | None,
    marks: Sequence[CitationMark],
    components: Components,
    on_call: Callable[[ModelCall], None] | None,
) -> tuple[Revision, list[CitationCheck]]:
    """Checks the citations of the text within what the research left of the budget.

    Returns the checks, and before them the research with their usage and warnings added.
    """
    usage = research.usage
    spent = {node: Tally(**tally.model_dump()) for node, tally in usage.by_node.items()}
    meter = Meter(budget_of(components.settings), on_call, before_s=usage.seconds, by_node=spent)
    given = None if source_entries(research.original) else _given(components)
    sources = CitedSources(components, research.evidence, given)
    token = METER.set(meter)
    try:
        with meter.step("cite"):
            text = CitedText(research.original, context)
            checks, notices = await check_citations(text, marks, sources, components)
    finally:
        METER.reset(token)
    warnings = (*research.warnings, *notices, *meter.warnings)
    return research.model_copy(update={"usage": usage_of(meter), "warnings": warnings}), checks


def _given(components: Components) -> GivenPassages | None:
    """Returns the passages of the call, if these alone are searched, else None."""
    source = getattr(components.retriever, "source", None)
    return source if isinstance(source, GivenPassages) else None


def _lacking(research: Revision, settled: Sequence[Span]) -> list[Sentence]:
    """Returns the sentences with a part to check that evidence contradicts or does not confirm.

    Sentences at the places in `settled` are left out.
    """
    return [
        sentence
        for sentence in research.report.sentences
        if sentence.parts
        and sentence.status in _LACKING
        and not any(Span(sentence.start, sentence.end).overlaps(span) for span in settled)
    ]
