"""Makes the training examples from the folder `train/` of the data sets, once, as files of JSON lines.

An example is a text and a passage: with a label for the text, or with values of the text to hide and to find.
"""

import asyncio
import json
import random
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from benchmarks.harness import read_data, read_lines
from rarr.backends.embedded.items import items_of
from rarr.retrievers.corpus.corpus import Corpus
from rarr.tools.storage.files import write_whole
from rarr.tools.text.blocks_and_sentences import split_sentences
from rarr.training.examples import Example, Label, cloze_values

Item = dict[str, Any]
WRITTEN, HANDWRITTEN = Path(__file__).parent / "data" / "written.jsonl", "train/handwritten.jsonl.gz"
SEED = 7
SEARCH_RESULTS = 12  # the passages that a search finds for a claim
LONGEST_PASSAGE = 900  # characters
MOST_EXAMPLES = 9  # the most examples of one article
SHORTEST, LONGEST = 6, 42  # the fewest and the most words of a sentence that becomes an example
_HEADING = re.compile(r"^=+.*=+$", re.MULTILINE)


def example_makers() -> dict[str, Callable[[], Iterator[Example]]]:
    return {
        "span_selection": span_selection,
        "handwritten": lambda: examples_of_items(read_data(HANDWRITTEN)),
        "written": lambda: examples_of_items(written_items()),
        "elsewhere": lambda: examples_of_other_documents([*read_data(HANDWRITTEN), *written_items()]),
        "verifier": lambda: examples_of_judged_claims(read_data("train/verifier.jsonl.gz")),
    }


def write_examples(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in example_makers().items():
        if not (path := folder / f"{name}.jsonl").exists():
            made = [example.model_dump_json(exclude_defaults=True).encode() + b"\n" for example in make()]
            write_whole(path, made)
            print(f"{name}: {len(made)} examples", flush=True)


def load_examples(folder: Path) -> dict[str, list[Example]]:
    files = {name: (folder / f"{name}.jsonl").read_bytes().splitlines() for name in example_makers()}
    return {name: [Example.model_validate_json(line) for line in file] for name, file in files.items()}


def written_items() -> list[Item]:
    """Returns the hand-written items of `recipes/data/`, with the passages to which they refer."""
    files = {"recent": "text_wikipedia_recent", "leads": "text_wikichat_leads"}
    rows = {name: read_data(f"train/{file}.jsonl.gz") for name, file in files.items()}
    articles = {name: {row["id"]: row for row in rows[name]} for name in rows}
    items = []
    for item in read_lines(WRITTEN):
        article = articles[item["text"]][item["article"]]
        passage = article["text"][item["start"] : item["end"]]
        items.append(item | {"title": article["title"], "evidence": passage})
    return items


def examples_of_items(items: Sequence[Item]) -> Iterator[Example]:
    """Yields for each item an example of each of its three texts, and up to two examples with values to hide.

    One hides the values that the passage states, the other those that the passage lacks.
    """
    labels: dict[str, Label] = {
        "supported": "attributable",
        "corrupted": "contradictory",
        "extrapolatory": "extrapolatory",
    }
    for item in items:
        title, passage = item["title"] or "", item["evidence"]
        for name, label in labels.items():
            yield Example(text=item[name], title=title, passage=passage, label=label)
        yield from cloze_examples(item["supported"], passage, title, stated=True)
        yield from cloze_examples(item["extrapolatory"], passage, title, stated=False)


def cloze_examples(text: str, passage: str, title: str, *, stated: bool) -> Iterator[Example]:
    """Yields an example that hides the values that the passage states, or (not `stated`) those it lacks."""
    values = tuple(it for it in cloze_values(text, passage, title) if bool(it.answers) == stated)
    if values:
        yield Example(text=text, title=title, passage=passage, values=values)


def examples_of_other_documents(items: Sequence[Item]) -> Iterator[Example]:
    """Yields examples of claims with a passage of another document, which does not decide the claim."""
    documents = [item.get("doc", item.get("article")) for item in items]
    brought = asyncio.run(_search_items(items))
    for item, document, numbers in zip(items, documents, brought, strict=True):
        other = next((items[n] for n in numbers if documents[n] != document), None)
        if other is not None:
            title, passage, text = other["title"] or "", other["evidence"], item["supported"]
            yield Example(text=text, title=title, passage=passage, label="extrapolatory")
            yield from cloze_examples(text, passage, title, stated=False)


async def _search_items(items: Sequence[Item]) -> list[list[int]]:
    """Returns for each item the numbers of the items whose passages BM25 ranks best for its claim."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "passages.jsonl"
        passages = {item["evidence"]: number for number, item in enumerate(items)}
        found = [{"text": text, "source": str(number)} for text, number in passages.items()]
        write_whole(path, (json.dumps(line).encode() + b"\n" for line in found))
        corpus = Corpus.open(path, home=Path(folder) / "home", window=20)
        brought = [await corpus.retrieve(item["supported"], SEARCH_RESULTS) for item in items]
    return [[int(passage.source) for passage in some] for some in brought]


def examples_of_judged_claims(judged: Sequence[Item]) -> Iterator[Example]:
    """Yields examples of claims that people judged, each with the part of its evidence that is closest."""
    for row in judged:
        label: Label | None = row["label3"] or ("not_supported" if row["supported"] is False else None)
        asked = row["source"] == "halueval_qa"
        text = f"{row['question']} {row['claim']}" if asked else row["claim"]
        if not (label and row["evidence"] and text):
            continue
        title = row["evidence"][0].get("title")
        title = title if isinstance(title, str) else ""
        passage = closest_window(text, " ".join(evidence["text"] for evidence in row["evidence"]))
        yield Example(text=text, title=title, passage=passage, label=label)
        if label == "attributable" and not asked:
            yield from cloze_examples(text, passage, title, stated=True)


def closest_window(text: str, passage: str) -> str:
    """Returns the sentences of the passage, in up to 900 characters, that have most words of the text."""
    if len(passage) <= LONGEST_PASSAGE:
        return passage
    wanted = {item.stem for item in items_of(text)}
    spans = split_sentences(passage)
    ends = [[it.end for it in spans if it.end <= first.start + LONGEST_PASSAGE] for first in spans]
    windows = (passage[it.start : max(of, default=0)] for it, of in zip(spans, ends, strict=True))
    return max(windows, key=lambda window: len(wanted & {it.stem for it in items_of(window)}))


def span_selection() -> Iterator[Example]:
    """Yields examples for span-selection pre-training (Glass et al. 2020): an article often repeats a fact.

    Leaves out the articles of the items in `dev/`, so that training does not see what these items measure.
    """
    measured = {item["doc"] for item in read_data("dev/editing/handwritten.jsonl.gz")}
    articles = [it for it in read_data("train/text_wikipedia_recent.jsonl.gz") if it["id"] not in measured]
    with ProcessPoolExecutor() as pool:
        for made in pool.map(examples_of_article, articles, chunksize=100):
            yield from made


def examples_of_article(article: Item) -> list[Example]:
    """Returns examples of sentences, each with the part of the article that repeats most of the sentence."""
    body, made = _HEADING.sub("", article["text"]), list[Example]()
    spans = [span for span in split_sentences(body) if len(span.of(body).split()) >= 4]
    topic = _distinctive_words(article["title"])
    marks = [_distinctive_words(span.of(body)) - topic for span in spans]
    frequency = Counter(mark for of_sentence in marks for mark in of_sentence)
    texts = [n for n, span in enumerate(spans) if SHORTEST <= len(span.of(body).split()) <= LONGEST]
    random.Random(f"{SEED} {article['id']}").shuffle(texts)
    for n in texts:
        others = [m for m in range(len(spans)) if m != n]
        shared = ((sum(1 / frequency[mark] for mark in marks[n] & marks[m]), m) for m in others)
        best, at = max(shared, default=(0.0, 0))
        if best < 0.5:  # a word that only two sentences have counts a half
            continue
        near = [m for m in others if abs(m - at) <= 1]
        passage = body[spans[near[0]].start : spans[near[-1]].end]
        made += cloze_examples(spans[n].of(body), passage, article["title"], stated=True)
    return made[:MOST_EXAMPLES]


def _distinctive_words(text: str) -> set[str]:
    """Returns the stems of the meaningful words of a text, and its values."""
    return {item.stem or text[item.start : item.end].lower() for item in items_of(text)}
