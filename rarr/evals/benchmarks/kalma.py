"""Runs the benchmark of KaLMA (Li et al. 2023): citations of answers over graphs, and `[NA]`.

The published rows have no minimum knowledge. So they give correctness, alignment and gaps; precision and
recall come from questions that are evolved over the same graphs, where the minimum knowledge is known.
"""

import asyncio
import random
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import Field

from rarr.agent.answering.answer import Answerer
from rarr.agent.answering.question_sources import topic
from rarr.errors import InputError, RarrError
from rarr.evals import run_folder
from rarr.evals.benchmarks.question_evolution import evolved_questions
from rarr.evals.benchmarks.report import (
    BenchmarkReport,
    Options,
    ScoreTable,
    benchmark_folder,
    digest,
    folder_name,
    published,
    sampled,
    source_rows,
)  # fmt: skip
from rarr.evals.metrics import triples as metrics
from rarr.evals.metrics.statistics import Measured, share
from rarr.evals.metrics.triples import MarkedGaps, TripleCitations
from rarr.evals.rows import Row
from rarr.evals.run_folder import FinishedLine, run_rows
from rarr.records.answers import Answer, Statement
from rarr.retrievers.corpus.index_building import Progress
from rarr.retrievers.graph.graph import Graph
from rarr.retrievers.graph.relations import sentence_of
from rarr.retrievers.graph.store import TripleStore
from rarr.retrievers.graph.triples import Triple, name_key, relation_words, triple_of, value_forms
from rarr.settings import Settings
from rarr.tools.concurrency import in_thread
from rarr.tools.models.chat import name_of

ROWS = "dev/kg/biokalma.jsonl"
COMMAND = "rarr bench kalma"
REMOVED = (1, 2, 3)
"""The numbers of triples that are removed from a graph, as in the paper's table 5."""
_OWN_KEYS = ("name", "qid")


class KalmaRow(Row):
    """A question, and for each entity that it names its values by relation."""

    question_specific: str
    graph: tuple[dict[str, Any], ...] = ()

    def triples(self) -> Iterator[Triple]:
        """Yields the triples around the entities. Raises `InputError` for an entity without name or id."""
        for entity in self.graph:
            if not all(isinstance(entity.get(key), str) for key in _OWN_KEYS):
                raise InputError(
                    f"row {self.id} of BioKaLMA has an entity without name or qid: restore the file"
                )
            for relation, value in entity.items():
                if relation not in _OWN_KEYS and value:
                    words = relation.replace("_", " ")
                    yield Triple(entity["qid"], entity["name"], words, str(value), str(value))


class AskedQuestion(NamedTuple):
    """A question over a graph. `minimum`: the triples that a whole answer cites; empty: not known.

    `general`: the same question without the names of relations; empty: there is none.
    """

    id: str
    question: str
    triples: tuple[Triple, ...]
    minimum: frozenset[Triple] = frozenset()
    general: str = ""


class Gaps(NamedTuple):
    """The triples that each `[NA]` statement tells, of those that were removed."""

    told: tuple[tuple[Triple, ...], ...]
    absent: tuple[Triple, ...]


class AnswerLine(FinishedLine):
    """A line of `predictions.jsonl`: what is measured of the answers to one question, or why there is none.

    `written` and `existing` count the citations before the check, and those whose triple there is. `marked`
    counts `[NA]` statements. `gaps` are those of answers without some triples, by the number of these.
    """

    cited: tuple[Triple, ...] = ()
    aligned: tuple[bool, ...] = ()
    statements: int = 0
    marked: int = 0
    written: int = 0
    existing: int = 0
    general: tuple[Triple, ...] = ()
    gaps: dict[int, Gaps] = Field(default_factory=dict)


def bench_kalma(
    data: str | Path,
    out: str | Path,
    *,
    settings: Settings | None = None,
    options: Options | None = None,
    on_row: Progress | None = None,
) -> BenchmarkReport:
    """Answers at most `limit` questions of the data, and as many that are evolved over their graphs.

    `out` gets the answers to each question as soon as they are there, and the report; the same call continues
    an interrupted run. Raises `InputError` for missing data, and for an `out` that holds other files or
    another run.
    """
    settings, options, path = settings or Settings(), options or Options(), Path(out)
    rows = asked_rows(sampled(source_rows(Path(data), ROWS, KalmaRow)))
    sets = {"rows of the data": rows, "evolved questions": evolved(rows, options.limit or len(rows))}
    with benchmark_folder(path, COMMAND, digest(repr(rows)), settings) as inputs:
        lines = {
            name: run_rows(
                asked, path / folder_name(name), AnswerLine, inputs | {"data": digest(repr(asked))},
                lambda: GraphAnswerer(settings), limit=options.limit, jobs=options.jobs, on_row=on_row,
            )
            for name, asked in sets.items()
        }  # fmt: skip
        every = [(name, line) for name, each in lines.items() for line in each]
        report = BenchmarkReport(
            benchmark=f"KaLMA, answers by {name_of(settings.model)}",
            counts={"questions": len(every), "statements": sum(line.statements for _, line in every)},
            tables=tables(sets, lines),
            published=published("kalma"),
            errors=tuple(f"{name}: {line.id}: {line.error}" for name, line in every if line.error),
            failed=tuple(name for name, each in lines.items() if all(line.error for line in each)),
        )
        run_folder.finish(path, report)
    return report


def asked_rows(rows: Sequence[KalmaRow]) -> list[AskedQuestion]:
    """Takes the questions that have a graph. Raises `InputError` if none has one."""
    asked = [AskedQuestion(row.id, row.question_specific, tuple(row.triples())) for row in rows]
    if not (kept := [each for each in asked if each.triples]):
        raise InputError(f"{ROWS} has no question with a graph: give the folder of the data sets")
    return kept


def evolved(rows: Sequence[AskedQuestion], count: int) -> list[AskedQuestion]:
    """Makes questions over the graphs of all rows, in which a value that names one entity is that entity."""
    every = list(dict.fromkeys(triple for row in rows for triple in row.triples))
    ids: dict[str, set[str]] = {}
    for triple in every:
        ids.setdefault(triple.subject, set()).add(triple.subject_id)
    store = TripleStore(
        triple._replace(object_id=next(iter(ids[triple.object])))
        if len(ids.get(triple.object, ())) == 1
        else triple
        for triple in every
    )
    questions = []
    for each in evolved_questions(store, count):
        numbers = [store.number(id_) for id_ in each.entities]
        around = tuple(triple for number in numbers if number is not None for triple in store.around(number))
        questions.append(AskedQuestion(each.id, each.specific, around, frozenset(each.minimum), each.general))
    return questions


class GraphAnswerer:
    """Answers questions over graphs with the model of the settings."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings.model_copy(update={"trace": False})

    async def line(self, asked: AskedQuestion) -> AnswerLine:
        """Answers a question, and again without some triples; the line has an error if the model failed."""
        try:
            answer = await self._answer(asked.question, asked.triples)
            general = await self._answer(asked.general, asked.triples) if asked.general else None
            gaps = {count: made for count in REMOVED if (made := await self._gaps(asked, answer, count))}
        except RarrError as error:
            return AnswerLine(id=asked.id, error=str(error))
        return AnswerLine(
            id=asked.id,
            cited=cited_triples(answer),
            aligned=tuple(alignments(answer)),
            statements=len(answer.statements),
            marked=sum(each.needs_support for each in answer.statements),
            written=sum(each.written for each in answer.statements),
            existing=sum(each.existing for each in answer.statements),
            general=cited_triples(general) if general else (),
            gaps=gaps,
        )

    async def aclose(self) -> None:
        """Has nothing open: each question has an answerer of its own."""

    async def _gaps(self, asked: AskedQuestion, answer: Answer, count: int) -> Gaps | None:
        """Removes triples of the minimum knowledge, else of those that the answer cites, and asks again."""
        known = sorted(asked.minimum or set(cited_triples(answer)))
        absent = random.Random(f"{asked.id} {count}").sample(known, min(count, len(known)))
        left = without(asked.triples, absent)
        if not absent or not left:
            return None
        return gaps_of(await self._answer(asked.question, left), absent, answer)

    async def _answer(self, question: str, triples: Sequence[Triple]) -> Answer:
        made = self._settings.model_copy(update={"search": await asyncio.to_thread(Graph, list(triples))})
        async with await in_thread(lambda: Answerer(made)) as answerer:
            return await answerer.aanswer(question)


def cited_triples(answer: Answer) -> tuple[Triple, ...]:
    """Returns the triple of each citation of each statement, in the order of the text."""
    by_number = {source.number: source.triple for source in answer.sources}
    cited = (by_number[number] for each in answer.statements for number in each.citations)
    return tuple(triple_of(each) for each in cited if each is not None)


def alignments(answer: Answer) -> list[bool]:
    """Tells for each citation whether its value stands in the statement, letter case ignored."""
    by_number = {source.number: source.triple for source in answer.sources}
    return [
        triple is not None and _stands(triple.value, statement.text)
        for statement in answer.statements
        for triple in (by_number[number] for number in statement.citations)
    ]


def without(triples: Sequence[Triple], absent: Sequence[Triple]) -> list[Triple]:
    """Returns the triples but for the absent ones and their inverses, which would say the same.

    The inverse of a triple joins the same two entities: the father of a child and the child of the father.
    """
    pairs = {(triple.subject, triple.object) for triple in absent}
    return [
        triple for triple in triples if triple not in absent and (triple.object, triple.subject) not in pairs
    ]


def gaps_of(answer: Answer, absent: Sequence[Triple], before: Answer) -> Gaps:
    """Tells which absent triples each `[NA]` statement tells: it has the value, or names the relation.

    Statements that the answer `before`, over the whole graph, marks as well are not counted.
    """
    known = {each.text for each in before.statements if each.needs_support}
    marked = [each for each in answer.statements if each.needs_support and each.text not in known]
    told = tuple(tuple(triple for triple in absent if _tells(each, triple)) for each in marked)
    return Gaps(told, tuple(absent))


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


def tables(
    sets: Mapping[str, Sequence[AskedQuestion]], lines: Mapping[str, Sequence[AnswerLine]]
) -> tuple[ScoreTable, ...]:
    """Scores the citations of both sets, those of evolved questions by their minimum, and the gaps."""
    answered = {
        name: [(asked, line) for asked, line in zip(sets[name], each, strict=False) if not line.error]
        for name, each in lines.items()
    }
    evolved_pairs = answered["evolved questions"]
    by_kind = {
        "specific": [_citations(asked, line.cited) for asked, line in evolved_pairs],
        "general": [_citations(asked, line.general) for asked, line in evolved_pairs],
    }
    minimum = dict[str, dict[str, Measured]]()
    for kind, cited in by_kind.items():
        minimum |= {f"{kind}, micro": metrics.micro(cited), f"{kind}, macro": metrics.macro(cited)}
    gaps = {
        f"{name}, {count} removed": metrics.gaps(
            [
                MarkedGaps(tuple(map(frozenset, line.gaps[count].told)), frozenset(line.gaps[count].absent))
                for _, line in pairs
                if count in line.gaps
            ]
        )
        for name, pairs in answered.items()
        for count in REMOVED
    }
    shares = {name: _shares(pairs) for name, pairs in answered.items()}
    return (
        ScoreTable(title="citations of all answers", rows=shares, is_published=True),
        ScoreTable(title="against the minimum knowledge of evolved questions", rows=minimum),
        ScoreTable(title="triples removed, and told by [NA]", rows=gaps),
    )


def _citations(asked: AskedQuestion, cited: Sequence[Triple]) -> TripleCitations:
    return TripleCitations(tuple(cited), frozenset(asked.triples), frozenset(asked.minimum))


def _shares(pairs: Sequence[tuple[AskedQuestion, AnswerLine]]) -> dict[str, Measured]:
    written, existing = sum(line.written for _, line in pairs), sum(line.existing for _, line in pairs)
    marked, statements = sum(line.marked for _, line in pairs), sum(line.statements for _, line in pairs)
    return {
        "correctness": metrics.correctness([_citations(asked, line.cited) for asked, line in pairs]),
        "as written": share([True] * existing + [False] * (written - existing)),
        "aligned": share([hit for _, line in pairs for hit in line.aligned]),
        "without a citation": share([not line.cited for _, line in pairs]),
        "marked [NA]": share([True] * marked + [False] * (statements - marked)),
    }
