"""Writes articles without a language model: quotes whole sentences of the passages, and cites each."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rarr.backends.rules.heading_selection import headings_of
from rarr.backends.rules.values import checkable_values
from rarr.backends.rules.word_list_reader import word_list
from rarr.backends.rules.words import word_tokens
from rarr.components import SectionSource
from rarr.errors import SetupError
from rarr.records import Evidence
from rarr.tools.concurrency.worker_threads import work
from rarr.tools.text.blocks_and_sentences import blocks, split_sentences
from rarr.tools.text.citation_marks import citation_marks
from rarr.tools.text.non_english_detection import foreign_sentences

SENTENCES = 10
"""Sentences of a section, at most."""
_FEWEST, _MOST = 6, 60
"""Words of a sentence that is quoted: shorter ones are often menus, and longer ones lists."""
_DEPENDENT = frozenset(word_list("dependent_openers")[0].split())
"""First words of sentences that need the sentence before them."""
_ON_TOPIC = 0.5
"""The least share of the topic's words that sentence and title have together."""


class Quotable(NamedTuple):
    """A sentence that a section may quote: the number of its passage, its place, and how well it fits."""

    text: str
    number: int
    start: int
    fit: float


class ExtractiveWriter:
    """A writer by rules: under each heading the sentences that fit it best, word for word, each cited.

    A sentence is quoted in the section that it fits best, and only once.
    """

    async def outline(self, topic: str, chunks: Sequence[Evidence]) -> Sequence[str]:
        """Returns the headings of the passages, else the names that they mention most."""
        return await work(_planned, topic, chunks)

    async def section(self, topic: str, sources: Sequence[SectionSource], at: int) -> str:
        """Quotes the sentences that fit the section `sources[at]` better than the other sections."""
        return await work(quoted_section, topic, sources, at)

    async def article(self, topic: str, chunks: Sequence[Evidence], most: int) -> Sequence[tuple[str, str]]:
        """Plans headings, and quotes under each from the same passages."""
        return await work(quoted_article, topic, chunks, most)

    async def smoothed(self, topic: str, heading: str, text: str) -> str:
        """Raises `SetupError`: quoted sentences are not rewritten."""
        raise SetupError("smooth needs a language model: name it with model, or leave smooth out")


def _planned(topic: str, chunks: Sequence[Evidence]) -> list[str]:
    headings = headings_of(topic, chunks)
    pools = _pools(topic, [(heading, chunks) for heading in headings])
    return [heading for heading in headings if _own(heading, pools)]


def quoted_article(topic: str, chunks: Sequence[Evidence], most: int) -> list[tuple[str, str]]:
    """Plans at most `most` headings, and quotes sentences under each; empty sections are left out."""
    headings = headings_of(topic, chunks)[:most] or [topic]
    pools = _pools(topic, [(heading, chunks) for heading in headings])
    written = [(heading, _text(_own(heading, pools))) for heading in headings]
    return [(heading, text) for heading, text in written if text]


def quoted_section(topic: str, sources: Sequence[SectionSource], at: int) -> str:
    """Quotes the sentences that fit the section `sources[at]` best, each with its citation."""
    pools = _pools(topic, [(source.section.heading, source.chunks) for source in sources])
    return _text(_own(sources[at].section.heading, pools))


def _pools(topic: str, sections: Sequence[tuple[str, Sequence[Evidence]]]) -> dict[str, list[Quotable]]:
    """Returns the sentences that each section may quote, by its heading."""
    return {
        heading: _quotable(topic, heading, chunks, first=number == 0)
        for number, (heading, chunks) in enumerate(sections)
    }


def _own(heading: str, pools: dict[str, list[Quotable]]) -> list[Quotable]:
    """Returns the sentences that fit no other heading better; of equal headings the first wins."""
    best: dict[str, tuple[float, str]] = {}
    for name, pool in pools.items():
        for sentence in pool:
            key = _key(sentence.text)
            if key not in best or sentence.fit > best[key][0]:
                best[key] = (sentence.fit, name)
    own: dict[str, Quotable] = {}
    for sentence in sorted(pools[heading], key=lambda each: (-each.fit, each.number, each.start)):
        if best[_key(sentence.text)][1] == heading:
            own.setdefault(_key(sentence.text), sentence)
    return list(own.values())[:SENTENCES]


def _text(quoted: Sequence[Quotable]) -> str:
    """Writes the sentences in the order of their passages, each with its citation."""
    ordered = sorted(quoted, key=lambda each: (each.number, each.start))
    return " ".join(f"{each.text} [{each.number}]" for each in ordered)


def _quotable(topic: str, heading: str, chunks: Sequence[Evidence], *, first: bool) -> list[Quotable]:
    """Returns the sentences of the passages that can stand alone and are about topic and heading.

    The fit adds the share of the heading's words that the sentence and its heading in the source have, the
    share of the topic's words, and the relevance of the passage. The first section also takes sentences that
    name half of the topic and fit no heading.
    """
    subject, wanted = _stems(topic), _stems(heading) - _stems(topic)
    found = []
    for number, chunk in enumerate(chunks, start=1):
        title = _stems(chunk.title)
        for start, text, source_heading in _standing_alone(chunk.text):
            words = _stems(text)
            about, named = _share(subject, words | title), _share(subject, words)
            near = _share(wanted, words | _stems(source_heading))
            if about >= _ON_TOPIC and (near or (first and named >= _ON_TOPIC)):
                fit = 2 * near + 0.5 * (named + about + chunk.relevance)
                found.append(Quotable(text, number, start, fit))
    return found


def _standing_alone(text: str) -> Iterator[tuple[int, str, str]]:
    """Yields the whole sentences of a passage that can be read alone, in the language of most of them.

    Each comes with its place, and the heading above it in the passage.
    """
    spans = split_sentences(text)
    headings = [block for block in blocks(text) if block.kind == "heading"]
    foreign = {span.of(text) for span in foreign_sentences(text)}
    keeps_foreign = 2 * len(foreign) > len(spans)
    for span in spans:
        sentence = " ".join(span.of(text).split())
        if (span.of(text) in foreign) == keeps_foreign and _is_whole(sentence):
            above = [text[each.start : each.end] for each in headings if each.start < span.start]
            yield span.start, sentence, above[-1] if above else ""


def _is_whole(sentence: str) -> bool:
    words = re.findall(r"[^\W_]+(?:['’][^\W_]+)*", sentence)
    if not _FEWEST <= len(words) <= _MOST or not re.search(r"[.!?][”\"')]*$", sentence):
        return False
    opens = sentence[0].isupper() or sentence[0].isdigit() or sentence[0] in "“\"'"
    capitals = sum(word[0].isupper() for word in words)
    return (
        opens
        and words[0].lower() not in _DEPENDENT
        and capitals <= 0.6 * len(words)  # menus and lists of names
        and "|" not in sentence
        and sentence.count("“") == sentence.count("”")
        and sentence.count('"') % 2 == 0
        and not citation_marks(sentence)
        and bool(checkable_values(sentence))  # else there is nothing to cite a source for
    )


def _key(sentence: str) -> str:
    return " ".join(re.findall(r"\w+", sentence.casefold()))


def _stems(text: str) -> frozenset[str]:
    return frozenset(token.stem for token in word_tokens(text) if token.stem)


def _share(wanted: frozenset[str], words: frozenset[str]) -> float:
    return len(wanted & words) / len(wanted) if wanted else 0.0
