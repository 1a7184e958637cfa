"""Measures the citations of answers over graphs, and their `[NA]` marks, as KaLMA does (Li et al. 2023).

The published rows have no minimum knowledge. So they give correctness, alignment and gaps; precision and
recall come from questions that are evolved over the same graphs, where the minimum knowledge is known.
"""

import asyncio
import math
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import Field

from rarr.agent.answer import Answerer
from rarr.agent.wiring.components import wire
from rarr.errors import InputError
from rarr.evals.benchmarks.bench import Bench, Options, Part, ScoreTable, sampled
from rarr.evals.metrics import Measured, mean, share, share_of
from rarr.evals.rows import Row, read_rows
from rarr.evals.run_folder import FinishedLine, Pairs, Worker
from rarr.ledger.scores import f1_ap
from rarr.records.answers import Answer, Statement
from rarr.retrievers.corpus.index_words import telling_stems
from rarr.retrievers.graph.graph import Graph
from rarr.retrievers.graph.relations import sentence_of
from rarr.retrievers.graph.triples import Triple, name_key, relation_words, value_forms
from rarr.settings import Settings
from rarr.tools.concurrency import in_thread
from rarr.tools.models.chat import name_of

ROWS = "dev/kg/biokalma.jsonl"
PUBLISHED, EVOLVED = "rows of the data", "evolved questions"
REMOVED = (1, 2, 3)  # triples that are removed from a graph, as in the paper's table 5
ROUNDS = 5  # triples of an evolved question, as in the paper
_FEWEST = 3  # triples of an evolved question
_LONGEST_VALUE = 80  # characters; longer values are texts
_DULL = frozenset(
    ("sex or gender", "given name", "surname", "family name", "instance of", "described by source")
)  # relations that no question asks for, as in the authors' code

Counts = tuple[int, int]
"""How many of a whole have something, and the whole."""


class KalmaRow(Row):
    """A question, and for each entity that it names its values by relation."""

    question_specific: str
    graph: tuple[dict[str, Any], ...] = ()

    def triples(self) -> Iterator[Triple]:
        """Yields the triples around the entities. Raises `InputError` for an entity without name or id."""
        for entity in self.graph:
            name, qid = entity.get("name"), entity.get("qid")
            if not isinstance(name, str) or not isinstance(qid, str):
                raise InputError(f"row {self.id} has an entity without name or qid: restore the file")
            for relation, value in entity.items():
                if relation not in ("name", "qid") and value:
                    yield Triple(qid, name, relation.replace("_", " "), str(value), str(value))


class AskedQuestion(NamedTuple):
    """A question over a graph. `minimum`: the triples that a whole answer cites; empty: not known."""

    id: str
    question: str
    triples: tuple[Triple, ...]
    minimum: tuple[Triple, ...] = ()


class AnswerLine(FinishedLine):
    """What is measured of the answers to one question.

    `written` counts the citations before the check, and those whose triple there is; `marked` the statements,
    and those with `[NA]`. `gaps` are those of answers without some triples, by the number of these.
    """

    cited: tuple[Triple, ...] = ()
    aligned: Counts = (0, 0)
    written: Counts = (0, 0)
    marked: Counts = (0, 0)
    gaps: dict[int, tuple[Counts, Counts]] = Field(default_factory=dict)


def kalma(data: Path, settings: Settings, options: Options) -> Bench:
    """Reads the questions of BioKaLMA in the folder `data`, and evolves as many over their graphs."""
    rows = asked_rows(sampled(read_rows(data / ROWS, KalmaRow)))
    sets = {PUBLISHED: rows, EVOLVED: evolved(rows)}
    worker, most = partial(graph_answerer, settings), options.limit
    parts = {name: Part(asked, AnswerLine, worker, asked[:most]) for name, asked in sets.items()}
    counts = {"questions": sum(len(part.chosen) for part in parts.values())}
    return Bench("kalma", f"KaLMA, answers by {name_of(settings.model)}", counts, parts, tables)


def asked_rows(rows: Sequence[KalmaRow]) -> list[AskedQuestion]:
    """Takes the questions that have a graph. Raises `InputError` if none has one."""
    asked = [AskedQuestion(row.id, row.question_specific, tuple(row.triples())) for row in rows]
    if kept := [each for each in asked if each.triples]:
        return kept
    raise InputError(f"{ROWS} has no question with a graph: give the folder of the data sets")


def evolved(rows: Sequence[AskedQuestion]) -> list[AskedQuestion]:
    """Makes a question over the graph of each row that has enough to ask for (section 3.2).

    Each of five rounds adds a triple, and asks for it by a template. The paper weighs a triple by the rarity
    of its relation and by the perplexity of its sentence; here, without a language model, by its rarity
    alone. A relation with several values is left out, since a question for one of them asks for all.
    """
    frequency = Counter(triple.relation for row in rows for triple in row.triples)
    questions = list[AskedQuestion]()
    for row in rows:
        values = Counter((triple.subject_id, triple.relation) for triple in row.triples)
        left = [
            it for it in row.triples
            if values[it.subject_id, it.relation] == 1 and len(it.object) <= _LONGEST_VALUE
            if relation_words(it.relation) not in _DULL
        ]  # fmt: skip
        draw, minimum = random.Random(row.id), list[Triple]()
        while left and len(minimum) < ROUNDS:
            weights = [math.log(2 * frequency.total() / frequency[triple.relation]) for triple in left]
            minimum += draw.choices(left, weights)
            left.remove(minimum[-1])
        if len(minimum) >= _FEWEST:
            asked = _worded(sorted(minimum, key=lambda triple: triple.subject_id))
            questions.append(AskedQuestion(f"{row.id}/evolved", asked, row.triples, tuple(minimum)))
    return questions


def _worded(triples: Sequence[Triple]) -> str:
    relations = defaultdict[str, list[str]](list)
    for triple in triples:
        relations[triple.subject].append(relation_words(triple.relation))
    joined = {subject: f"{', '.join(words[:-1])} and {words[-1]}" for subject, words in relations.items()}
    asked = [f"what is the {words.removeprefix(' and ')} of {subject}" for subject, words in joined.items()]
    return f"W{', and '.join(asked)[1:]}?"


def graph_answerer(settings: Settings) -> Worker:
    """Answers each question over its graph, and again without some triples of its knowledge."""
    settings = settings.model_copy(update={"trace": False, "preset": "default"})

    async def answered(question: str, triples: Sequence[Triple]) -> Answer:
        made = settings.model_copy(update={"search": await asyncio.to_thread(Graph, list(triples))})
        async with Answerer(components=await in_thread(lambda: wire(made, measuring=True))) as answerer:
            return await answerer.aanswer(question)

    async def line(asked: AskedQuestion) -> AnswerLine:
        answer, gaps = await answered(asked.question, asked.triples), dict[int, tuple[Counts, Counts]]()
        of_number = {it.number: Triple(*dict(it.triple).values()) for it in answer.sources if it.triple}
        cited = [(each.text, of_number.get(it)) for each in answer.statements for it in each.citations]
        triples = tuple(triple for _, triple in cited if triple is not None)
        known = sorted(asked.minimum or set(triples))
        for count in REMOVED:
            absent = random.Random(f"{asked.id} {count}").sample(known, min(count, len(known)))
            left = without(asked.triples, absent)
            if absent and left:
                gaps[count] = gaps_of(await answered(asked.question, left), absent, answer)
        said = answer.statements
        return AnswerLine(
            id=asked.id,
            cited=triples,
            aligned=(sum(it is not None and _stands(it.object, text) for text, it in cited), len(cited)),
            written=(sum(each.existing for each in said), sum(each.written for each in said)),
            marked=(sum(each.needs_support for each in said), len(said)),
            gaps=gaps,
        )

    return Worker(line)


def without(triples: Sequence[Triple], absent: Sequence[Triple]) -> list[Triple]:
    """Returns the triples but for the absent ones and their inverses (father and child say the same)."""
    inverse = {(triple.object, triple.subject) for triple in absent}
    return [it for it in triples if it not in absent and (it.subject, it.object) not in inverse]


def gaps_of(answer: Answer, absent: Sequence[Triple], before: Answer) -> tuple[Counts, Counts]:
    """Counts the `[NA]` statements that name an absent triple, and the absent triples that are named.

    Statements that the answer `before`, over the whole graph, marks as well are not counted.
    """
    known = {each.text for each in before.statements if each.needs_support}
    marked = [each for each in answer.statements if each.needs_support and each.text not in known]
    named = [{triple for triple in absent if _names(each, triple)} for each in marked]
    return (sum(map(bool, named)), len(marked)), (len(set[Triple]().union(*named)), len(absent))


def _names(statement: Statement, triple: Triple) -> bool:
    words, text = telling_stems(sentence_of("", triple.relation, [""])), statement.text
    has_relation = _stands(relation_words(triple.relation), text) or set(words) & set(telling_stems(text))
    return _stands(triple.object, text) or (bool(has_relation) and _stands(triple.subject, text))


def _stands(value: str, text: str) -> bool:
    keyed = f" {name_key(text)} "
    return any(f" {name_key(form)} " in keyed for form in value_forms(value) if name_key(form))


def tables(parts: Mapping[str, Pairs]) -> Iterator[ScoreTable]:
    """Scores the citations of both sets, those of evolved questions by their minimum, and the gaps."""
    answered = {name: [pair for pair in pairs if not pair[1].error] for name, pairs in parts.items()}
    rows = {name: _shares(pairs) for name, pairs in answered.items()}
    yield ScoreTable(title="citations of all answers", rows=rows)
    rows = citation_scores(answered[EVOLVED])
    yield ScoreTable(title="against the minimum knowledge of evolved questions", rows=rows)
    gaps = dict[str, dict[str, Measured]]()
    for name, pairs in answered.items():
        for count in REMOVED:
            found = [it.gaps[count] for _, it in pairs if count in it.gaps]
            gaps[f"{name}, {count} removed"] = _with_f1(*(_summed([it[n] for it in found]) for n in (0, 1)))
    yield ScoreTable(title="triples removed, and told by [NA]", rows=gaps)


def citation_scores(pairs: Pairs) -> dict[str, dict[str, Measured]]:
    """Compares citations with the minimum knowledge, by the formulas of the paper (section 4.1).

    A citation is precise if the graph and the minimum knowledge have it. `micro` counts citations over all
    answers; `macro` are means over answers. As in the code of the paper, an answer without citations stays
    out of the macro precision.
    """
    precise, recalled = list[list[bool]](), list[list[bool]]()
    for asked, line in pairs:
        right = set(asked.triples) & set(asked.minimum)
        precise.append([triple in right for triple in line.cited])
        recalled.append([triple in right and triple in line.cited for triple in asked.minimum])
    micro = [share([hit for hits in each for hit in hits]) for each in (precise, recalled)]
    macro = [mean([sum(hits) / len(hits) for hits in each if hits]) for each in (precise, recalled)]
    return {"micro": _with_f1(*micro), "macro": _with_f1(*macro)}


def _summed(counts: Sequence[Counts]) -> Measured:
    return share_of(sum(part for part, _ in counts), sum(whole for _, whole in counts))


def _with_f1(precision: Measured, recall: Measured) -> dict[str, Measured]:
    f1 = Measured(value=f1_ap(precision.value, recall.value), n=recall.n)
    return {"precision": precision, "recall": recall, "f1": f1}


def _shares(pairs: Pairs) -> dict[str, Measured]:
    lines: list[AnswerLine] = [line for _, line in pairs]
    return {
        "correctness": share([triple in asked.triples for asked, line in pairs for triple in line.cited]),
        "as written": _summed([line.written for line in lines]),
        "aligned": _summed([line.aligned for line in lines]),
        "without a citation": share([not line.cited for line in lines]),
        "marked [NA]": _summed([line.marked for line in lines]),
    }
