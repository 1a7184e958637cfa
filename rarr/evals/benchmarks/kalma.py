"""Measures the citations of answers over graphs, and their `[NA]` marks, as KaLMA does (Li et al. 2023).

The published rows have no minimum knowledge. So they give correctness, alignment and gaps; precision and
recall come from questions that are evolved over the same graphs, where the minimum knowledge is known.
"""

import asyncio
import math
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import Field

from rarr.agent.answer import Answerer
from rarr.errors import InputError, RarrError
from rarr.evals.benchmarks.bench import Bench, Options, Pairs, Part, ScoreTable, sampled, source_rows
from rarr.evals.metrics import triples as metrics
from rarr.evals.metrics.statistics import Measured, share
from rarr.evals.metrics.triples import MarkedGaps, TripleCitations
from rarr.evals.rows import Row
from rarr.evals.run_folder import FinishedLine
from rarr.records.answers import Answer, Statement
from rarr.retrievers.corpus.index_words import telling_stems
from rarr.retrievers.graph.graph import Graph
from rarr.retrievers.graph.relations import sentence_of
from rarr.retrievers.graph.store import TripleStore
from rarr.retrievers.graph.triples import Triple, name_key, relation_words, triple_of, value_forms
from rarr.settings import Settings
from rarr.tools.concurrency import in_thread
from rarr.tools.models.chat import name_of

ROWS = "dev/kg/biokalma.jsonl"
PUBLISHED, EVOLVED = "rows of the data", "evolved questions"
REMOVED = (1, 2, 3)
"""The numbers of triples that are removed from a graph, as in the paper's table 5."""
ROUNDS = 5
"""The triples of an evolved question, as in the paper."""
_FEWEST = 3  # triples of an evolved question
_LONGEST_VALUE = 80  # characters; longer values are texts
_DULL = frozenset(
    ("sex or gender", "given name", "surname", "family name", "instance of", "described by source")
)  # relations that no question asks for, as in the authors' code
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
    """A question over a graph. `minimum`: the triples that a whole answer cites; empty: not known."""

    id: str
    question: str
    triples: tuple[Triple, ...]
    minimum: tuple[Triple, ...] = ()


class Gaps(NamedTuple):
    """The triples that each `[NA]` statement tells, of those that were removed."""

    told: tuple[tuple[Triple, ...], ...]
    absent: tuple[Triple, ...]


class AnswerLine(FinishedLine):
    """What is measured of the answers to one question.

    `written` and `existing` count the citations before the check, and those whose triple there is. `marked`
    counts `[NA]` statements. `gaps` are those of answers without some triples, by the number of these.
    """

    cited: tuple[Triple, ...] = ()
    aligned: tuple[bool, ...] = ()
    statements: int = 0
    marked: int = 0
    written: int = 0
    existing: int = 0
    gaps: dict[int, Gaps] = Field(default_factory=dict)


def kalma(data: Path, settings: Settings, options: Options) -> Bench:
    """Reads the questions of BioKaLMA in the folder `data`, and evolves as many over their graphs.

    At most `limit` of each are asked. Raises `InputError` for missing data.
    """
    rows = asked_rows(sampled(source_rows(data, ROWS, KalmaRow)))
    sets = {PUBLISHED: rows, EVOLVED: evolved(rows, len(rows))}
    parts = {
        name: Part(asked, AnswerLine, lambda: GraphAnswerer(settings), asked[: options.limit])
        for name, asked in sets.items()
    }
    counts = {"questions": sum(len(part.chosen) for part in parts.values())}
    return Bench("kalma", f"KaLMA, answers by {name_of(settings.model)}", counts, parts, tables)


def asked_rows(rows: Sequence[KalmaRow]) -> list[AskedQuestion]:
    """Takes the questions that have a graph. Raises `InputError` if none has one."""
    asked = [AskedQuestion(row.id, row.question_specific, tuple(row.triples())) for row in rows]
    if not (kept := [each for each in asked if each.triples]):
        raise InputError(f"{ROWS} has no question with a graph: give the folder of the data sets")
    return kept


def evolved(rows: Sequence[AskedQuestion], count: int) -> list[AskedQuestion]:
    """Makes at most `count` questions over the graphs of all rows, each over other entities (section 3.2).

    A question begins with two entities that a triple joins, or with one entity. Each round adds a triple of
    them, and asks for it by a template. The paper weighs a triple by the rarity of its relation and by the
    perplexity of its sentence; here, without a language model, by its rarity alone. A value that names one
    entity is that entity. Raises `InputError` if no entity has three relations that are worth asking for.
    """
    store, draw = _joined(rows), random.Random(1)
    frequency = Counter(triple.relation for entity in store.entities() for triple in store.around(entity))
    questions, used = list[AskedQuestion](), set[str]()
    for entities in _seeds(store, draw):
        if len(questions) == count:
            break
        if used.isdisjoint(entities) and len(minimum := _drawn(store, entities, frequency, draw)) >= _FEWEST:
            used.update(entities)
            asked = dict.fromkeys(triple.subject_id for triple in minimum)
            around = tuple(triple for entity in asked for triple in store.around(entity))
            questions.append(AskedQuestion(f"q{len(questions) + 1}", _worded(minimum), around, minimum))
    if not questions:
        raise InputError(
            "no entity of the graph has three relations to ask for: give a graph with more triples"
        )
    return questions


def _joined(rows: Sequence[AskedQuestion]) -> TripleStore:
    every = list(dict.fromkeys(triple for row in rows for triple in row.triples))
    ids: dict[str, set[str]] = {}
    for triple in every:
        ids.setdefault(triple.subject, set()).add(triple.subject_id)
    return TripleStore(
        triple._replace(object_id=next(iter(named)))
        if len(named := ids.get(triple.object, set())) == 1
        else triple
        for triple in every
    )


def _seeds(store: TripleStore, draw: random.Random) -> Iterator[tuple[str, ...]]:
    """Yields pairs of entities that a triple joins, and after them single entities, in random order."""
    subjects = list(store.entities())
    draw.shuffle(subjects)
    known = set(subjects)
    for subject in subjects:
        others = (triple.object_id for triple in store.around(subject) if _is_telling(triple))
        joined = (other for other in others if other != subject and other in known)
        if (other := next(joined, None)) is not None:
            yield subject, other
    yield from ((subject,) for subject in subjects)


def _drawn(
    store: TripleStore, entities: Sequence[str], frequency: Mapping[str, int], draw: random.Random
) -> tuple[Triple, ...]:
    """Draws a triple in each round: first one that joins the entities, then mostly rare ones.

    A relation with several values is left out, since a question for one of them asks for all.
    """
    pool = list[Triple]()
    for entity in entities:
        counts = Counter(triple.relation for triple in store.around(entity))
        pool += [
            triple
            for triple in store.around(entity)
            if counts[triple.relation] == 1 and _is_telling(triple) and len(triple.object) <= _LONGEST_VALUE
        ]
    total = sum(frequency.values())
    chosen = [triple for triple in pool if triple.object_id in entities][:1]
    while len(chosen) < ROUNDS:
        asked = {(each.subject_id, each.relation) for each in chosen}
        left = [triple for triple in pool if (triple.subject_id, triple.relation) not in asked]
        if not left:
            break
        chosen += draw.choices(left, [math.log(2 * total / frequency[triple.relation]) for triple in left])
    return tuple(sorted(chosen, key=lambda triple: triple.subject_id != chosen[0].subject_id))


def _is_telling(triple: Triple) -> bool:
    return relation_words(triple.relation) not in _DULL


def _worded(triples: Sequence[Triple]) -> str:
    """Asks for each relation of each entity by its name."""
    relations: dict[str, list[str]] = {}
    for triple in triples:
        relations.setdefault(triple.subject, []).append(relation_words(triple.relation))
    asked = [
        f"what is the {' and '.join(filter(None, (', '.join(words[:-1]), words[-1])))} of {subject}"
        for subject, words in relations.items()
    ]
    question = ", and ".join(asked)
    return f"{question[0].upper()}{question[1:]}?"


class GraphAnswerer:
    """Answers questions over graphs with the model of the settings."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings.model_copy(update={"trace": False})

    async def line(self, asked: AskedQuestion) -> AnswerLine:
        """Answers a question, and again without some triples; the line has an error if the model failed."""
        try:
            answer = await self._answer(asked.question, asked.triples)
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


def _citations_of(answer: Answer) -> Iterator[tuple[Statement, Any]]:
    """Yields each citation: its statement, and its triple or None."""
    by_number = {source.number: source.triple for source in answer.sources}
    for statement in answer.statements:
        for number in statement.citations:
            yield statement, by_number[number]


def cited_triples(answer: Answer) -> tuple[Triple, ...]:
    """Returns the triple of each citation of each statement, in the order of the text."""
    return tuple(triple_of(triple) for _, triple in _citations_of(answer) if triple is not None)


def alignments(answer: Answer) -> list[bool]:
    """Tells for each citation whether its value stands in the statement, letter case ignored."""
    return [
        triple is not None and _stands(triple.value, statement.text)
        for statement, triple in _citations_of(answer)
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
    words = telling_stems(sentence_of("", triple.relation, [""]))
    is_named = _stands(relation_words(triple.relation), statement.text)
    is_told = is_named or not set(words).isdisjoint(telling_stems(statement.text))
    return is_told and _stands(triple.subject, statement.text)


def _stands(value: str, text: str) -> bool:
    keyed = f" {name_key(text)} "
    return any(f" {name_key(form)} " in keyed for form in value_forms(value) if name_key(form))


def tables(parts: Mapping[str, Pairs]) -> Iterator[ScoreTable]:
    """Scores the citations of both sets, those of evolved questions by their minimum, and the gaps."""
    answered = {name: [pair for pair in pairs if not pair[1].error] for name, pairs in parts.items()}
    shares = {name: _shares(pairs) for name, pairs in answered.items()}
    yield ScoreTable(title="citations of all answers", rows=shares)
    cited = [_citations(asked, line) for asked, line in answered[EVOLVED]]
    minimum = {"micro": metrics.micro(cited), "macro": metrics.macro(cited)}
    yield ScoreTable(title="against the minimum knowledge of evolved questions", rows=minimum)
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
    yield ScoreTable(title="triples removed, and told by [NA]", rows=gaps)


def _citations(asked: AskedQuestion, line: AnswerLine) -> TripleCitations:
    return TripleCitations(line.cited, frozenset(asked.triples), frozenset(asked.minimum))


def _shares(pairs: Pairs) -> dict[str, Measured]:
    lines: list[AnswerLine] = [line for _, line in pairs]
    written, existing = sum(line.written for line in lines), sum(line.existing for line in lines)
    marked, statements = sum(line.marked for line in lines), sum(line.statements for line in lines)
    return {
        "correctness": metrics.correctness([_citations(asked, line) for asked, line in pairs]),
        "as written": share([True] * existing + [False] * (written - existing)),
        "aligned": share([hit for line in lines for hit in line.aligned]),
        "without a citation": share([not line.cited for line in lines]),
        "marked [NA]": share([True] * marked + [False] * (statements - marked)),
    }
