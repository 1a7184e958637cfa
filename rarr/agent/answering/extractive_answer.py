"""Answers without a language model: by the sentences of triples that answer a question, or of passages."""

from collections.abc import Sequence
from typing import NamedTuple

from rarr.agent.answering.answer_sources import GivenSource, QuestionSources
from rarr.agent.answering.statement_drafts import Draft
from rarr.agent.answering.triple_answer import triple_answer
from rarr.agent.wiring.resources import Resources
from rarr.backends.encoder.ranking import TrainedReranker
from rarr.backends.rules.asked_clauses import AskedClause, asked_clauses
from rarr.backends.rules.question_answers import Candidate, answers_question
from rarr.records import Passage
from rarr.settings import Settings
from rarr.tools.concurrency.worker_threads import in_thread, work
from rarr.tools.text.blocks_and_sentences import sentences


async def extractive_answer(question: str, found: QuestionSources, settings: Settings) -> list[Draft]:
    """Returns the statements of an answer, each by construction what its source says.

    Where the question asks for something that no source has, a statement says so, and needs support.
    """
    passages = [source for source in found.sources if source.triple is None]
    drafts = [] if found.graph is None else await triple_answer(question, found, settings)
    from_passages = await _of_passages(question, passages, settings) if passages else []
    if from_passages:
        drafts = [draft for draft in drafts if draft.citations]
    drafts += from_passages
    return drafts or [Draft("The sources do not answer this question.", needs_support=True)]


async def _of_passages(question: str, sources: Sequence[GivenSource], settings: Settings) -> list[Draft]:
    """Takes for each clause of the question the most relevant sentence that answers it, or tells a gap."""
    pieces = await work(_sentences, sources)
    reranker = TrainedReranker(await in_thread(lambda: Resources(settings).encoder))
    drafts = dict[str, Draft]()
    for asked in await work(asked_clauses, question):
        answering = await work(_answering, asked, pieces)
        if answering:
            best = await reranker.score(asked.words, [piece.passage for piece in answering])
            piece = max(zip(best, answering, strict=True), key=lambda scored: scored[0])[1]
            drafts.setdefault(piece.candidate.text, Draft(piece.candidate.text, (piece.number,)))
        else:
            text = f"The sources do not answer: {asked.written}"
            drafts[text] = Draft(text, needs_support=True)
    return list(drafts.values())


class _Piece(NamedTuple):
    """A sentence of a source: as a candidate, as a passage, and the number of the source."""

    candidate: Candidate
    passage: Passage
    number: int


def _answering(asked: AskedClause, pieces: Sequence[_Piece]) -> list[_Piece]:
    return [piece for piece in pieces if answers_question(asked, piece.candidate)]


def _sentences(sources: Sequence[GivenSource]) -> list[_Piece]:
    """Returns each sentence of the passages once, with the sentence before it where a passage has it."""
    found = dict[str, _Piece]()
    for source in sources:
        passage, before = source.passage, ""
        for span in sentences(passage.text):
            text = " ".join(span.of(passage.text).split())
            if text not in found or (before and not found[text].candidate.before):
                candidate = Candidate(text, before, passage.title)
                found[text] = _Piece(candidate, passage.model_copy(update={"text": text}), source.number)
            before = text
    return list(found.values())
