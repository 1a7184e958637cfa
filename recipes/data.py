"""The training data, built once from the shared data into JSON lines, and read from there."""

import asyncio
import json
import tempfile
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from benchmarks.harness import rows
from rarr.retrievers.corpus.corpus import Corpus
from rarr.training.examples import Cloze, Relevance, read, write
from rarr.training.tasks import attribution, cloze, embedding, relevance as ranking
from rarr.training.trainer import TaskData
from recipes import pretraining, sources

WRITTEN = Path(__file__).parent / "data"
SEED = 7
NEGATIVES = 12  # passages that BM25 brings for a query, of which those of other sources are wrong


def build(folder: Path) -> None:
    """Writes every set of examples that is missing."""
    folder.mkdir(parents=True, exist_ok=True)
    makers: dict[str, Callable[[], Iterable[Any]]] = {
        "span_selection": span_selection,
        "handwritten_cloze": lambda: sources.handwritten_cloze(handwritten()),
        "handwritten": lambda: sources.handwritten_attribution(handwritten()),
        "written_cloze": lambda: sources.handwritten_cloze(written()),
        "written": lambda: sources.handwritten_attribution(written()),
        "verifier": lambda: sources.verifier(rows("train/verifier.jsonl.gz")),
        "verifier_cloze": lambda: sources.verifier_cloze(rows("train/verifier.jsonl.gz")),
        "relevance": relevance,
        "elsewhere": lambda: elsewhere(cloze=False),
        "elsewhere_cloze": lambda: elsewhere(cloze=True),
    }
    for name, make in makers.items():
        path = folder / f"{name}.jsonl"
        if not path.exists():
            print(f"{name}: {write(path, make())} examples", flush=True)


def handwritten() -> list[dict[str, Any]]:
    """The hand-written items of the shared data."""
    return rows("train/handwritten.jsonl.gz")


def written() -> list[dict[str, Any]]:
    """The hand-written items of `recipes/data/`, with the passages that they point at."""
    articles = {
        "recent": {article["id"]: article for article in rows("train/text_wikipedia_recent.jsonl.gz")},
        "leads": {article["id"]: article for article in rows("train/text_wikichat_leads.jsonl.gz")},
    }
    items = []
    for path in sorted(WRITTEN.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            item = json.loads(line)
            article = articles[item["text"]][item["article"]]
            passage = article["text"][item["start"] : item["end"]]
            items.append(item | {"title": article["title"], "evidence": passage})
    return items


def span_selection() -> list[Cloze]:
    """The pre-training examples, made by as many processes as there are cores.

    Articles of hand-written dev items are left out, so that training does not see what dev measures.
    """
    measured = {item["doc"] for item in rows("dev/editing/handwritten.jsonl.gz")}
    articles = [
        article for article in rows("train/text_wikipedia_recent.jsonl.gz") if article["id"] not in measured
    ]
    shares = [articles[n : n + 250] for n in range(0, len(articles), 250)]
    with ProcessPoolExecutor() as pool:
        return [example for made in pool.map(_share, shares) for example in made]


def elsewhere(*, cloze: bool) -> Iterable[Any]:
    """Every hand-written claim with a passage of another document that a search finds for it."""
    items = [*handwritten(), *written()]
    queries = [(item["supported"], item["title"] or "", item["evidence"]) for item in items]
    return sources.elsewhere(items, asyncio.run(_searched(queries)), cloze=cloze)


def relevance() -> Iterable[Any]:
    """Queries with the passages that BM25 brings for them."""
    queries = sources.questions(handwritten(), rows("train/verifier.jsonl.gz"))
    return sources.relevance(queries, asyncio.run(_searched(queries)))


def loaded(folder: Path) -> dict[str, TaskData]:
    """The data sets for the trainer."""
    sets = {path.stem: read(path) for path in sorted(folder.glob("*.jsonl"))}
    texts = [example.passage for example in sets["span_selection"][::3] if isinstance(example, Cloze)]
    for example in sets["relevance"]:
        if isinstance(example, Relevance):
            texts += [example.query, example.passages[0][1]]
    return {
        "span_selection": TaskData(cloze, sets["span_selection"], 32),
        "handwritten_cloze": TaskData(cloze, sets["handwritten_cloze"], 32),
        "handwritten": TaskData(attribution, sets["handwritten"], 10),
        "written_cloze": TaskData(cloze, sets["written_cloze"], 32),
        "written": TaskData(attribution, sets["written"], 10),
        "elsewhere": TaskData(attribution, sets["elsewhere"], 24),
        "elsewhere_cloze": TaskData(cloze, sets["elsewhere_cloze"], 28),
        "verifier": TaskData(attribution, sets["verifier"], 24),
        "verifier_cloze": TaskData(cloze, sets["verifier_cloze"], 24),
        "relevance": TaskData(ranking, sets["relevance"], 8),
        "embedding": TaskData(embedding, texts, 32),
    }


def _share(articles: Sequence[dict[str, Any]]) -> list[Cloze]:
    return list(pretraining.examples(articles, SEED))


async def _searched(queries: Sequence[tuple[str, str, str]]) -> list[list[int]]:
    """For each query, the numbers of the best passages by BM25, without its own."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "passages.jsonl"
        seen: dict[str, int] = {}
        with path.open("w", encoding="utf-8") as lines:
            for number, (_, title, text) in enumerate(queries):
                if seen.setdefault(text, number) == number:
                    lines.write(json.dumps({"text": text, "title": title, "source": str(number)}) + "\n")
        corpus = Corpus.open(path, home=Path(folder) / "home", window=20, step=20, max_file_mb=500)
        brought = []
        for query, _, text in queries:
            passages = await corpus.retrieve(query, NEGATIVES)
            numbers = dict.fromkeys(int(passage.source) for passage in passages)
            brought.append([number for number in numbers if queries[number][2] != text])
        await corpus.aclose()
        return brought
