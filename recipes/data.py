"""The training data, built once from the shared data into JSON lines, and read from there."""

import asyncio
import json
import tempfile
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from benchmarks.harness import lines, rows
from rarr.records import Record
from rarr.retrievers.corpus.corpus import Corpus
from rarr.tools.storage.files import write_lines
from rarr.training.batches import TaskData, attribution, cloze
from rarr.training.examples import Attribution, Cloze
from recipes import pretraining, sources

WRITTEN = Path(__file__).parent / "data" / "written.jsonl"
SEED = 7
SIZES = {"handwritten": 10, "written": 10, "elsewhere": 24, "verifier": 24}
"""The size of a batch of each set of attributions; all other sets are clozes."""
CLOZE_SIZES = {
    "span_selection": 32,
    "handwritten_cloze": 32,
    "written_cloze": 32,
    "elsewhere_cloze": 28,
    "verifier_cloze": 24,
}
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
        "elsewhere": lambda: elsewhere(cloze=False),
        "elsewhere_cloze": lambda: elsewhere(cloze=True),
    }
    for name, make in makers.items():
        path = folder / f"{name}.jsonl"
        if not path.exists():
            made = [example.model_dump_json(exclude_defaults=True).encode() + b"\n" for example in make()]
            write_lines(path, made)
            print(f"{name}: {len(made)} examples", flush=True)


def handwritten() -> list[dict[str, Any]]:
    """The hand-written items of the shared data."""
    return rows("train/handwritten.jsonl.gz")


def written() -> list[dict[str, Any]]:
    """The hand-written items of `recipes/data/`, with the passages that they point at."""
    files = {"recent": "text_wikipedia_recent", "leads": "text_wikichat_leads"}
    articles = {name: {it["id"]: it for it in rows(f"train/{file}.jsonl.gz")} for name, file in files.items()}
    items = []
    for item in lines(WRITTEN):
        article = articles[item["text"]][item["article"]]
        passage = article["text"][item["start"] : item["end"]]
        items.append(item | {"title": article["title"], "evidence": passage})
    return items


def span_selection() -> list[Cloze]:
    """The pre-training examples, made by as many processes as there are cores.

    Articles of hand-written dev items are left out, so that training does not see what dev measures.
    """
    measured = {item["doc"] for item in rows("dev/editing/handwritten.jsonl.gz")}
    articles = [it for it in rows("train/text_wikipedia_recent.jsonl.gz") if it["id"] not in measured]
    shares = [articles[n : n + 250] for n in range(0, len(articles), 250)]
    with ProcessPoolExecutor() as pool:
        return [example for made in pool.map(_share, shares) for example in made]


def elsewhere(*, cloze: bool) -> Iterable[Any]:
    """Every hand-written claim with a passage of another document that a search finds for it."""
    items = [*handwritten(), *written()]
    queries = [(item["supported"], item["title"] or "", item["evidence"]) for item in items]
    return sources.elsewhere(items, asyncio.run(_searched(queries)), cloze=cloze)


def loaded(folder: Path) -> dict[str, TaskData]:
    """The data sets for the trainer."""

    def read(name: str, kind: type[Record]) -> list[Any]:
        return [
            kind.model_validate_json(line) for line in (folder / f"{name}.jsonl").read_bytes().splitlines()
        ]

    attributions = {
        name: TaskData(attribution, read(name, Attribution), size) for name, size in SIZES.items()
    }
    clozes = {name: TaskData(cloze, read(name, Cloze), size) for name, size in CLOZE_SIZES.items()}
    return attributions | clozes


def _share(articles: Sequence[dict[str, Any]]) -> list[Cloze]:
    return list(pretraining.examples(articles, SEED))


async def _searched(queries: Sequence[tuple[str, str, str]]) -> list[list[int]]:
    """For each query, the numbers of the best passages by BM25, without its own."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "passages.jsonl"
        seen: dict[str, int] = {}
        with path.open("w", encoding="utf-8") as file:
            for number, (_, title, text) in enumerate(queries):
                if seen.setdefault(text, number) == number:
                    file.write(json.dumps({"text": text, "title": title, "source": str(number)}) + "\n")
        corpus = Corpus.open(path, home=Path(folder) / "home", window=20)
        brought = []
        for query, _, text in queries:
            passages = await corpus.retrieve(query, NEGATIVES)
            numbers = dict.fromkeys(int(passage.source) for passage in passages)
            brought.append([number for number in numbers if queries[number][2] != text])
        await corpus.aclose()
        return brought
