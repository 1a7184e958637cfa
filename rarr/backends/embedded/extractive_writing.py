"""Writes articles without a language model, from whole sentences of the passages, with citations."""

import re
from collections.abc import Iterator, Sequence, Set
from itertools import combinations
from typing import NamedTuple

from rarr.backends.embedded.items import Item, Line, first_word, items_of, usable_lines, verb_index
from rarr.backends.embedded.near_quotes import LEAST_SHARED, Diff, align
from rarr.backends.embedded.values import compare
from rarr.backends.embedded.words import AUXILIARIES, OPENERS, PRONOUNS
from rarr.backends.source_lines import is_list_item, source_lines
from rarr.components import SectionSource
from rarr.records import Evidence, Passage
from rarr.retrievers.corpus.index_words import all_stems, query_stems
from rarr.tools.concurrency import work
from rarr.tools.text.blocks_and_sentences import LIST_TITLE, blocks, split_sentences
from rarr.tools.text.citation_marks import citation_marks
from rarr.tools.text.section_headings import OVERVIEW, clean_heading, clean_headings

_SENTENCES = 10  # of a section, at most
_HEADINGS = 100  # of a plan, at most
_FEWEST, _MOST = 4, 60  # words of a sentence: shorter ones are often menus, and longer ones lists
_LEAST = 0.5  # the least share of a topic's or heading's words in a sentence about it
_BEFORE_NAME = 2  # words of a subject before a name: "the mayor of Tolm"
_SENTENCE = re.compile(r"[\"“«(]?\w.*[.!][\"”»)]?", re.DOTALL)  # a question states nothing
_AUXILIARIES = frozenset().union(*AUXILIARIES.values())


class QuotableSentence(NamedTuple):
    """A sentence that may be quoted under a heading."""

    heading: str
    fit: float  # how well it fits under the heading; higher is better
    number: int  # of its passage, from 1
    start: int  # its place in the passage
    text: str


class ExtractiveWriter:
    """Quotes each sentence about the topic once, with its citation, under the heading that fits best."""

    async def outline(self, topic: str, chunks: Sequence[Evidence]) -> Sequence[str]:
        return [heading for heading, _ in await work(quoted_article, topic, chunks, _HEADINGS)]

    async def section(self, topic: str, sources: Sequence[SectionSource], at: int) -> str:
        texts = await work(quoted_sections, topic, [(it.section.heading, it.chunks) for it in sources])
        return texts[sources[at].section.heading]


def headings_of(topic: str, chunks: Sequence[Evidence]) -> list[str]:
    """Returns "Overview" and the headings of the passages about the topic, or of all if none is about it."""
    about = [chunk for chunk in chunks if _share(topic, chunk.title) >= _LEAST] or chunks
    lines = [it.text[at.start : at.end] for it in about for at in blocks(it.text) if at.kind == "heading"]
    # A heading in the words of the topic is the title of a page.
    return clean_headings([OVERVIEW, *(line for line in lines if _share(line, topic) < 1)], topic)


def quoted_article(topic: str, chunks: Sequence[Evidence], most: int) -> list[tuple[str, str]]:
    """Returns pairs (heading, text) of at most `most` sections of quotes. Leaves out empty sections."""
    texts = quoted_sections(topic, [(heading, chunks) for heading in headings_of(topic, chunks)[:most]])
    return [(heading, text) for heading, text in texts.items() if text]


def quoted_sections(topic: str, sections: Sequence[tuple[str, Sequence[Evidence]]]) -> dict[str, str]:
    """Returns the text of each section by heading: the sentences that fit it best, with citations."""
    found = [it for heading, chunks in sections for it in _quotable(topic, heading, chunks)]
    best, texts = dict[str, QuotableSentence](), dict[str, str]()
    for it in sorted(found, key=lambda it: -it.fit):
        best.setdefault(it.text, it)
    for heading, _ in sections:
        own = [it for it in best.values() if it.heading == heading][:_SENTENCES]
        ordered = sorted(own, key=lambda it: (it.number, it.start))
        texts[heading] = " ".join(f"{it.text} [{it.number}]" for it in ordered)
    return texts


def _quotable(topic: str, heading: str, chunks: Sequence[Evidence]) -> Iterator[QuotableSentence]:
    wanted = " ".join(word for word in heading.split() if not _share(word, topic))
    names = {item.key for item in items_of(topic)}
    has_page = any(_share(chunk.title, topic) for chunk in chunks)
    for number, chunk in enumerate(chunks, start=1):
        is_file = chunk.title.casefold() in chunk.source.casefold()
        for start, text, above in quotable_sentences(chunk):
            is_strange = has_page and not (is_file or _share(chunk.title, f"{topic} {text}"))
            if is_strange or is_hedged(text, names):
                continue  # the check would not cite it
            near = _share(wanted, f"{text} {above}")
            if (heading == OVERVIEW or not wanted or near >= _LEAST) and _share(topic, text) >= _LEAST:
                yield QuotableSentence(heading, near + chunk.relevance / 10, number, start, text)


def quotable_sentences(passage: Passage) -> Iterator[tuple[int, str, str]]:
    """Yields (start, sentence, heading above) for sentences of `usable_lines` that are clear on their own."""
    page, above = passage.text, ""
    lines = [*passage.lead, *((span.start, span.of(page)) for span in source_lines(page))]
    kept = {lines[it] for it in usable_lines(passage.title or passage.source, [words for _, words in lines])}
    is_governed = False  # an item of a list says nothing without the line before the list ("Do not:")
    for block in blocks(page):
        if not (is_item := is_list_item(page, block.start)):
            is_governed = page[: block.end].rstrip().endswith(":")
        if block.kind == "heading":
            above = page[block.start : block.end]
        if block.kind != "prose" or (is_item and is_governed) or LIST_TITLE.fullmatch(clean_heading(above)):
            continue
        for span in split_sentences(page, [block]):
            text = " ".join(span.of(page).split())
            if _stands_alone(text) and (span.start, span.of(page)) in kept:
                yield span.start, text, above


def _stands_alone(text: str) -> bool:
    words, is_begun = text.split(), not text.lstrip('"“«(')[:1].islower()
    is_whole = is_begun and _SENTENCE.fullmatch(text) and _FEWEST <= len(words) <= _MOST
    return bool(is_whole) and words[0].casefold() not in PRONOUNS and not citation_marks(text)


def is_hedged(sentence: str, asked: Set[str]) -> bool:
    """Tells whether a sentence may only report or limit what it says about `asked` (word stems).

    An example is "Some say that the mayor was ill". A time or place at the beginning is no limit.
    """
    items = items_of(sentence)
    start = next((number for number, item in enumerate(items) if item.key in asked - OPENERS), len(items))
    subject = [it._replace(form="") for it in items[start : start + 1]]  # "has" of "Rumour has it that"
    verb = start + verb_index([*subject, *items[start + 1 :]], 0)
    if verb == start or (items[verb].value and not items[verb].form):
        return False
    line, parts = Line((), sentence, items, frozenset()), list[Sequence[Item]]()
    subject_to_verb = sentence[items[verb - 1].end : items[verb].start].casefold().split()
    if start and first_word(sentence) not in OPENERS and _AUXILIARIES.issuperset(subject_to_verb):
        firsts = range(max(1, start - _BEFORE_NAME), start + 1)
        parts += [items[first:] for first in firsts]  # "Some say that the mayor of Tolm was ill."
    return any(align(part, line).is_hedged for part in parts)


def value_conflicts(quotes: Sequence[tuple[str, Passage]]) -> Iterator[str]:
    """Yields texts such as "1901 (a.md); 1902 (b.md)", by which two similar sentences of sources differ."""
    for (text, passage), (other, second) in combinations(quotes, 2):
        if passage.source != second.source and (words := _differing(text, other)):
            is_one = passage.title == second.title
            names = [it.source if is_one or not it.title else it.title for it in (passage, second)]
            yield "; ".join(f"{said} ({name})" for said, name in zip(words, names, strict=True))


def _differing(text: str, other: str) -> tuple[str, str] | None:
    """Returns the values and names in which two sentences differ; None if other words differ too."""
    items = items_of(text)
    found = align(items, Line((), other, items_of(other), frozenset()))
    pairs = [pair for diff in found.diffs for pair in zip(diff.own, diff.other, strict=False)]
    are_alike = all(it.kind != "open" or _is_parallel(it, verb_index(items, 1)) for it in found.diffs)
    if found.shared < LEAST_SHARED or not (are_alike and any(_exclude(*pair) for pair in pairs)):
        return None
    own = ", ".join(text[it.own[0].start : it.own[-1].end] for it in found.diffs if it.own)
    return own, ", ".join(other[it.other[0].start : it.other[-1].end] for it in found.diffs if it.other)


def _is_parallel(diff: Diff, verb: int) -> bool:
    """Tells whether, after the verb, values and names only replace other values and names."""
    pairs = list(zip(diff.own, diff.other, strict=False))
    are_alike = all((mine.value and its.value) or (mine.is_name and its.is_name) for mine, its in pairs)
    return diff.at[0] > verb and len(diff.own) == len(diff.other) and are_alike


def _exclude(own: Item, other: Item) -> bool:
    one, second = own.value, other.value
    if one is None or second is None or "identifier" in (one.kind, second.kind):
        return False
    return one.kind == second.kind and compare(one, second) == "different"


def _share(wanted: str, text: str) -> float:
    words = set(query_stems(wanted))
    return len(words.intersection(all_stems(text))) / len(words) if words else 0.0
