"""Wraps the embedded models, which read only English, so that they skip text in other languages.

Each class wraps one component and warns, once a run, of the languages that the component did not judge.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Protocol

from rarr.components import AgreementChecker, Classifier, Lacking, QueryGenerator, ReadsAlone, Verifier
from rarr.records import Agreement, AttributionClass, Evidence, Query, Question
from rarr.tools.concurrency.worker_threads import work
from rarr.tools.models.run_budget import meter
from rarr.tools.text.blocks_and_sentences import Span
from rarr.tools.text.non_english_detection import foreign_language, foreign_sentences

CODE = "not_english"
"""The code of the warning that something was not judged for its language."""
_CURE = (
    "the embedded models read English alone; a language model can judge them (model, and attribute in models)"
)


class EnglishQuestions:
    """Asks only about the sentences that are in English, and warns of the others."""

    def __init__(self, questions: QueryGenerator) -> None:
        self.embedded = questions

    async def generate(self, text: str, context: str | None) -> Sequence[Question]:
        """Asks the wrapped generator, and returns the questions about sentences in English."""
        foreign = await work(foreign_sentences, text)
        _warn("sentences that are", foreign.values())
        asked = await self.embedded.generate(text, context)
        return [question for question in asked if not _within(foreign, question)]

    async def target(self, text: str, context: str | None, lacking: Lacking) -> Sequence[Question]:
        """Asks the wrapped generator for short questions about those sentences that are in English."""
        foreign = await work(foreign_sentences, text)
        english = [span for span in lacking.spans if span not in foreign]
        return await self.embedded.target(text, context, lacking._replace(spans=english))


class EnglishChecker:
    """Checks sentences in English against evidence in English; everything else is `unknown`."""

    def __init__(self, checker: AgreementChecker) -> None:
        self.embedded = checker

    async def check(self, text: str, context: str | None, query: Query, evidence: Evidence) -> Agreement:
        """Asks the wrapped checker if sentence and evidence are in English, and else returns `unknown`.

        Raises what the checker raises.
        """
        code, foreign = await work(_foreign, text, evidence.text)
        if code:
            _warn("passages that are", [code])
            return Agreement(verdict="unknown", reason=f"the evidence is not in English ({code})")
        if _within(foreign, query):
            return Agreement(verdict="unknown", reason="the sentence is not in English")
        return await self.embedded.check(text, context, query, evidence)


class _Judge(Verifier, Classifier, ReadsAlone, Protocol): ...


class EnglishVerifier:
    """Judges sentences in English by evidence in English; other sentences get None."""

    def __init__(self, verifier: _Judge) -> None:
        self.embedded = verifier

    async def support(
        self, text: str, context: str | None, spans: Sequence[Span], evidence: Evidence
    ) -> Sequence[float | None]:
        """Asks the wrapped verifier for the support of the sentences in English; None for the others.

        None for all if the evidence is not in English. Raises what the verifier raises.
        """
        english = await _english(text, spans, evidence)
        judged = await self.embedded.support(text, context, english, evidence) if english else ()
        by_span = dict(zip(english, judged, strict=True))
        return [by_span.get(span) for span in spans]

    async def classify(
        self, text: str, context: str | None, spans: Sequence[Span], evidence: Evidence
    ) -> Sequence[AttributionClass | None]:
        """Asks the wrapped verifier for the classes of the sentences in English; None for the others.

        None for all if the evidence is not in English. Raises what the verifier raises.
        """
        english = await _english(text, spans, evidence)
        classes = await self.embedded.classify(text, context, english, evidence) if english else ()
        by_span = dict(zip(english, classes, strict=True))
        return [by_span.get(span) for span in spans]

    async def readings(self, text: str, context: str | None, spans: Sequence[Span]) -> Sequence[Hashable]:
        """Returns the readings of the wrapped verifier; None for sentences that are not in English."""
        foreign = await work(foreign_sentences, text)
        readings = await self.embedded.readings(text, context, spans)
        return [None if span in foreign else reading for span, reading in zip(spans, readings, strict=True)]


async def _english(text: str, spans: Sequence[Span], evidence: Evidence) -> list[Span]:
    """Returns the sentences of `spans` in English; none if `evidence` is not. Warns of the others."""
    code, foreign = await work(_foreign, text, evidence.text)
    if code:
        _warn("passages that are", [code])
        return []
    _warn("sentences that are", (foreign[span] for span in spans if span in foreign))
    return [span for span in spans if span not in foreign]


def _foreign(text: str, passage: str) -> tuple[str, Mapping[Span, str]]:
    """Returns the language of a passage that is not in English, and the foreign sentences of `text`.

    Both in one step: a step on the thread of the rules costs more than a look into their caches.
    """
    return foreign_language(passage), foreign_sentences(text)


def _within(foreign: Mapping[Span, str], question: Query | Question) -> bool:
    return any(span.overlaps(Span(question.start, question.end)) for span in foreign)


def _warn(subject: str, codes: Iterable[str]) -> None:
    if languages := ", ".join(sorted(set(codes))):
        meter().warn(CODE, f"{subject} not in English ({languages}) are not judged: {_CURE}")
