"""Answers the questions of a benchmark over their graphs, and counts what the answers cite and mark."""

import asyncio
import json
import random
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from rarr.agent.answering.answer import Answerer
from rarr.agent.answering.question_sources import topic
from rarr.errors import BudgetError, ModelError
from rarr.evals.literature.benchmark_judging import digest
from rarr.evals.literature.kept_answers import KeptAnswers
from rarr.evals.metrics.triples import MarkedGaps, TripleCitations
from rarr.records.answers import Answer, Statement
from rarr.retrievers.graph.graph import Graph
from rarr.retrievers.graph.relations import sentence_of
from rarr.retrievers.graph.triples import Triple, name_key, relation_words, triple_of, value_forms
from rarr.settings import Settings
from rarr.tools.concurrency import in_thread, run


class AskedQuestion(NamedTuple):
    """A question over a graph. `minimum`: the triples that a whole answer cites; empty: not known.

    `paragraph`: a text that says exactly these; empty: not known.
    """

    id: str
    question: str
    triples: tuple[Triple, ...]
    minimum: frozenset[Triple] = frozenset()
    paragraph: str = ""


class GraphAnswerer:
    """Answers questions over graphs with the model of the settings, one after another, each once."""

    def __init__(
        self, settings: Settings, kept: KeptAnswers, on_answer: Callable[[], None] | None = None
    ) -> None:
        """`kept` has the answers of an earlier process. `on_answer` is called after each answer."""
        self._settings = settings.model_copy(update={"trace": False})
        self._kept, self._on_answer = kept, on_answer

    def answer(self, question: str, triples: Iterable[Triple], draft: str | None = None) -> Answer | None:
        """Answers over a graph, or checks a draft against it; None if the model failed for this question.

        Raises `ModelError` or `BudgetError` if it fails for several questions, one after another.
        """
        given = list(triples)
        name = digest(json.dumps([question, draft, given]))
        made = self._kept.get(name)
        if made is None:
            try:
                made = run(self._answer(question, given, draft))
                self._kept.add(name, made)
            except (ModelError, BudgetError) as error:
                self._kept.failed(name, question, error)
        if self._on_answer:
            self._on_answer()
        return made

    async def _answer(self, question: str, triples: Sequence[Triple], draft: str | None) -> Answer:
        made = self._settings.model_copy(update={"search": await asyncio.to_thread(Graph, triples)})
        async with await in_thread(lambda: Answerer(made)) as answerer:
            return await answerer.aanswer(question, draft=draft)


def cited_triples(answer: Answer) -> tuple[Triple, ...]:
    """Returns the triple of each citation of each statement, in the order of the text."""
    by_number = {source.number: source.triple for source in answer.sources}
    cited = (by_number[number] for each in answer.statements for number in each.citations)
    return tuple(triple_of(each) for each in cited if each is not None)


def citations_of(asked: AskedQuestion, answer: Answer) -> TripleCitations:
    """Returns the citations of an answer for the metrics, beside the graph of its question."""
    return TripleCitations(cited_triples(answer), frozenset(asked.triples), frozenset(asked.minimum))


def alignments(answer: Answer) -> list[bool]:
    """Tells for each citation whether its value stands in the statement, letter case ignored."""
    by_number = {source.number: source.triple for source in answer.sources}
    return [
        triple is not None and _stands(triple.value, statement.text)
        for statement in answer.statements
        for triple in (by_number[number] for number in statement.citations)
    ]


def removed(triples: Sequence[Triple], count: int, seed: str) -> list[Triple]:
    """Draws `count` triples to remove, the same for the same `seed`; all of them if there are fewer."""
    ordered = sorted(triples)
    return random.Random(seed).sample(ordered, min(count, len(ordered)))


def without(triples: Sequence[Triple], absent: Sequence[Triple]) -> list[Triple]:
    """Returns the triples but for the absent ones and their inverses, which would say the same.

    The inverse of a triple joins the same two entities: the father of a child and the child of the father.
    """
    pairs = {(triple.subject, triple.object) for triple in absent}
    return [
        triple for triple in triples if triple not in absent and (triple.object, triple.subject) not in pairs
    ]


def gaps_of(answer: Answer, absent: Sequence[Triple], before: Answer | None = None) -> MarkedGaps:
    """Tells which absent triples each `[NA]` statement tells: it has the value, or names the relation.

    Statements that the answer `before`, over the whole graph, marks as well are not counted.
    """
    known = {each.text for each in before.statements if each.needs_support} if before else set()
    marked = [each for each in answer.statements if each.needs_support and each.text not in known]
    return MarkedGaps(
        tuple(frozenset(triple for triple in absent if _tells(each, triple)) for each in marked),
        frozenset(absent),
    )


def _tells(statement: Statement, triple: Triple) -> bool:
    """Has the statement the value, or the subject with words by which a sentence tells the relation?"""
    if _stands(triple.object, statement.text):
        return True
    words = topic(sentence_of("", triple.relation, [""]))
    is_named = _stands(relation_words(triple.relation), statement.text)
    is_told = is_named or not set(words).isdisjoint(topic(statement.text))
    return is_told and _stands(triple.subject, statement.text)


def _stands(value: str, text: str) -> bool:
    keyed = f" {name_key(text)} "
    return any(f" {name_key(form)} " in keyed for form in value_forms(value) if name_key(form))
