"""Measures a judge of attribution on claims that are made from questions with answers, as AttrScore does."""

from pathlib import Path

from pydantic import BaseModel

from rarr.evals.literature.benchmark_judging import (
    JudgeScores,
    JudgingOptions,
    common_scores,
    judged_claims,
    paired_rows,
    write_report,
)
from rarr.evals.literature.published import ATTRSCORE, PublishedFigures
from rarr.evals.literature.simulated_claims import AnsweredQuestion, contains, simulated
from rarr.evals.literature.source_rows import SourceRow, source_rows
from rarr.evals.metrics import Measured, share
from rarr.evals.rows import RowEvidence
from rarr.records import Record
from rarr.retrievers.corpus.index_building import Progress
from rarr.settings import Settings

QUESTIONS, CORPUS = "dev/retrieval/quotesum.jsonl", "dev/retrieval/wiki_passages_corpus.jsonl"


class QuotedPassage(BaseModel):
    """A passage of QuoteSum, with the answer that it gives to the question."""

    title: str
    text: str
    short_answer: str


class QuoteSumRow(SourceRow):
    """A question of QuoteSum (Schuster et al. 2023) with its passages."""

    question: str
    passages: tuple[QuotedPassage, ...]


class CorpusPassage(SourceRow):
    """A row of the corpus file: a passage among which BM25 finds one for the extrapolatory claims, "D"."""

    title: str
    text: str


class SimulationScores(JudgeScores):
    """The scores of a judge, and its share of right labels by construction: "A" to "D", how claims are made.

    A missing label counts as wrong, unless the judgement failed: then the claim is counted as not judged.
    """

    constructions: dict[str, Measured]


class AttrScoreReport(Record):
    """The report of the benchmark. `questions` counts those with a claim of each construction.

    `judges` has the scores of each judge by its name.
    """

    questions: int
    claims: int
    judges: dict[str, SimulationScores]
    published: PublishedFigures = ATTRSCORE


def bench_attrscore(
    data: str | Path,
    out: str | Path,
    *,
    settings: Settings | None = None,
    options: JudgingOptions | None = None,
    on_row: Progress | None = None,
) -> AttrScoreReport:
    """Makes right and wrong claims from QuoteSum in the folder `data`, judges them, and reports to `out`.

    The same call continues an interrupted run. Raises `InputError` for missing data before anything is spent.
    """
    asked = answered_questions(source_rows(Path(data), QUESTIONS, QuoteSumRow))
    corpus = [
        RowEvidence(text=passage.text, title=passage.title)
        for passage in source_rows(Path(data), CORPUS, CorpusPassage)
    ]
    claims = list(simulated(asked, corpus))
    reports = judged_claims(claims, Path(out), settings or Settings(), options or JudgingOptions(), on_row)
    judges = dict[str, SimulationScores]()
    for judge, verified in reports.items():
        hits: dict[str, list[bool | None]] = {}
        for claim, row in paired_rows(claims, verified):
            right = None if row.error else row.label == claim.label
            hits.setdefault(claim.groups["construction"], []).append(right)
        judges[judge] = SimulationScores(
            **common_scores(verified), constructions={name: share(hits[name]) for name in sorted(hits)}
        )
    report = AttrScoreReport(questions=len(claims) // 4, claims=len(claims), judges=judges)
    write_report(Path(out), report)
    return report


def answered_questions(rows: list[QuoteSumRow]) -> list[AnsweredQuestion]:
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
