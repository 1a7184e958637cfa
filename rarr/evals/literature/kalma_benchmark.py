"""Runs the benchmark of KaLMA: answers over graphs with citations, and gaps marked as `[NA]`.

The published rows have no minimum knowledge. So they give correctness, alignment and gaps; precision and
recall come from questions that are evolved over the same graphs, where the minimum knowledge is known.
"""

from collections.abc import Sequence
from itertools import count
from pathlib import Path

from rarr.evals.literature.benchmark_judging import digest, write_report
from rarr.evals.literature.kalma_answers import (
    AskedQuestion,
    GraphAnswerer,
    alignments,
    citations_of,
    cited_triples,
    gaps_of,
    removed,
    without,
)
from rarr.evals.literature.kalma_rows import KalmaRow, all_triples, kalma_rows
from rarr.evals.literature.kept_answers import KeptAnswers
from rarr.evals.literature.published import KALMA, PublishedFigures
from rarr.evals.metrics import Measured, share
from rarr.evals.metrics.triples import (
    TripleCitations,
    TripleScores,
    gap_scores,
    macro_triple_scores,
    micro_triple_scores,
    triple_correctness,
)
from rarr.evals.question_evolution import evolved_questions
from rarr.evals.run_fingerprint import described, run_inputs
from rarr.records import Record
from rarr.records.answers import Answer
from rarr.retrievers.corpus.index_building import Progress
from rarr.retrievers.graph.store import TripleStore
from rarr.retrievers.graph.triples import triple_of
from rarr.settings import Settings
from rarr.tools.models.chat import name_of

REMOVED = (1, 2, 3)
"""The numbers of triples that are removed from a graph, as in the paper's table 5."""
ACCURACIES = (1.0, 0.8, 0.6, 0.4, 0.2)
"""The shares of questions that get their own graph, as in the paper's ablation; the others get another."""


class KalmaScores(Record):
    """The scores of the answers to a set of questions.

    `correctness` is the share of citations that the graph has; `as_written` that of the citations before the
    check, without those that the code added. `aligned` is the share of citations whose value stands in the
    statement. `gaps` are the scores of `[NA]` by the number of removed triples: in answers over the smaller
    graph, and in `drafts`, texts from the whole graph that are checked against the smaller one. `marked`
    counts the `[NA]` statements of answers over the whole graph.
    """

    questions: int
    statements: int
    citations: int
    unanswered: int
    marked: int
    correctness: Measured
    as_written: Measured
    aligned: Measured
    gaps: dict[int, TripleScores]
    draft_gaps: dict[int, TripleScores]


class EvolvedScores(Record):
    """Precision, recall and F1 against the minimum knowledge, micro and macro, by kind of question.

    `by_accuracy`: the micro scores by the share of questions that get their own graph.
    """

    scores: KalmaScores
    micro: dict[str, TripleScores]
    macro: dict[str, TripleScores]
    by_accuracy: dict[str, TripleScores]


class KalmaReport(Record):
    """The report of the benchmark. `errors`: questions that the model could not answer; they do not count."""

    generator: str
    rows: KalmaScores
    evolved: EvolvedScores
    published: PublishedFigures
    errors: tuple[str, ...] = ()


def bench_kalma(
    data: Path, out: Path, *, settings: Settings, limit: int = 100, on_row: Progress | None = None
) -> KalmaReport:
    """Answers `limit` questions of the data, and as many that are evolved over their graphs.

    `out` gets each answer as soon as it is there, and the report; the same call continues an interrupted run.
    Raises `InputError` for missing data, and for an `out` that holds other files or another run.
    """
    everything = kalma_rows(data)
    rows, evolved = everything[:limit], _evolved(everything, limit)
    # Each question is answered, and again for each number of removed triples, as an answer and as a draft.
    each = 1 + 2 * len(REMOVED)
    replaced = sum(len(evolved) - round(share * len(evolved)) for share in ACCURACIES)
    total = each * len(rows) + (each + 1) * len(evolved) + replaced
    done = count(1)
    command = {"command": "rarr bench kalma"}
    made_with = run_inputs(digest(repr(everything)), described(settings) | command)
    with KeptAnswers.opened(out, made_with) as kept:
        on_answer = (lambda: on_row(min(next(done), total), total)) if on_row else None
        answerer = GraphAnswerer(settings, kept, on_answer)
        asked = [AskedQuestion(row.id, row.question, row.triples) for row in rows]
        report = KalmaReport(
            generator=name_of(settings.model),
            rows=_scores(asked, [answerer.answer(row.question, row.triples) for row in asked], answerer),
            evolved=_evolved_scores(evolved, answerer),
            published=KALMA,
            errors=tuple(kept.errors.values()),
        )
        write_report(out, report)
    return report


def _evolved(rows: Sequence[KalmaRow], count: int) -> list[tuple[AskedQuestion, str]]:
    """Makes questions over the graphs of all rows; with each its general form."""
    store = TripleStore(all_triples(rows))
    made = list[tuple[AskedQuestion, str]]()
    for each in evolved_questions(store, count):
        numbers = [store.number(id_) for id_ in each.entities]
        triples = tuple(triple for number in numbers if number is not None for triple in store.around(number))
        minimum = frozenset(map(triple_of, each.minimum))
        made.append((AskedQuestion(each.id, each.specific, triples, minimum, each.paragraph), each.general))
    return made


def _evolved_scores(evolved: Sequence[tuple[AskedQuestion, str]], answerer: GraphAnswerer) -> EvolvedScores:
    asked = [each for each, _ in evolved]
    specific = [answerer.answer(each.question, each.triples) for each in asked]
    general = [answerer.answer(question, each.triples) for each, question in evolved]
    by_kind = {
        kind: [citations_of(*pair) for pair in _answered(asked, answers)]
        for kind, answers in (("specific", specific), ("general", general))
    }
    return EvolvedScores(
        scores=_scores(asked, specific, answerer),
        micro={kind: micro_triple_scores(cited) for kind, cited in by_kind.items()},
        macro={kind: macro_triple_scores(cited) for kind, cited in by_kind.items()},
        by_accuracy={
            f"{accuracy:.0%}": micro_triple_scores(_with_other_graphs(asked, specific, accuracy, answerer))
            for accuracy in ACCURACIES
        },
    )


def _with_other_graphs(
    asked: Sequence[AskedQuestion], own: Sequence[Answer | None], accuracy: float, answerer: GraphAnswerer
) -> list[TripleCitations]:
    """Answers with the graph of the next question where a question does not get its own graph."""
    kept = round(accuracy * len(asked))
    others = [*asked[1:], *asked[:1]]
    answers = [
        *own[:kept],
        *(
            answerer.answer(each.question, other.triples)
            for each, other in list(zip(asked, others, strict=True))[kept:]
        ),
    ]
    return [citations_of(*pair) for pair in _answered(asked, answers)]


def _answered(
    asked: Sequence[AskedQuestion], answers: Sequence[Answer | None]
) -> list[tuple[AskedQuestion, Answer]]:
    """Pairs the questions with their answers; those that the model could not answer are left out."""
    return [(each, answer) for each, answer in zip(asked, answers, strict=True) if answer is not None]


def _scores(
    asked: Sequence[AskedQuestion], given: Sequence[Answer | None], answerer: GraphAnswerer
) -> KalmaScores:
    pairs = _answered(asked, given)
    answers = [answer for _, answer in pairs]
    cited = [citations_of(*pair) for pair in pairs]
    count = sum(len(each.cited) for each in cited)
    told = [each for answer in answers for each in answer.statements]
    written, existing = sum(each.written for each in told), sum(each.existing for each in told)
    right = round((triple_correctness(cited) or 0.0) * count)
    return KalmaScores(
        questions=len(answers),
        statements=len(told),
        citations=count,
        unanswered=sum(1 for each in cited if not each.cited),
        marked=sum(each.needs_support for each in told),
        correctness=share([True] * right + [False] * (count - right)),
        as_written=share([True] * existing + [False] * (written - existing)),
        aligned=share([each for answer in answers for each in alignments(answer)]),
        gaps={n: _gaps(pairs, n, answerer, drafts=False) for n in REMOVED},
        draft_gaps={n: _gaps(pairs, n, answerer, drafts=True) for n in REMOVED},
    )


def _gaps(
    pairs: Sequence[tuple[AskedQuestion, Answer]], count: int, answerer: GraphAnswerer, *, drafts: bool
) -> TripleScores:
    """Removes triples of the minimum knowledge, else of those that the answer cites; counts the gaps told."""
    marked = []
    for asked, answer in pairs:
        known = sorted(asked.minimum or set(cited_triples(answer)))
        absent = removed(known, count, f"{asked.id} {count}")
        left = without(asked.triples, absent)
        if not absent or not left:
            continue
        said = " ".join(each.text for each in answer.statements if each.citations)
        draft = (asked.paragraph or said) if drafts else None
        again = answerer.answer(asked.question, left, draft)
        if again is not None:
            marked.append(gaps_of(again, absent, None if drafts else answer))
    return gap_scores(marked)
