"""How well passages are found: each reranker over what a search brings, and the whole chain on web pages.

    python -m benchmarks.retrieval [--reranker NAME ...]

Pooled Wikipedia passages (ClapNQ and QuoteSum): a question, and the passages that answer it; recall at 1 and
5 and the mean reciprocal rank among the 20 that BM25 brings. Then the chain from pages to passages on the
pages collected for WikiGenBench, in passages a second.
"""

import argparse
import asyncio
import json
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.report import machine, share
from benchmarks.shared_data import rows
from rarr.agent.wiring.resources import Resources
from rarr.agent.wiring.search_and_reranking import reranker
from rarr.components import Reranker
from rarr.records import Passage
from rarr.retrievers.corpus.chunking import windows
from rarr.retrievers.corpus.corpus import Corpus
from rarr.settings import Settings

BROUGHT = 20
PAGES = "measure_only/unlicensed/dev/retrieval/wikigenbench_docs.jsonl.gz"


def main() -> None:
    """Prints both parts."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--reranker", nargs="*", default=["overlap"], help="as in the settings")
    options = parser.parse_args()
    print(f"{machine()}\n")
    asyncio.run(ranking(options.reranker))
    chain()


async def ranking(names: Sequence[str]) -> None:
    """Prints a line for the search alone and for each reranker."""
    queries = questions()
    print(f"{len(queries)} questions; of {BROUGHT} passages that BM25 brings")
    brought = await searched(queries)
    _line("BM25 alone", queries, [[passage.source for passage in passages] for passages in brought], 0.0)
    for name in names:
        await _reranked(name, queries, brought)


def questions() -> list[dict[str, Any]]:
    """The questions that have a passage with the answer."""
    return [query for query in rows("dev/retrieval/wiki_passages_queries.jsonl") if query["gold"]]


async def searched(queries: Sequence[Mapping[str, Any]]) -> list[Sequence[Passage]]:
    """The passages that BM25 brings for each query, best first."""
    with tempfile.TemporaryDirectory() as folder:
        corpus = _corpus(rows("dev/retrieval/wiki_passages_corpus.jsonl"), Path(folder) / "corpus")
        return [await corpus.retrieve(query["question"], BROUGHT) for query in queries]


async def _reranked(
    name: str, queries: Sequence[dict[str, Any]], brought: Sequence[Sequence[Passage]]
) -> None:
    settings = Settings(reranker=name)
    resources = Resources(settings)
    chosen_reranker: Reranker = reranker(settings, resources)
    started = time.perf_counter()
    ranked = []
    for query, passages in zip(queries, brought, strict=True):
        scores = await chosen_reranker.score(query["question"], passages)
        order = sorted(zip(scores, passages, strict=True), key=lambda pair: -pair[0])
        ranked.append([passage.source for _, passage in order])
    await resources.aclose()
    _line(name, queries, ranked, sum(map(len, brought)) / (time.perf_counter() - started))


def _line(
    name: str, queries: Sequence[dict[str, Any]], ranked: Sequence[Sequence[str]], speed: float
) -> None:
    ranks = [rank(query, sources) for query, sources in zip(queries, ranked, strict=True)]
    mrr = sum(1 / place for place in ranks if place) / len(ranks)
    at_1, at_5 = share([place == 1 for place in ranks]), share([0 < place <= 5 for place in ranks])
    shown = f", {speed:,.0f} passages a second" if speed else ""
    print(f"  {name}: recall@1 {at_1}, recall@5 {at_5}, MRR {mrr:.3f}{shown}")


def rank(query: Mapping[str, Any], sources: Sequence[str]) -> int:
    """The rank, from 1, of the first right document among those of the passages; 0 if there is none."""
    documents = dict.fromkeys(sources)
    gold = {str(document) for document in query["gold"]}
    return next((place for place, source in enumerate(documents, 1) if source in gold), 0)


def chain() -> None:
    """Cuts the texts of pages into windows, indexes and searches them, and prints the speed of each step."""
    pages = rows(PAGES)
    started = time.perf_counter()
    cut = sum(len(windows(page["text"], window=4, step=1)) for page in pages)
    seconds = time.perf_counter() - started
    print(f"\n{len(pages)} pages cut into {cut:,} passages: {cut / seconds:,.0f} passages a second")
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        texts = [{"id": number, "text": page["text"]} for number, page in enumerate(pages)]
        corpus = _corpus(texts, Path(folder) / "corpus")
        build_seconds = time.perf_counter() - started
        started = time.perf_counter()
        queries = [" ".join(page["text"].split()[:12]) for page in pages[:200]]
        passage_count = asyncio.run(_searched(corpus, queries))
        search_seconds = time.perf_counter() - started
    print(f"read, cut and indexed: {cut / build_seconds:,.0f} passages a second")
    print(
        f"searched: {len(queries) / search_seconds:,.0f} queries a second,"
        f" {passage_count / len(queries):.1f} passages each"
    )


async def _searched(corpus: Corpus, queries: Sequence[str]) -> int:
    return sum([len(await corpus.retrieve(query, 5)) for query in queries])


def _corpus(texts: Sequence[dict[str, Any]], folder: Path) -> Corpus:
    folder.mkdir()
    lines = (
        {"text": text["text"], "title": text.get("title") or "", "source": str(text["id"])} for text in texts
    )
    file = folder / "texts.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return Corpus.open(file, home=folder / "home", window=4, step=1, max_file_mb=500)


if __name__ == "__main__":
    main()
