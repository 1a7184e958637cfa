"""Recall at 1 among the passages that BM25 brings: the pooled Wikipedia passages of ClapNQ and QuoteSum."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from benchmarks.report import cell, share, table
from benchmarks.retrieval import questions, rank, searched
from rarr.agent.wiring.resources import Resources
from rarr.agent.wiring.search_and_reranking import reranker
from rarr.evals import metrics
from rarr.evals.metrics import Measured
from rarr.records import Passage
from rarr.settings import Settings
from recipes.measures.context import COSINE, RULES, TRAINED, Context, Embeds, Figure, Reads, Results

ALONE = "trained relevance alone"
NAMES = {RULES: "rules (reranker: overlap)", TRAINED: "trained (reranker: embedded)"}
Score = Callable[[str, Sequence[Passage]], Awaitable[Sequence[float]]]


def measure(context: Context) -> Results:
    """The rank of the first right passage, for every system and question."""
    return asyncio.run(_measure(context))


async def _measure(context: Context) -> Results:
    kept = context.kept("ranking")
    queries = questions()[: context.limit]
    systems = _systems(context)
    todo = [query for query in queries if any((name, query["id"]) not in kept for name in systems)]
    brought = await searched(todo) if todo else []
    for query, passages in zip(todo, brought, strict=True):
        for name, score in systems.items():
            if (name, query["id"]) not in kept:
                kept.add((name, query["id"]), rank(query, await _order(score, query["question"], passages)))
    figures, body = [], []
    for name in ("BM25", RULES, COSINE, ALONE, TRAINED):
        ranks = kept.of((name, query["id"]) for query in queries)
        if ranks is not None:
            figures.append(Figure("recall@1", name, metrics.share([at == 1 for at in ranks])))
            body.append(_line(name, ranks))
    return Results(figures, {"retrieval": table(["system", "recall@1", "recall@5", "MRR"], body)})


def _line(name: str, ranks: Sequence[int]) -> list[str]:
    reciprocal: Measured = metrics.mean([1 / at if at else 0.0 for at in ranks], resamples=500)
    return [
        NAMES.get(name, name),
        share([at == 1 for at in ranks]),
        share([0 < at <= 5 for at in ranks]),
        cell(reciprocal),
    ]


async def _order(score: Score | None, question: str, passages: Sequence[Passage]) -> list[str]:
    if score is None:
        return [passage.source for passage in passages]
    scores = await score(question, passages)
    ranked = sorted(zip(scores, passages, strict=True), key=lambda pair: -pair[0])
    return [passage.source for _, passage in ranked]


def _systems(context: Context) -> dict[str, Score | None]:
    """The available systems by name. BM25 keeps its own order."""
    systems: dict[str, Score | None] = {
        "BM25": None,
        RULES: _reranker("overlap"),
        ALONE: _relevance(context.encoder),
        TRAINED: _reranker("embedded"),
    }
    if context.cosine is not None:
        systems[COSINE] = _cosine(context.cosine)
    return systems


def _reranker(name: str) -> Score:
    settings = Settings(reranker=name)
    return reranker(settings, Resources(settings)).score


def _cosine(base: Embeds) -> Score:
    async def score(question: str, passages: Sequence[Passage]) -> Sequence[float]:
        texts = [
            f"{passage.title}: {passage.text}" if passage.title else passage.text for passage in passages
        ]
        vectors = base.embed([question, *texts])
        return [float(similarity) for similarity in vectors[1:] @ vectors[0]]

    return score


def _relevance(encoder: Reads) -> Score:
    async def score(question: str, passages: Sequence[Passage]) -> Sequence[float]:
        return encoder.relevance(question, [(passage.title, passage.text) for passage in passages])

    return score
