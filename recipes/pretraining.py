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

from rarr.backends.rules.parsed_sentence import ParsedSentence
from rarr.backends.rules.words import word_tokens
from rarr.training.examples import Cloze
from rarr.training.masks_and_answers import PassageSentence, maskable, parts

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
    sentences = [part for part in parts(body) if len(part.read.words) >= 4]
    title_stems = {word.stem for word in word_tokens(article["title"]) if word.stem}
    marks = [_marks(part.read, title_stems) for part in sentences]
    frequency = Counter(mark for sentence_marks in marks for mark in sentence_marks)
    candidates = [n for n, part in enumerate(sentences) if SHORTEST <= len(part.read.words) <= LONGEST]
    rng.shuffle(candidates)
    count = 0
    for n in candidates:
        shared = [
            (sum(1 / frequency[mark] for mark in marks[n] & marks[m]), m)
            for m in range(len(sentences))
            if m != n
        ]
        best, at = max(shared, default=(0.0, 0))
        if best < 0.5:  # of two marks that only these two sentences have, each counts a half
            continue
        passage = _window(body, sentences, at, n, rng)
        example = _example(article, body, sentences[n], passage)
        if example is not None:
            yield example
            count += 1
        if count == SENTENCES_EACH:
            return


def _example(article: dict[str, Any], body: str, sentence: PassageSentence, passage: str) -> Cloze | None:
    text = sentence.read.text
    values = tuple(maskable(text, parts(passage), article["title"], unsaid=True))
    if sum(bool(value.answers) for value in values) == 0:
        return None
    return Cloze(source="span_selection", text=text, title=article["title"], passage=passage, values=values)


def _marks(part: ParsedSentence, title_stems: set[str]) -> set[str]:
    """The marks of a sentence: its values, and the stems of its content words that the title lacks."""
    values = {f"={part.text[v.start : v.end].lower()}" for v in part.values if v.kind != "term"}
    return values | {word.stem for word in part.content if word.stem not in title_stems}


def _window(
    body: str, sentences: Sequence[PassageSentence], at: int, excluded: int, rng: random.Random
) -> str:
    """The sentence `at` with neighbours on both sides, up to `ROOM` characters and without `excluded`."""
    first = last = at
    for _ in range(4):
        back = rng.random() < 0.5
        step = first - 1 if back else last + 1
        if not 0 <= step < len(sentences) or step == excluded:
            continue
        begin, end = min(first, step), max(last, step)
        if sentences[end].start + len(sentences[end].read.text) - sentences[begin].start > ROOM:
            continue
        first, last = begin, end
    return body[sentences[first].start : sentences[last].start + len(sentences[last].read.text)]
