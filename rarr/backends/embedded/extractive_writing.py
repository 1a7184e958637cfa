"""Writes articles without a language model: quotes whole sentences of the passages, and cites each."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rarr.backends.embedded.items import upheld
from rarr.backends.embedded.words import PRONOUNS
from rarr.backends.source_lines import source_lines
from rarr.components import SectionSource
from rarr.records import Evidence, Passage
from rarr.retrievers.corpus.index_words import stems, terms
from rarr.tools.concurrency import work
from rarr.tools.text.blocks_and_sentences import LIST_TITLE, blocks, split_sentences
from rarr.tools.text.citation_marks import citation_marks
from rarr.tools.text.section_headings import OVERVIEW, clean_heading, clean_headings

_SENTENCES = 10  # of a section, at most
_HEADINGS = 100  # of a plan, at most
_FEWEST, _MOST = 4, 60  # words of a sentence: shorter ones are often menus, and longer ones lists
_LEAST = 0.5  # the least share of a topic's or heading's words in a sentence about it
_SENTENCE = re.compile(r"[\"“«(]?\w.*[.!][\"”»)]?", re.DOTALL)  # a question states nothing


class Quotable(NamedTuple):
    """A sentence for a section: how well it fits there, the number of its passage, and its place."""

    heading: str
    fit: float
    number: int
    start: int
    text: str


class ExtractiveWriter:
    """Quotes each sentence once, cited, under the heading that it fits best, if it names the topic."""

    async def outline(self, topic: str, chunks: Sequence[Evidence]) -> Sequence[str]:
        return [heading for heading, _ in await work(quoted_article, topic, chunks, _HEADINGS)]

    async def section(self, topic: str, sources: Sequence[SectionSource], at: int) -> str:
        texts = await work(quoted_sections, topic, [(it.section.heading, it.chunks) for it in sources])
        return texts[sources[at].section.heading]


def headings_of(topic: str, chunks: Sequence[Evidence]) -> list[str]:
    """Returns "Overview", and the headings of the passages whose title is the topic, else of all."""
    about = [chunk for chunk in chunks if _share(topic, chunk.title) >= _LEAST] or chunks
    lines = [it.text[at.start : at.end] for it in about for at in blocks(it.text) if at.kind == "heading"]
    # A heading in the words of the topic is the title of a page.
    return clean_headings([OVERVIEW, *(line for line in lines if _share(line, topic) < 1)], topic)


def quoted_article(topic: str, chunks: Sequence[Evidence], most: int) -> list[tuple[str, str]]:
    """Plans at most `most` headings, and quotes sentences under each; empty sections are left out."""
    texts = quoted_sections(topic, [(heading, chunks) for heading in headings_of(topic, chunks)[:most]])
    return [(heading, text) for heading, text in texts.items() if text]


def quoted_sections(topic: str, sections: Sequence[tuple[str, Sequence[Evidence]]]) -> dict[str, str]:
    """Quotes under each heading the sentences that fit no other better, each with its citation, in order."""
    found = [it for heading, chunks in sections for it in _quotable(topic, heading, chunks)]
    best, texts = dict[str, Quotable](), dict[str, str]()
    for it in sorted(found, key=lambda it: -it.fit):
        best.setdefault(it.text, it)
    for heading, _ in sections:
        own = [it for it in best.values() if it.heading == heading][:_SENTENCES]
        ordered = sorted(own, key=lambda it: (it.number, it.start))
        texts[heading] = " ".join(f"{it.text} [{it.number}]" for it in ordered)
    return texts


def _quotable(topic: str, heading: str, chunks: Sequence[Evidence]) -> Iterator[Quotable]:
    wanted = " ".join(word for word in heading.split() if not _share(word, topic))
    for number, chunk in enumerate(chunks, start=1):
        for start, text, above in quotable_sentences(chunk):
            near = _share(wanted, f"{text} {above}")
            if (heading == OVERVIEW or not wanted or near >= _LEAST) and _share(topic, text) >= _LEAST:
                yield Quotable(heading, near + chunk.relevance / 10, number, start, text)


def quotable_sentences(passage: Passage) -> Iterator[tuple[int, str, str]]:
    """Yields the sentences of prose that stand alone and are upheld: start, words, and the heading above."""
    page, above = passage.text, ""
    lines = [*passage.lead, *((span.start, span.of(page)) for span in source_lines(page))]
    kept = {lines[it] for it in upheld(passage.title or passage.source, [words for _, words in lines])}
    for block in blocks(page):
        if block.kind == "heading":
            above = page[block.start : block.end]
        if block.kind != "prose" or LIST_TITLE.fullmatch(clean_heading(above)):
            continue
        for span in split_sentences(page, [block]):
            text = " ".join(span.of(page).split())
            if _stands_alone(text) and (span.start, span.of(page)) in kept:
                yield span.start, text, above


def _stands_alone(text: str) -> bool:
    words, is_begun = text.split(), not text.lstrip('"“«(')[:1].islower()
    is_whole = is_begun and _SENTENCE.fullmatch(text) and _FEWEST <= len(words) <= _MOST
    return bool(is_whole) and words[0].casefold() not in PRONOUNS and not citation_marks(text)


def _share(wanted: str, text: str) -> float:
    words = set(terms(wanted))
    return len(words.intersection(stems(text))) / len(words) if words else 0.0
