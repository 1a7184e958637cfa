"""Span-selection pre-training (Glass et al. 2020): an article often says the same thing twice.

A sentence of an article is the text, and another part of the article is the passage. Values and phrases
that both have are masked in the text, and the reader points at them in the passage. For a value that the
passage lacks, the answer is nowhere.
"""

import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from rarr.backends.embedded.items import items_of
from rarr.tools.text.blocks_and_sentences import Span, split_sentences
from rarr.training.examples import Cloze, maskable

SENTENCES_EACH = 9  # texts that are taken of one article, at most
SHORTEST, LONGEST = 6, 42  # words of a text
ROOM = 460  # characters of a passage
_HEADING = re.compile(r"^=+.*=+$", re.MULTILINE)


def examples(articles: Sequence[dict[str, Any]], seed: int) -> Iterator[Cloze]:
    """The examples of all articles; what is drawn follows from the seed and the article."""
    for article in articles:
        yield from of_article(article, random.Random(f"{seed} {article['id']}"))


def of_article(article: dict[str, Any], rng: random.Random) -> Iterator[Cloze]:
    """A few sentences of the article, each with the part of the article that repeats most of it."""
    body = _HEADING.sub("", article["text"])
    spans = [span for span in split_sentences(body) if len(span.of(body).split()) >= 4]
    topic = _marks(article["title"])
    marks = [_marks(span.of(body)) - topic for span in spans]
    frequency = Counter(mark for sentence_marks in marks for mark in sentence_marks)
    texts = [n for n, span in enumerate(spans) if SHORTEST <= len(span.of(body).split()) <= LONGEST]
    rng.shuffle(texts)
    count = 0
    for n in texts:
        shared = (
            (sum(1 / frequency[mark] for mark in marks[n] & marks[m]), m) for m in range(len(spans)) if m != n
        )
        best, at = max(shared, default=(0.0, 0))
        if best < 0.5:  # of two marks that only these two sentences have, each counts a half
            continue
        text, passage = spans[n].of(body), _window(spans, at, n, rng).of(body)
        values = tuple(maskable(text, passage, article["title"], unsaid=True))
        if any(value.answers for value in values):
            yield Cloze(text=text, title=article["title"], passage=passage, values=values)
            count += 1
        if count == SENTENCES_EACH:
            return


def _marks(text: str) -> set[str]:
    """What tells a text apart: the stems of its words with meaning, and its values."""
    return {item.stem or text[item.start : item.end].lower() for item in items_of(text)}


def _window(spans: Sequence[Span], at: int, excluded: int, rng: random.Random) -> Span:
    """The sentence `at` with neighbours on both sides, up to `ROOM` characters and without `excluded`."""
    first = last = at
    for _ in range(4):
        back = rng.random() < 0.5
        step = first - 1 if back else last + 1
        if not 0 <= step < len(spans) or step == excluded:
            continue
        begin, end = min(first, step), max(last, step)
        if spans[end].end - spans[begin].start <= ROOM:
            first, last = begin, end
    return Span(spans[first].start, spans[last].end)
