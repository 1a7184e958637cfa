"""Judges by the verifier and the ledger which passages support the statements of an answer."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rarr.agent.answering.answer_sources import QuestionSources
from rarr.agent.answering.answer_text import AnswerText, may_be_about
from rarr.components import Components
from rarr.ledger.citation_support import Judged, Judgements, confirming_passages, judged_citations
from rarr.records import Evidence, Notice
from rarr.tools.concurrency.worker_threads import work
from rarr.tools.text.blocks_and_sentences import Span


class PassageSupport(NamedTuple):
    """The support of a statement by passages, by their numbers.

    `supporting` support a sentence of it, alone or together. `unjudged` could not be judged. `rest` are the
    places of the sentences that no passage supports.
    """

    supporting: tuple[int, ...]
    unjudged: tuple[int, ...]
    rest: tuple[Span, ...]

    def joined(self, others: "PassageSupport") -> "PassageSupport":
        """Joins what cited passages support with what `others` do, which were asked about the rest."""
        supporting = dict.fromkeys((*self.supporting, *others.supporting))
        return PassageSupport(tuple(supporting), self.unjudged + others.unjudged, others.rest)


async def support_by_cited(
    answer: AnswerText, cited: Mapping[int, Sequence[int]], found: QuestionSources, components: Components
) -> tuple[dict[int, PassageSupport], list[Notice]]:
    """Judges the cited passages of the statements: `cited` has their numbers by the number of a statement.

    A sentence is supported by each passage that supports it alone, else by all that confirm it together.
    """
    places = {n: answer.sentences[n] for n in cited}
    judged, evidence, notices = await _judged(answer, places, cited, found, components)
    threshold = components.settings.support_threshold
    supports = {}
    for n, spans in places.items():
        able = dict[Span, Sequence[int]]()
        for span in spans:
            of_sentence = {number: judged[span, _name(number)] for number in cited[n]}
            able[span] = [number for number, each in of_sentence.items() if each.entails] or await work(
                _together, answer, span, of_sentence, evidence, threshold
            )
        supports[n] = _support(able, cited[n], judged)
    return supports, notices


async def support_by_others(
    answer: AnswerText,
    others: Mapping[int, Sequence[int]],
    rest: Mapping[int, Sequence[Span]],
    found: QuestionSources,
    components: Components,
) -> tuple[dict[int, PassageSupport], list[Notice]]:
    """Finds for each sentence at the places of `rest` the one passage of `others` that supports it best."""
    judged, _, notices = await _judged(answer, rest, others, found, components)
    supports = {}
    for n, spans in rest.items():
        able = dict[Span, Sequence[int]]()
        for span in spans:
            of_sentence = {number: judged[span, _name(number)] for number in others[n]}
            entailing = [number for number, each in of_sentence.items() if each.entails]
            able[span] = sorted(entailing, key=lambda number: -(of_sentence[number].support or 0.0))[:1]
        supports[n] = _support(able, others[n], judged)
    return supports, notices


async def _judged(
    answer: AnswerText,
    places: Mapping[int, Sequence[Span]],
    numbers: Mapping[int, Sequence[int]],
    found: QuestionSources,
    components: Components,
) -> tuple[Judgements, dict[str, Evidence], list[Notice]]:
    evidence = {
        _name(source.number): Evidence(
            **source.passage.model_dump(), id=_name(source.number), query_id="", relevance=1.0
        )
        for source in found.sources
        if source.triple is None
    }
    pairs = defaultdict[str, list[Span]](list)
    for n, chosen in numbers.items():
        for number in chosen:
            pairs[_name(number)] += places[n]
    judged, notices = await judged_citations(answer.text, pairs, evidence, components, answer.question)
    for (span, name), each in judged.items():
        if each.entails and not await work(may_be_about, answer, span, evidence[name]):
            judged[span, name] = Judged(False, 0.0)
    return judged, evidence, notices


def _together(
    answer: AnswerText,
    span: Span,
    judged: Mapping[int, Judged],
    evidence: Mapping[str, Evidence],
    threshold: float,
) -> list[int]:
    supports = {_name(number): each.support for number, each in judged.items()}
    names = confirming_passages(answer.text, answer.question, span, supports, evidence, threshold)
    return [number for number in judged if _name(number) in names]


def _support(
    able: Mapping[Span, Sequence[int]], numbers: Sequence[int], judged: Judgements
) -> PassageSupport:
    return PassageSupport(
        supporting=tuple(dict.fromkeys(number for chosen in able.values() for number in chosen)),
        unjudged=tuple(
            number for number in numbers if any(judged[span, _name(number)].entails is None for span in able)
        ),
        rest=tuple(span for span, chosen in able.items() if not chosen),
    )


def _name(number: int) -> str:
    return f"s{number}"
