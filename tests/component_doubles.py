"""Doubles for the components of nodes: small, deterministic, each with a record of its calls.

An exception in place of a script is raised at every call, to test how a node handles failures.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from rarr.components import WRITING_NODES, Components, SearchTargets
from rarr.records import Agreement, Change, Check, Evidence, Passage, Query, Question
from rarr.settings import Settings
from rarr.testing import InMemoryRetriever
from rarr.testing.retriever import lower_words
from rarr.tools.text.blocks_and_sentences import Span


class Double:
    """Records its calls in `calls`."""

    def __init__(self, script: Any = None) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self._script = script

    def scripted(self, *call: object) -> Any:
        """Records a call, and returns the script."""
        self.calls.append(call)
        return unless_failing(self._script)


def unless_failing(script: Any) -> Any:
    """Returns a script, and raises one that is an exception."""
    if isinstance(script, Exception):
        raise script
    return script


Questions = Sequence[tuple[str, str]]


class ScriptedQueries(Double):
    """Asks the given (question, words that it is about), where the text has these words.

    `later` are the questions of later rounds, about sentences that lack support.
    """

    def __init__(self, questions: Questions | Exception = (), later: Questions | Exception = ()) -> None:
        super().__init__(questions)
        self._later = later

    async def generate(self, text: str, context: str | None) -> Sequence[Question]:
        return _questions(text, self.scripted(text, context), [Span(0, len(text))])

    async def target(self, text: str, context: str | None, lacking: SearchTargets) -> Sequence[Question]:
        return _questions(text, unless_failing(self._later), lacking.spans)


def _questions(text: str, script: Questions, spans: Sequence[Span]) -> list[Question]:
    return [
        Question(text=question, start=start, end=start + len(about))
        for question, about in script
        for start in [text.find(about, span.start, span.end) for span in spans]
        if start >= 0
    ]


class ScriptedReranker(Double):
    """Gives a passage the score of the first key in its text, and 0 without one; 1 without a script."""

    def __init__(self, scores: Mapping[str, float] | Exception | None = None) -> None:
        super().__init__({"": 1.0} if scores is None else scores)

    async def score(self, query: str, passages: Sequence[Passage]) -> Sequence[float]:
        scores = self.scripted(query, tuple(passages))
        return [next((scores[key] for key in scores if key in passage.text), 0.0) for passage in passages]


class ScriptedChecker(Double):
    """Returns the agreement of a query's text and a part of the evidence; other pairs are `unknown`.

    A disagreement becomes an agreement once the text has the `evidence_answer` in place of its `text_answer`.
    """

    async def check(self, text: str, context: str | None, query: Query, evidence: Evidence) -> Agreement:
        script = self.scripted(text, context, query, evidence) or {}
        if not isinstance(script, Mapping):
            return script(text, query, evidence)  # type: ignore[no-any-return]
        for (question, part), agreement in script.items():
            if question == query.text and part in evidence.text:
                old, new = agreement.text_answer, agreement.evidence_answer
                is_edited = agreement.verdict == "disagrees" and old and old not in text and new in text
                return Agreement(verdict="agrees", text_answer=new) if is_edited else agreement
        return Agreement(verdict="unknown", reason="the script has no answer for it")


class ScriptedEditor(Double):
    """Replaces the text's answer by the evidence's: from the start of the query's range on, else anywhere."""

    async def edit(
        self, text: str, context: str | None, query: Query, check: Check, evidence: Evidence
    ) -> Change | None:
        self.scripted(text, context, query, check, evidence)
        answer = check.text_answer
        start = max(text.find(answer, query.start), text.find(answer))
        if start < 0 or not answer:
            return None
        return Change(start=start, end=start + len(answer), new=check.evidence_answer)


class ScriptedVerifier(Double):
    """Returns the support that a function gives for a sentence and an evidence, or that of a part of it.

    Without a script, it is the share of the sentence's words that the evidence has.
    """

    async def support(
        self, text: str, context: str | None, spans: Sequence[Span], evidence: Evidence
    ) -> Sequence[float | None]:
        script = self.scripted(text, context, tuple(spans), evidence) or _shared_words
        if callable(script):
            return [script(span.of(text), evidence) for span in spans]
        return [next((script[key] for key in script if key in span.of(text)), None) for span in spans]


def _shared_words(sentence: str, evidence: Evidence) -> float | None:
    own = lower_words(sentence)
    return len(own & lower_words(evidence.text)) / len(own) if own else None


def scripted_components(**given: Any) -> Components:
    """Makes components for `Reviser(components=...)`: each that is not given is a double without a script.

    `given` are fields of `Components`, and `writer` for all nodes that write. Without a `card_reader`, the
    checker and the editor work as in the preset `paper`.
    """
    writer = given.pop("writer", None)
    parts: dict[str, Any] = {
        "settings": Settings(),
        "query_generator": ScriptedQueries(),
        "retriever": InMemoryRetriever(),
        "reranker": ScriptedReranker(),
        "checker": ScriptedChecker(),
        "editor": ScriptedEditor(),
        "verifier": ScriptedVerifier(),
        "writers": {} if writer is None else dict.fromkeys(WRITING_NODES, writer),
    }
    return Components(**parts | {name: part for name, part in given.items() if part is not None})
