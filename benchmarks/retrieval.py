"""Measures how well passages are found: by BM25 alone, and by rerankers of the passages that BM25 finds.

    python -m benchmarks.retrieval [--reranker NAME ...]

The data are Wikipedia passages (ClapNQ and QuoteSum), with questions and the passages that answer them.
Prints recall at 1 and 5, and the mean reciprocal rank, among the 20 passages that BM25 finds.
"""

import asyncio
import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.harness import machine, make_parser, read_data, share
from rarr.agent.wiring.sources import Resources, make_reranker
from rarr.records import Passage
from rarr.retrievers.corpus.corpus import Corpus
from rarr.settings import Settings

DEPTH = 20


def main() -> None:
    made = make_parser(__doc__)
    made.add_argument("--reranker", nargs="*", default=["overlap"], help="as in the settings")
    print(f"{machine()}\n")
    asyncio.run(print_rankings(made.parse_args().reranker))


async def print_rankings(names: Sequence[str]) -> None:
    """Prints a line of figures for the search alone, and a line for each reranker."""
    queries = [it for it in read_data("dev/retrieval/wiki_passages_queries.jsonl") if it["gold"]]
    print(f"{len(queries)} questions; of {DEPTH} passages that BM25 brings")
    brought = await search_all(queries)
    _print_line("BM25 alone", queries, [[passage.source for passage in passages] for passages in brought])
    for name in names:
        await _print_reranker(name, queries, brought)


async def search_all(queries: Sequence[Mapping[str, Any]]) -> list[Sequence[Passage]]:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "texts.jsonl"
        texts = read_data("dev/retrieval/wiki_passages_corpus.jsonl")
        lines = (
            {"text": it["text"], "title": it.get("title") or "", "source": str(it["id"])} for it in texts
        )
        file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        corpus = Corpus.open(file, home=Path(folder) / "home", window=4)
        return [await corpus.retrieve(query["question"], DEPTH) for query in queries]


async def _print_reranker(
    name: str, queries: Sequence[dict[str, Any]], brought: Sequence[Sequence[Passage]]
) -> None:
    settings = Settings(reranker=name)
    resources = Resources(settings)
    by, ranked = make_reranker(settings, resources), []
    for query, passages in zip(queries, brought, strict=True):
        scores = await by.score(query["question"], passages)
        order = sorted(zip(scores, passages, strict=True), key=lambda pair: -pair[0])
        ranked.append([passage.source for _, passage in order])
    await resources.aclose()
    _print_line(name, queries, ranked)


def _print_line(name: str, queries: Sequence[dict[str, Any]], ranked: Sequence[Sequence[str]]) -> None:
    ranks = [rank_of_right(query, sources) for query, sources in zip(queries, ranked, strict=True)]
    mrr = sum(1 / place for place in ranks if place) / len(ranks)
    at_1, at_5 = share([place == 1 for place in ranks]), share([0 < place <= 5 for place in ranks])
    print(f"  {name}: recall@1 {at_1}, recall@5 {at_5}, MRR {mrr:.3f}")


def rank_of_right(query: Mapping[str, Any], sources: Sequence[str]) -> int:
    """Returns the rank (from 1) of the first right document among the `sources`; 0 if there is none."""
    documents = dict.fromkeys(sources)
    gold = {str(document) for document in query["gold"]}
    return next((place for place, source in enumerate(documents, 1) if source in gold), 0)


if __name__ == "__main__":
    main()
