"""Cites sentences of WikiGenBench's reference articles from the event's web pages: precision and recall.

    python -m benchmarks.cite [--events N] [--unread FILE]

The articles have no citations (Zhang et al. 2024), and the pages support few of their sentences. Therefore a
sample is one sentence of each event, with the sentence before it. A passage of the event's first three pages
must have most of the words of the sentence (`_LEAST_OVERLAP`). A citation is right if its passage says the
whole sentence. A person judged the pairs of sentence and passage: benchmarks/cite_labels.json has the
judgements by digest, without the data. `--unread` writes the pairs without a judgement to a file.

Precision is the share of the citations that are right. Recall is the share of the sentences with a right
citation, among the sentences that a passage of any system supports. The other systems cite the passage that
BM25 ranks first, or the passage of every page that has most words of the sentence.
"""

import hashlib
import json
import random
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.harness import make_parser, read_data, share, table
from rarr import Passage, Reviser, Settings
from rarr.retrievers.corpus.chunking import cut_passages
from rarr.retrievers.corpus.index_words import query_stems
from rarr.retrievers.given_passages import GivenPassages
from rarr.retrievers.reranking import nearest
from rarr.tools.text.blocks_and_sentences import sentences

FOLDER = "measure_only/unlicensed/dev/retrieval"
LABELS = Path(__file__).with_name("cite_labels.json")
SYSTEMS = ("rarr.cite", "cite the BM25 best", "cite all")
_WORDS, _PAGES, _LEAST_OVERLAP = 8, 3, 0.7
_TIME = datetime(2026, 1, 1, tzinfo=UTC)


class CitedSample(NamedTuple):
    """A sentence of an article, the title of the article, and the passages that each system cites for it."""

    sentence: str
    title: str
    cited: Mapping[str, Sequence[Passage]]


def samples(most: int, settings: Mapping[str, Any]) -> Iterator[CitedSample]:
    pages: dict[str, list[Passage]] = {}
    for page in read_data(f"{FOLDER}/wikigenbench_docs.jsonl.gz"):
        passages = pages.setdefault(page["event_id"], [])
        readable = not page["is_wikipedia"] and "%PDF" not in page["text"]
        if readable and len({passage.source for passage in passages}) < _PAGES:
            passages += _cut_page(page)
    events = read_data(f"{FOLDER}/wikigenbench_events.jsonl.gz")
    random.Random(21).shuffle(events)
    chosen = ((event, _choose_sentence(event, pages.get(event["event_id"], []))) for event in events)
    for event, place in islice(((event, place) for event, place in chosen if place), most):
        yield _sample(event["title"], *place, pages[event["event_id"]], settings)


def _sample(
    title: str, text: str, sentence: str, passages: Sequence[Passage], settings: Mapping[str, Any]
) -> CitedSample:
    given = GivenPassages(passages, window=4)
    with Reviser(Settings(search=given, **settings)) as reviser:
        cited = reviser.cite(text, title)
    (judged,) = (each for each in cited.research.report.sentences if each.text == sentence)
    ranked = sorted(zip(_overlaps(sentence, passages), passages, strict=True), key=lambda pair: pair[0])
    return CitedSample(
        sentence,
        title,
        {
            "rarr.cite": [each.passage for each in cited.citations if each.sentence_start == judged.start],
            "cite the BM25 best": nearest(passages, sentence, 1),
            "cite all": list({passage.source: passage for _, passage in ranked}.values()),
        },
    )


def _choose_sentence(event: Mapping[str, Any], passages: Sequence[Passage]) -> tuple[str, str] | None:
    """Draws a sentence that passages may support. Returns (previous sentence with it, sentence), or None."""
    candidates = []
    for section in event["sections"]:
        for paragraph in section["text"].split("\n"):
            spans = sentences(paragraph)
            for number, span in enumerate(spans):
                text = span.of(paragraph)
                most = max(_overlaps(text, passages), default=0)
                if len(text.split()) >= _WORDS and most >= _LEAST_OVERLAP:
                    candidates.append((paragraph[spans[max(0, number - 1)].start : span.end], text))
    return random.Random(str(event["event_id"])).choice(candidates) if candidates else None


def _overlaps(sentence: str, passages: Sequence[Passage]) -> list[float]:
    """Returns for each passage the share of the sentence's word stems that the passage has."""
    stems = set(query_stems(sentence))
    return [len(stems & _stems(passage.text)) / max(1, len(stems)) for passage in passages]


@cache
def _stems(text: str) -> frozenset[str]:
    return frozenset(query_stems(text))


def _cut_page(page: Mapping[str, Any]) -> list[Passage]:
    text = page["text"]
    place = {"source": page["url"], "start": 0, "end": len(text), "retrieved_at": _TIME}
    return cut_passages(Passage(text=text, title=page["title"], **place), window=4)


def pair_id(sentence: str, passage: Passage) -> str:
    return hashlib.sha256(f"{sentence}\n{passage.text}".encode()).hexdigest()[:16]


def table_rows(sampled: Sequence[CitedSample], judged: Mapping[str, bool]) -> list[list[str]]:
    """Returns a row of the table for each system, with 95% intervals. Ignores pairs without a judgement."""
    names = {
        system: [[pair_id(it.sentence, passage) for passage in it.cited[system]] for it in sampled]
        for system in SYSTEMS
    }
    right = {system: [any(map(judged.get, pairs)) for pairs in of] for system, of in names.items()}
    supported = [at for at, by_any in enumerate(zip(*right.values(), strict=True)) if any(by_any)]
    cited = {
        system: [judged[name] for pairs in of for name in pairs if name in judged]
        for system, of in names.items()
    }
    return [
        [system, share(cited[system]), share([right[system][at] for at in supported])] for system in SYSTEMS
    ]


def pairs_to_judge(sampled: Sequence[CitedSample], judged: Mapping[str, bool]) -> list[dict[str, str]]:
    pairs = {
        pair_id(s.sentence, p): {"sentence": s.sentence, "title": s.title, "passage": p.text, "page": p.title}
        for s in sampled
        for passages in s.cited.values()
        for p in passages
    }
    return [{"id": name, **pair} for name, pair in pairs.items() if name not in judged]


def main() -> None:
    made = make_parser(__doc__)
    made.add_argument("--events", type=int, default=80)
    made.add_argument("--unread", type=Path, help="write pairs without a judgement to this file")
    options = made.parse_args()
    with tempfile.TemporaryDirectory() as home:
        sampled = list(samples(options.events, {"home": home, "trace": False}))
    judged = json.loads(LABELS.read_text(encoding="utf-8"))
    missing = pairs_to_judge(sampled, judged)
    if options.unread:
        text = "".join(f"{json.dumps(pair, ensure_ascii=False)}\n" for pair in missing)
        options.unread.write_text(text, encoding="utf-8")
    print(f"{len(sampled)} sentences; {len(missing)} pairs without a judgement\n")
    print(table(("system", "precision", "recall"), table_rows(sampled, judged)))


if __name__ == "__main__":
    main()
