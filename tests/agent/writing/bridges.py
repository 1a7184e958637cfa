"""A small source about one bridge, and components that write from it by a script."""

from collections.abc import Mapping, Sequence
from typing import Any

from component_doubles import scripted_components

from agent.writing.scripted_writer import ScriptedWriter
from rarr import Writer
from rarr.backends.embedded.near_quotes import NearQuoteReader
from rarr.components import Components
from rarr.records import Passage
from rarr.records.articles import Article, WrittenSentence
from rarr.settings import Settings
from rarr.testing import RETRIEVED_AT, InMemoryRetriever

TOPIC = "Orrel Viaduct"
BUILT = "The Orrel Viaduct was completed in 1912."
ARCHES = "The Orrel Viaduct has 24 arches of brick."
CLOSED = "Trains stopped crossing the Orrel Viaduct in 1987."


def passage(text: str, source: str) -> Passage:
    return Passage(text=text, source=source, start=0, end=len(text), retrieved_at=RETRIEVED_AT, title=TOPIC)


PASSAGES = [passage(BUILT, "built.md"), passage(ARCHES, "design.md"), passage(CLOSED, "trains.md")]


def writing(
    sections: Mapping[str, str | Exception], *, settings: Settings | None = None, **changed: Any
) -> Components:
    """Components that write `sections` from the three passages, [1] to [3], in this order."""
    writer = changed.pop("writer", None) or ScriptedWriter(sections)
    parts: dict[str, Any] = {
        "retriever": InMemoryRetriever(PASSAGES),
        "card_reader": NearQuoteReader(),
    }
    return scripted_components(settings=settings, writer=writer, **(parts | changed))


def written(sections: Any, *, outline: Any = None, **changed: Any) -> Article:
    return Writer(components=writing(sections, **changed)).write(TOPIC, outline)


def labels(article: Article) -> list[list[tuple[str, bool | None]]]:
    """The citations of each sentence as written, and whether they entail it."""
    return [[(each.label, each.entails) for each in sentence.written] for sentence in article.sentences]


def cited(article: Article) -> list[list[str]]:
    """The sources that each sentence cites after the check."""
    sources = {each.id: each.source for each in article.research.evidence}
    return [[sources[name] for name in sentence.evidence_ids] for sentence in article.sentences]


def statuses(sentences: Sequence[WrittenSentence]) -> list[str]:
    return [sentence.status for sentence in sentences]
