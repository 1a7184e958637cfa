"""Answers without a language model: by the sentences of triples that answer a question, or of passages."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from rarr.agent.answering.answer_sources import GivenSource, QuestionSources
from rarr.agent.answering.statement_drafts import distinct_drafts, gap_draft
from rarr.backends.rules.asked_clauses import AskedClause, asked_clauses
from rarr.backends.rules.question_answers import Candidate, answers_question
from rarr.components import Reranker
from rarr.records import Passage
from rarr.records.answers import PartAnswer, StatementDraft
from rarr.tools.concurrency.worker_threads import work
from rarr.tools.text.blocks_and_sentences import sentences


async def extractive_answer(
    question: str, found: QuestionSources, parts: Sequence[PartAnswer], reranker: Reranker
) -> list[StatementDraft]:
    """Returns the statements of an answer, each by construction what its source says.

    `parts` is what the graph says. Where a part of the question asks for something that no source has, one
    statement says so, and needs support.
    """
    passages = [source for source in found.sources if source.triple is None]
    quotes = await _quotes(question, passages, reranker) if passages else {}
    parts = [part.model_copy(update={"text": _clause_of(part.text, quotes)}) for part in parts]
    text_by_number = {source.number: source.passage.text for source in found.sources}
    told = [
        StatementDraft(text=text_by_number[number], citations=(number,))
        for part in parts
        for number in part.triples
    ]
    answered = {part.text for part in parts if part.triples}
    gaps = [
        gap
        for part in parts
        for gap in part.gaps
        if not quotes.get(part.text) and (part.text in answered or part.text not in quotes)
    ]
    gaps += [
        f"The sources do not answer: {text}"
        for text, quote in quotes.items()
        if quote is None and text not in answered
    ]
    drafts = distinct_drafts([*told, *filter(None, quotes.values())])
    drafts += map(gap_draft, dict.fromkeys(gaps))
    return drafts or [gap_draft("The sources do not answer this question.")]


def _clause_of(part: str, clauses: Iterable[str]) -> str:
    """Returns the clause that has this part, such as "the height" of "the height, the age"; else the part."""
    return min((clause for clause in clauses if part in clause), key=len, default=part)


async def _quotes(
    question: str, sources: Sequence[GivenSource], reranker: Reranker
) -> dict[str, StatementDraft | None]:
    """Takes for each clause of the question the most relevant sentence that answers it; None for none."""
    pieces = await work(_sentences, sources)
    quotes = dict[str, StatementDraft | None]()
    for asked in await work(asked_clauses, question):
        # A second "and when?" is told by the words of its own question.
        clause = asked.words if asked.written in quotes else asked.written
        quotes[clause] = None
        if answering := await work(_answering, asked, pieces):
            scores = await reranker.score(asked.words, [piece.passage for piece in answering])
            best = max(zip(scores, answering, strict=True), key=lambda scored: scored[0])[1]
            quotes[clause] = StatementDraft(text=best.candidate.text, citations=(best.number,))
    return quotes


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
