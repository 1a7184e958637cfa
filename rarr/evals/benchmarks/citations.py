"""The benchmarks of citations: KaLMA for answers from graphs, and WikiGenBench for articles.

A triple is a fact of a graph: a subject, a relation and an object. `[NA]` marks a statement that no triple
supports. KaLMA (Li et al. 2023) measures the citations of triples and the `[NA]` marks. WikiGenBench (Zhang
et al. 2024) measures the citations of articles, and compares these articles with articles by people.
"""

import asyncio
import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from itertools import product
from pathlib import Path
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from rarr.agent.answer import Answerer
from rarr.agent.wiring.components import wire
from rarr.agent.write import CHUNK_WORDS, Writer
from rarr.components import WRITING_NODES
from rarr.errors import InputError, SettingsError
from rarr.evals.benchmarks.bench import Bench, BenchOptions, Part, Tables, in_random_order
from rarr.evals.metrics import Measurement, mean, rouge_l, share, share_of_sums
from rarr.evals.rows import Row, Text, read_rows
from rarr.evals.run_folder import FinishedLine, Pairs, Worker
from rarr.ledger.scores import f1_ap
from rarr.records import Passage
from rarr.records.citations import Answer, Article, Statement
from rarr.retrievers.corpus.chunking import chunks
from rarr.retrievers.corpus.index_words import content_stems
from rarr.retrievers.given_passages import GivenPassages
from rarr.retrievers.graph.graph import Graph
from rarr.retrievers.graph.triples import Triple, fact_text, name_key, relation_words, value_forms
from rarr.settings import EMBEDDED, Settings
from rarr.tools.concurrency import in_thread, work
from rarr.tools.models.chat import name_of
from rarr.tools.text.wording import is_failure

BIOKALMA = "dev/kg/biokalma.jsonl"
REMOVED_COUNTS = (1, 2, 3)  # numbers of triples that are removed from a graph (table 5 of the paper)

Counts = tuple[int, int]  # (part, whole)


class GraphEntity(BaseModel):
    """An entity of a graph. Each key other than `name` and `qid` is a relation of the entity."""

    model_config = ConfigDict(extra="allow")

    name: str
    qid: str


class KalmaRow(Row):
    """A question of BioKaLMA, with the graph of the entities in the question."""

    question_specific: str
    graph: tuple[GraphEntity, ...] = ()

    @property
    def triples(self) -> tuple[Triple, ...]:
        """Returns the triples of all entities in the graph."""
        return tuple(
            Triple(entity.qid, entity.name, relation.replace("_", " "), str(value), str(value))
            for entity in self.graph
            for relation, value in (entity.model_extra or {}).items()
            if value
        )


class GapCounts(NamedTuple):
    """How well `[NA]`, the mark of an unsupported statement, shows which triples a graph has lost."""

    precision: Counts  # statements with `[NA]`: those that name a removed triple, and all
    recall: Counts  # removed triples: those that a statement with `[NA]` names, and all


class AnswerLine(FinishedLine):
    """The triples that an answer cites, and counts of its citations and statements."""

    cited: tuple[Triple, ...] = ()
    aligned: Counts = (0, 0)  # citations: those whose statement has the value of the triple, and all
    written: Counts = (0, 0)  # citations before the check: those of existing triples, and all
    marked: Counts = (0, 0)  # statements: those with `[NA]`, and all
    gaps: dict[int, GapCounts] = Field(default_factory=dict)  # by the number of removed triples


def kalma_bench(data: Path, settings: Settings, options: BenchOptions) -> Bench:
    """Makes the benchmark KaLMA. Raises `RarrError` if the data has no graph, or if no model can answer."""
    if settings.models.get("write_answer", settings.model) in EMBEDDED:
        raise SettingsError("bench kalma needs a language model: name it with model (--model)")
    every = in_random_order(read_rows(data / BIOKALMA, KalmaRow))
    rows = [row for row in every if row.triples]
    if not rows:
        raise InputError(f"{BIOKALMA} has no question with a graph: give the folder of the data sets")
    part = Part(rows, AnswerLine, partial(answering_worker, settings), rows[: options.limit])
    counts, title = {"questions": len(part.chosen)}, f"KaLMA, answers by {name_of(settings.model)}"
    return Bench("kalma", title, counts, {"rows of the data": part}, answer_tables)


def answering_worker(settings: Settings) -> Worker:
    """Returns a worker that answers a question from its graph, then from the graph without some triples."""
    settings = settings.model_copy(update={"trace": False, "preset": "default"})

    async def answered(question: str, triples: Sequence[Triple]) -> Answer:
        made = settings.model_copy(update={"search": await asyncio.to_thread(Graph, list(triples))})
        async with Answerer(components=await in_thread(lambda: wire(made, measuring=True))) as answerer:
            return await answerer.aanswer(question)

    async def make_line(row: KalmaRow) -> AnswerLine:
        question, graph, gaps = row.question_specific, row.triples, dict[int, GapCounts]()
        answer = await answered(question, graph)
        of_number = {it.number: Triple(*dict(it.triple).values()) for it in answer.sources if it.triple}
        cited = [(each.text, of_number.get(it)) for each in answer.statements for it in each.citations]
        triples = tuple(triple for _, triple in cited if triple is not None)
        known = sorted(set(triples))
        for count in REMOVED_COUNTS:
            absent = random.Random(f"{row.id} {count}").sample(known, min(count, len(known)))
            left = without_triples(graph, absent)
            if absent and left:
                gaps[count] = count_gaps(await answered(question, left), absent, answer)
        said = answer.statements
        return AnswerLine(
            id=row.id,
            cited=triples,
            aligned=(sum(it is not None and _has_value(it.object, text) for text, it in cited), len(cited)),
            written=(sum(each.existing for each in said), sum(each.written for each in said)),
            marked=(sum(each.needs_support for each in said), len(said)),
            gaps=gaps,
        )

    return Worker(make_line)


def without_triples(triples: Sequence[Triple], absent: Sequence[Triple]) -> list[Triple]:
    """Leaves `absent` out of `triples`, and triples that swap subject and object of a triple of `absent`."""
    inverse = {(triple.object, triple.subject) for triple in absent}
    return [it for it in triples if it not in absent and (it.subject, it.object) not in inverse]


def count_gaps(answer: Answer, absent: Sequence[Triple], before: Answer) -> GapCounts:
    """Counts the statements with `[NA]` that name a triple of `absent`, and the triples that they name.

    `before` is the answer from the whole graph. A statement with `[NA]` in both answers is not counted.
    """
    known = {each.text for each in before.statements if each.needs_support}
    marked = [each for each in answer.statements if each.needs_support and each.text not in known]
    named = [{triple for triple in absent if _names_triple(each, triple)} for each in marked]
    return GapCounts((sum(map(bool, named)), len(marked)), (len(set[Triple]().union(*named)), len(absent)))


def _names_triple(statement: Statement, triple: Triple) -> bool:
    words, text = content_stems(fact_text("", triple.relation, [""])), statement.text
    has_relation = _has_value(relation_words(triple.relation), text) or set(words) & set(content_stems(text))
    return _has_value(triple.object, text) or (bool(has_relation) and _has_value(triple.subject, text))


def _has_value(value: str, text: str) -> bool:
    keyed = f" {name_key(text)} "
    return any(f" {name_key(form)} " in keyed for form in value_forms(value) if name_key(form))


def answer_tables(parts: Mapping[str, Pairs]) -> Tables:
    """Makes a table of the citations in all answers, and a table of the `[NA]` marks for removed triples."""
    [(name, pairs)] = parts.items()
    answered, gaps = [pair for pair in pairs if not pair[1].error], dict[str, dict[str, Measurement]]()
    for count in REMOVED_COUNTS:
        found = [line.gaps[count] for _, line in answered if count in line.gaps]
        precision = share_of_sums([it.precision for it in found])
        recall = share_of_sums([it.recall for it in found])
        f1 = Measurement(value=f1_ap(precision.value, recall.value), n=recall.n)
        gaps[f"{name}, {count} removed"] = {"precision": precision, "recall": recall, "f1": f1}
    return {
        "citations of all answers": {name: _citation_shares(answered)},
        "triples removed, and told by [NA]": gaps,
    }


def _citation_shares(pairs: Pairs) -> dict[str, Measurement]:
    lines: list[AnswerLine] = [line for _, line in pairs]
    return {
        "correctness": share([triple in row.triples for row, line in pairs for triple in line.cited]),
        "as written": share_of_sums([line.written for line in lines]),
        "aligned": share_of_sums([line.aligned for line in lines]),
        "without a citation": share([not line.cited for line in lines]),
        "marked [NA]": share_of_sums([line.marked for line in lines]),
    }


class DocumentRow(Row):
    """A web page about an event."""

    event_id: str
    title: str = ""
    url: str
    text: str
    is_wikipedia: bool


class EventSection(BaseModel):
    """A section of the article that people wrote about an event."""

    text: str


class EventRow(Row):
    """An event, the sections of the article that people wrote about it, and web pages about it."""

    id: Text = Field(validation_alias="event_id")
    title: str
    sections: tuple[EventSection, ...]
    documents: tuple[DocumentRow, ...] = ()


class ArticleLine(FinishedLine):
    """An article by the model about an event. `rouge_l` compares this article with people's article."""

    article: Article | None = None
    rouge_l: float | None = None


def wikigen_bench(events: Path, documents: Path, settings: Settings, options: BenchOptions) -> Bench:
    """Makes the benchmark WikiGenBench. Raises `RarrError` if the data or the settings are wrong."""
    rows = read_events(events, documents)
    most = max(len(row.documents) for row in rows)
    changes = {"trace": False, "search": retriever_of_pages(()), "documents_per_query": most}
    worker = partial(_writing_worker, settings.model_copy(update=changes))
    parts = {name_of(settings.model): Part(rows, ArticleLine, worker, rows[: options.limit])}
    return Bench("wikigen", "WikiGenBench", {"events": len(rows)}, parts, article_tables)


def read_events(events: Path, documents: Path) -> list[EventRow]:
    """Reads the events that have a web page. Leaves out pages of Wikipedia, which may copy people's article.

    Raises `InputError` if a file is missing, if a line is wrong, or if no event has a page.
    """
    pages = defaultdict[str, list[DocumentRow]](list)
    for page in read_rows(documents, DocumentRow):
        if not page.is_wikipedia:
            pages[page.event_id].append(page)
    every = read_rows(events, EventRow)
    found = [it.model_copy(update={"documents": tuple(pages[it.id])}) for it in every if it.id in pages]
    if not found:
        raise InputError(f"{documents} has no page of an event in {events}: give the files of one data set")
    return in_random_order(found)


def retriever_of_pages(documents: Sequence[DocumentRow]) -> GivenPassages:
    """Cuts the web pages `documents` into passages of 256 words. Returns a retriever of these passages."""
    facts = {"retrieved_at": datetime(2024, 1, 1, tzinfo=UTC)}
    passages = [
        Passage(text=it.text[at:end], source=it.url, title=it.title, start=at, end=end, **facts)
        for it in documents
        for at, end in chunks(it.text, CHUNK_WORDS)
    ]
    return GivenPassages(passages, window=1)


def _writing_worker(settings: Settings) -> Worker:
    made = wire(settings, measuring=True, writing_nodes=WRITING_NODES)

    async def make_line(event: EventRow) -> ArticleLine:
        pages = await work(retriever_of_pages, event.documents)
        article = await Writer(components=replace(made, retriever=pages)).awrite(event.title)
        failed = [each.message for each in article.warnings if is_failure(each)]
        if failed and not article.sentences:
            return ArticleLine(id=event.id, error=failed[0])
        written = [it for it in article.sections if it.state == "written"]
        text = "\n\n".join(article.research.text[it.start : it.end] for it in written)
        overlap = await work(rouge_l, text, "\n\n".join(it.text for it in event.sections))
        return ArticleLine(id=event.id, article=article, rouge_l=overlap)

    return Worker(make_line, (*made.models, *made.opened))


def article_tables(parts: Mapping[str, Pairs]) -> Tables:
    """Makes a table of means over articles. A model has a row before and a row after the check of citations.

    Leaves out articles that failed. The scores of citations leave out articles without a sentence.
    """
    rows = defaultdict[str, dict[str, Measurement]](dict)
    for model, pairs in parts.items():
        done: list[Article] = [line.article for _, line in pairs if line.article is not None]
        for how, name in product(("as written", "checked"), ("recall", "precision", "rate")):
            scores = [getattr(it, how.replace(" ", "_")) if it.sentences else None for it in done]
            rows[f"{model}, {how}"][name] = mean([each and getattr(each, name) for each in scores])
        rows[f"{model}, as written"] |= {
            "rouge_l": mean([line.rouge_l for _, line in pairs]),
            "words": mean([it.words for it in done]),
        }
    return {"means over articles; the verifier of the run judges citations": rows}
