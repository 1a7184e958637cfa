"""Writes articles without a language model: quotes whole sentences of the passages, and cites each."""

import re
from collections.abc import Sequence

from rarr.backends.rules.heading_selection import headings_of
from rarr.backends.rules.quotable_sentences import Quotable, mostly_foreign, quotable
from rarr.backends.rules.sentence_antecedents import readable_in_order
from rarr.components import SectionSource
from rarr.errors import SetupError
from rarr.records import Evidence
from rarr.tools.concurrency.worker_threads import work
from rarr.tools.models.run_budget import meter
from rarr.tools.text.section_headings import OVERVIEW, clean_headings

SENTENCES = 10
"""Sentences of a section, at most."""


class ExtractiveWriter:
    """A writer by rules: under each heading the sentences that fit it best, word for word, each cited.

    Only a pronoun that stands for the topic is replaced by it. A sentence is quoted in the section that it
    fits best, and only once.
    """

    async def outline(self, topic: str, chunks: Sequence[Evidence]) -> Sequence[str]:
        """Returns the headings of the passages, else the names that they mention most."""
        return await work(_planned, topic, chunks)

    async def section(self, topic: str, sources: Sequence[SectionSource], at: int) -> str:
        """Quotes the sentences that fit the section `sources[at]` better than the other sections."""
        return await work(quoted_section, topic, sources, at)

    async def article(self, topic: str, chunks: Sequence[Evidence], most: int) -> Sequence[tuple[str, str]]:
        """Plans headings, and quotes under each from the same passages; a warning says what that changes."""
        meter().warn(
            "no_plan", "without a language model, no-plan only leaves out the search of each section"
        )
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
    headings = clean_headings(headings_of(topic, chunks), topic)[:most] or [OVERVIEW]
    pools = _pools(topic, [(heading, chunks) for heading in headings])
    written = [(heading, _text(topic, _own(heading, pools))) for heading in headings]
    return [(heading, text) for heading, text in written if text]


def quoted_section(topic: str, sources: Sequence[SectionSource], at: int) -> str:
    """Quotes the sentences that fit the section `sources[at]` best, each with its citation."""
    pools = _pools(topic, [(source.section.heading, source.chunks) for source in sources])
    return _text(topic, _own(sources[at].section.heading, pools))


def _pools(topic: str, sections: Sequence[tuple[str, Sequence[Evidence]]]) -> dict[str, list[Quotable]]:
    """Returns the sentences that each section may quote, by its heading."""
    chunks = dict.fromkeys(chunk.text for _, given in sections for chunk in given)
    foreign = mostly_foreign(chunks)
    return {heading: quotable(topic, heading, given, foreign=foreign) for heading, given in sections}


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


def _text(topic: str, quoted: Sequence[Quotable]) -> str:
    """Writes the sentences in the order of their passages, each with its citation.

    A sentence that would be about another thing there is left out.
    """
    ordered = sorted(quoted, key=lambda each: (each.number, each.start))
    readable = readable_in_order(topic, [each.text for each in ordered])
    return " ".join(
        f"{each.text} [{each.number}]" for each, fits in zip(ordered, readable, strict=True) if fits
    )


def _key(sentence: str) -> str:
    return " ".join(re.findall(r"\w+", sentence.casefold()))
