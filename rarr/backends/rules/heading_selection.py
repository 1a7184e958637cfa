"""Chooses the headings of an article: those of its sources, else the names that they mention most."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from rarr.backends.rules.proper_names import proper_names
from rarr.backends.rules.words import word_tokens
from rarr.records import Evidence
from rarr.tools.text.blocks_and_sentences import blocks, split_sentences
from rarr.tools.text.section_headings import OVERVIEW

_NAMES = 4
_LONGEST = 8  # words of a heading
_PLAIN = re.compile(r"[^\W_][^\n_|@#<>]{2,60}")
_ON_TOPIC = 0.5  # the least share of the topic's words in the title of a source


def headings_of(topic: str, chunks: Sequence[Evidence]) -> list[str]:
    """Returns the headings of an article about `topic`: "Overview", then the headings of its sources.

    Those of several sources come first, then they keep their order. If the sources have none, the names that
    most of their sentences mention follow.
    """
    subject = _stems(topic)
    about = [chunk for chunk in chunks if _shares(subject, chunk.title)] or list(chunks)
    by_source = {(chunk.source, heading): None for chunk in about for heading in _headings(chunk, subject)}
    counts = Counter(heading for _, heading in by_source)
    headings = sorted(counts, key=lambda heading: -counts[heading])  # equal counts keep their order
    return list(dict.fromkeys([OVERVIEW, *(headings or _names(about, subject))]))


def _headings(chunk: Evidence, subject: frozenset[str]) -> Iterator[str]:
    for block in blocks(chunk.text):
        if block.kind == "heading":
            heading = " ".join(chunk.text[block.start : block.end].strip().strip("#=-*_").split())
            # A heading in the words of the topic is the title of the page.
            if heading and len(heading.split()) <= _LONGEST and not _stems(heading) <= subject:
                yield heading


def _names(chunks: Iterable[Evidence], subject: frozenset[str]) -> list[str]:
    """Returns the names in most sentences, two at least, without those in the words of the topic."""
    counts: Counter[str] = Counter()
    for sentence in dict.fromkeys(
        span.of(chunk.text) for chunk in chunks for span in split_sentences(chunk.text)
    ):
        counts.update({" ".join(name.text.split()) for name in proper_names(sentence)})
    frequent = (name for name, count in counts.most_common() if count > 1 and _PLAIN.fullmatch(name))
    return [name for name in frequent if not _stems(name) <= subject][:_NAMES]


def _shares(subject: frozenset[str], title: str) -> bool:
    return len(subject & _stems(title)) >= _ON_TOPIC * len(subject)


def _stems(text: str) -> frozenset[str]:
    return frozenset(token.stem for token in word_tokens(text) if token.stem)
