"""Finds the sentences of passages that a section may quote: they can be read alone, and fit its heading."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from rarr.backends.rules.sentence_antecedents import shares_topic, standalone_sentences, stems
from rarr.backends.rules.values import checkable_values
from rarr.backends.rules.word_list_reader import word_list
from rarr.records import Evidence
from rarr.tools.models.run_budget import meter
from rarr.tools.text.blocks_and_sentences import split_sentences
from rarr.tools.text.citation_marks import citation_marks
from rarr.tools.text.non_english_detection import foreign_sentences
from rarr.tools.text.section_headings import OVERVIEW

_FEWEST, _MOST = 6, 60
"""Words of a sentence that is quoted: shorter ones are often menus, and longer ones lists."""
_DEPENDENT = frozenset(word_list("dependent_openers")[0].split())
"""First words of sentences that need the sentence before them."""
_GENERAL = frozenset({OVERVIEW.casefold(), "introduction", "summary", "general", "about", "in brief"})
"""Headings of sections that take every sentence that names the topic."""
_PARTS = re.compile(r"\s*(?:,|&|/|\band\b)\s*", re.IGNORECASE)  # "Research and prizes" are two things
_ADDRESS = re.compile(r"://|\bwww\.", re.IGNORECASE)  # mostly in advertisements
_LEAST_OF_HEADING = 0.5  # more than this share of its words: a "twin" is no "twin town"


class Quotable(NamedTuple):
    """A sentence that a section may quote: the number of its passage, its place, and how well it fits."""

    text: str
    number: int
    start: int
    fit: float


def quotable(topic: str, heading: str, chunks: Sequence[Evidence], *, foreign: bool) -> list[Quotable]:
    """Returns the sentences of the passages that can stand alone and are about topic and heading.

    A sentence is about the heading if it or its heading in the source has most words of a part of it. A
    general heading, such as "Overview", or the topic itself takes sentences that name the topic. The fit adds
    the share of the heading's words, the share of the topic's words, and the relevance of the passage.
    `foreign`: the article is not in English; only sentences of its language are quoted.
    """
    subject = stems(topic)
    general = heading.casefold() in _GENERAL or stems(heading) <= subject
    found = []
    for number, chunk in enumerate(chunks, start=1):
        title = stems(chunk.title)
        for start, text, source_heading in _whole_sentences(topic, chunk, foreign=foreign):
            words = stems(text)
            about, named = _share(subject, words | title), _share(subject, words)
            near = _nearness(heading, subject, words | stems(source_heading))
            if shares_topic(subject, f"{text} {chunk.title}") and (
                near or (general and shares_topic(subject, text))
            ):
                fit = 2 * near + 0.5 * (named + about + chunk.relevance)
                found.append(Quotable(text, number, start, fit))
    return found


def mostly_foreign(texts: Iterable[str]) -> bool:
    """Is most of the sentences of these passages in another language than English?"""
    counts = [(len(foreign_sentences(text)), len(split_sentences(text))) for text in texts]
    return 2 * sum(foreign for foreign, _ in counts) > sum(whole for _, whole in counts)


def _nearness(heading: str, subject: frozenset[str], words: frozenset[str]) -> float:
    """Returns the share of the words of the heading's best part, without the topic's; 0.0 if not most."""
    parts = [stems(part) - subject for part in _PARTS.split(heading)]
    near = max((_share(part, words) for part in parts), default=0.0)
    return near if near > _LEAST_OF_HEADING else 0.0


def _whole_sentences(topic: str, chunk: Evidence, *, foreign: bool) -> Iterator[tuple[int, str, str]]:
    """Yields the whole sentences of a passage that can be read alone, in the language of the article.

    Each comes with its place, and the heading above it in the passage. A warning of the run names a source
    about the topic whose sentences are in another language.
    """
    in_others = foreign_sentences(chunk.text)
    left_out = False
    for span, text, above in standalone_sentences(topic, chunk):
        if not _is_whole(text):
            continue
        if (span in in_others) == foreign:
            yield span.start, text, above
        else:
            left_out = left_out or shares_topic(stems(topic), f"{text} {chunk.title}")
    if left_out:
        message = f"{chunk.source}: sentences in another language than the article's are not quoted"
        meter().warn("language_left_out", message)


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
        and not _ADDRESS.search(sentence)
        and sentence.count("“") == sentence.count("”")
        and sentence.count('"') % 2 == 0
        and not citation_marks(sentence)
        and bool(checkable_values(sentence))  # else there is nothing to cite a source for
    )


def _share(wanted: frozenset[str], words: frozenset[str]) -> float:
    return len(wanted & words) / len(wanted) if wanted else 0.0
