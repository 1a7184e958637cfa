"""Measures a judge of attribution on claims that are made from questions with answers, as AttrScore does.

Yue et al. 2023, section 4.1.2: of each question, answer and passage that contains the answer,

A  attributable    the three as they are
B  contradictory   another answer of the same kind in place of the answer
C  contradictory   another answer of the same kind in place of the answer in the passage
D  extrapolatory   another passage, which BM25 finds for the question and which has no right answer
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import BaseModel

from rarr.backends.embedded.items import items_of
from rarr.evals import run_folder
from rarr.evals.benchmarks.report import (
    BenchmarkClaim,
    BenchmarkReport,
    Judged,
    Options,
    ScoreTable,
    benchmark_folder,
    digest,
    errors_of,
    judged_claims,
    published,
    sampled,
    source_rows,
)  # fmt: skip
from rarr.evals.metrics.statistics import Measured, share
from rarr.evals.rows import Row, RowEvidence
from rarr.evals.verified_claims import claim_scores
from rarr.records import AttributionClass, Passage
from rarr.retrievers.corpus.index_building import Progress
from rarr.retrievers.web.nearest_passages import nearest
from rarr.settings import Settings

QUESTIONS, CORPUS = "dev/retrieval/quotesum.jsonl", "dev/retrieval/wiki_passages_corpus.jsonl"
COMMAND = "rarr bench attrscore"
Construction = Literal["A", "B", "C", "D"]
CLASS_OF: dict[Construction, AttributionClass] = {
    "A": "attributable", "B": "contradictory", "C": "contradictory", "D": "extrapolatory",
}  # fmt: skip
_SHOWN = ("accuracy", "attributable_f1", "contradictory_f1", "extrapolatory_f1", "micro_f1", "macro_f1")
_INTERROGATIVE = re.compile(r"\b(?:who|whose|when|where|why|how|which|what)\b", re.IGNORECASE)
_LEAST = 3  # an answer is of the kind of its values if they have a third of its characters
_NEVER = datetime.fromtimestamp(0, UTC)


class QuotedPassage(BaseModel):
    """A passage of QuoteSum, with the answer that it gives to the question; empty if it gives none."""

    title: str = ""
    text: str
    short_answer: str = ""


class QuoteSumRow(Row):
    """A question of QuoteSum (Schuster et al. 2023) with its passages."""

    question: str
    passages: tuple[QuotedPassage, ...]


class CorpusPassage(Row):
    """A passage among which BM25 finds one for the extrapolatory claims, "D"."""

    title: str = ""
    text: str


class AnsweredQuestion(NamedTuple):
    """A question with an answer that stands in the passage. `answers` are all right answers, this one too."""

    id: str
    question: str
    answer: str
    passage: RowEvidence
    answers: tuple[str, ...]


def bench_attrscore(
    data: str | Path,
    out: str | Path,
    *,
    settings: Settings | None = None,
    options: Options | None = None,
    on_row: Progress | None = None,
) -> BenchmarkReport:
    """Makes right and wrong claims from QuoteSum in the folder `data`, judges them, and reports to `out`.

    The same call continues an interrupted run. Raises `InputError` for missing data before anything is spent.
    """
    settings, options, path = settings or Settings(), options or Options(), Path(out)
    asked = answered_questions(source_rows(Path(data), QUESTIONS, QuoteSumRow))
    passages = source_rows(Path(data), CORPUS, CorpusPassage)
    corpus = [RowEvidence(text=each.text, title=each.title) for each in passages]
    claims = sampled(simulated(asked, corpus))
    with benchmark_folder(path, COMMAND, digest(str(claims)), settings):
        judged = judged_claims(claims, path, COMMAND, settings, options, on_row)
        report = BenchmarkReport(
            benchmark="AttrScore",
            counts={"questions": len(claims) // 4, "claims": len(claims)},
            tables=(
                ScoreTable(
                    title="three classes, and right labels by construction",
                    rows={judge: _scores(pairs) for judge, pairs in judged.items()},
                    is_published=True,
                ),
            ),
            published=published("attrscore"),
            **errors_of(judged),
        )
        run_folder.finish(path, report)
    return report


def _scores(judged: Judged) -> dict[str, Measured]:
    """A missing label counts as wrong, unless the judgement failed: then the claim is not judged."""
    hits: dict[str, list[bool | None]] = {}
    for claim, row in judged:
        right = None if row.error else row.label == claim.label
        hits.setdefault(claim.groups["construction"], []).append(right)
    scores = claim_scores([row for _, row in judged]).three_way
    return {name: scores[name] for name in _SHOWN if name in scores} | {
        name: share(hits[name]) for name in sorted(hits)
    }


def answered_questions(rows: Sequence[QuoteSumRow]) -> list[AnsweredQuestion]:
    """Pairs each question with each of its passages that contains the short answer given for it.

    A pair of the same question and text comes once.
    """
    answers = dict[str, set[str]]()
    for row in rows:
        given = {passage.short_answer for passage in row.passages if passage.short_answer}
        answers.setdefault(row.question, set()).update(given)
    pairs = dict[tuple[str, str], AnsweredQuestion]()
    for row in rows:
        for number, passage in enumerate(row.passages, start=1):
            if passage.short_answer and contains(passage.text, passage.short_answer):
                asked = AnsweredQuestion(
                    f"{row.id}/{number}",
                    row.question,
                    passage.short_answer,
                    RowEvidence(text=passage.text, title=passage.title),
                    tuple(sorted(answers[row.question])),
                )
                pairs.setdefault((row.question, passage.text), asked)
    return list(pairs.values())


def simulated(
    questions: Sequence[AnsweredQuestion], corpus: Sequence[RowEvidence]
) -> Iterator[BenchmarkClaim]:
    """Yields four claims for each question and passage; none for a question that lacks one of the four.

    The wrong answer belongs to another question, is of the same kind and does not stand in the passage. The
    choice depends on the id of the question alone.
    """
    own = dict[str, set[str]]()
    for each in questions:
        own.setdefault(each.question, set()).add(each.passage.text)
    found = dict[str, RowEvidence | None]()
    for each in questions:
        other = other_answer(each, questions)
        if each.question not in found:
            found[each.question] = _other_passage(each, corpus, own[each.question])
        unrelated = found[each.question]
        if other is None or unrelated is None:
            continue
        changed = RowEvidence(
            text=_exchanged(each.passage.text, each.answer, other),
            title=_exchanged(each.passage.title, each.answer, other),
        )
        yield _claim(each, "A", each.answer, each.passage)
        yield _claim(each, "B", other, each.passage)
        yield _claim(each, "C", each.answer, changed)
        yield _claim(each, "D", each.answer, unrelated)


def other_answer(asked: AnsweredQuestion, questions: Sequence[AnsweredQuestion]) -> str | None:
    """Chooses the wrong answer for a question, of the same kind of value; None if there is none.

    Answers to questions with the same interrogative are taken first, and of these such with as many words.
    """
    kind, wanted = answer_kind(asked.answer), _form(asked)
    passage = f"{asked.passage.title}\n{asked.passage.text}"
    candidates = [
        each
        for each in questions
        if answer_kind(each.answer) == kind
        and not contains(passage, each.answer)
        and not any(contains(each.answer, right) or contains(right, each.answer) for right in asked.answers)
    ]

    def order(candidate: AnsweredQuestion) -> tuple[bool, bool, str]:
        interrogative, words = _form(candidate)
        drawn = digest(f"{asked.id}\n{candidate.answer}")
        return interrogative != wanted[0], words != wanted[1], drawn

    best = min(candidates, key=order, default=None)
    return None if best is None else best.answer


def _form(asked: AnsweredQuestion) -> tuple[str, int]:
    """Returns the first interrogative of a question, "" without any, and the words of its answer."""
    asks = _INTERROGATIVE.search(asked.question)
    return asks[0].lower() if asks else "", len(asked.answer.split())


def answer_kind(answer: str) -> str:
    """Returns the kind of value that most of an answer belongs to; "words" if too little belongs to any."""
    lengths = Counter[str]()
    for item in items_of(answer):
        if item.value or answer[item.start].isupper():
            lengths[item.value.kind if item.value else "name"] += item.end - item.start
    kind, length = max(lengths.items(), key=lambda pair: pair[1], default=("words", 0))
    return "words" if _LEAST * length < len(answer) else kind


def contains(text: str, words: str) -> bool:
    """Do the words stand in the text, as whole words and in whatever case?"""
    return _place(words).search(text) is not None


def _exchanged(text: str, answer: str, other: str) -> str:
    return _place(answer).sub(lambda _: other, text)


def _place(words: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(words)}(?!\w)", re.IGNORECASE)


def _other_passage(
    asked: AnsweredQuestion, corpus: Sequence[RowEvidence], own: set[str]
) -> RowEvidence | None:
    """Returns the passage that BM25 ranks first among those that have no right answer and are not in `own`.

    None if there is no such passage.
    """
    pieces = [
        piece
        for piece in corpus
        if piece.text not in own
        and not any(contains(f"{piece.title}\n{piece.text}", right) for right in asked.answers)
    ]
    texts = [f"{piece.title}\n{piece.text}" for piece in pieces]
    passages = [
        Passage(text=text, source=str(number), start=0, end=len(text), retrieved_at=_NEVER)
        for number, text in enumerate(texts)
    ]
    best = nearest(passages, asked.question, 1)
    return pieces[int(best[0].source)] if best else None


def _claim(
    asked: AnsweredQuestion, construction: Construction, answer: str, passage: RowEvidence
) -> BenchmarkClaim:
    label = CLASS_OF[construction]
    return BenchmarkClaim(
        id=f"{asked.id}/{construction}",
        claim=answer,
        question=asked.question,
        evidence=(passage,),
        label=label,
        supported=label == "attributable",
        groups={"construction": construction},
    )
