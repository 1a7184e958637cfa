"""Writing with scripted components: which citations stay, which are replaced, and what a failure leaves."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from component_doubles import Double, scripted_components, unless_failing
from makers import passage

from rarr import Article, Writer
from rarr.backends.embedded.near_quote_reader import NearQuoteReader
from rarr.components import RawReading, SectionSource
from rarr.errors import ModelError, RetrievalError, SetupError
from rarr.records import Evidence
from rarr.testing import InMemoryRetriever

TOPIC = "Orrel Viaduct"
BUILT = "The Orrel Viaduct was completed in 1912."
ARCHES = "The Orrel Viaduct has 24 arches of brick."
CLOSED = "Trains stopped crossing the Orrel Viaduct in 1987."
PASSAGES = [
    passage(text, source).model_copy(update={"title": TOPIC})
    for text, source in ((BUILT, "built.md"), (ARCHES, "design.md"), (CLOSED, "trains.md"))
]
DESIGN = f"{ARCHES} [2]"


class ScriptedWriter(Double):
    """Writes the given sections under their headings, or those of `outline`; an exception is raised."""

    def __init__(self, sections: Mapping[str, Any], outline: Sequence[str] | Exception | None = None) -> None:
        super().__init__(sections)
        self._outline = list(sections) if outline is None else outline

    async def outline(self, topic: str, chunks: Sequence[Evidence]) -> Sequence[str]:
        self.scripted("outline", topic)
        return unless_failing(self._outline)  # type: ignore[no-any-return]

    async def section(self, topic: str, sources: Sequence[SectionSource], at: int) -> str:
        heading = sources[at].section.heading
        return str(unless_failing(self.scripted("section", heading).get(heading, "")))


def written(
    sections: Mapping[str, Any], outline: Any = None, writer: ScriptedWriter | None = None, **changed: Any
) -> Article:
    """Writes `sections` from the three passages, [1] to [3], in this order."""
    parts: dict[str, Any] = {"retriever": InMemoryRetriever(PASSAGES), "card_reader": NearQuoteReader()}
    components = scripted_components(writer=writer or ScriptedWriter(sections), **(parts | changed))
    return Writer(components=components).write(TOPIC, outline)


def codes(article: Article) -> set[str]:
    return {warning.code for warning in article.warnings}


def states(article: Article) -> list[tuple[str, str]]:
    return [(section.heading, section.state) for section in article.sections]


def test_article_has_footnotes_and_a_ledger_of_places() -> None:
    article = written({"History": f"{BUILT[:-1]} [1]. {CLOSED[:-1]} [3].", "Design": DESIGN})
    assert article.text == (
        f"# {TOPIC}\n\n## History\n\n{BUILT}[^1] {CLOSED}[^2]\n\n## Design\n\n{ARCHES}[^3]\n\n"
        f"[^1]: {TOPIC}, built.md\n[^2]: {TOPIC}, trains.md\n[^3]: {TOPIC}, design.md\n"
    )
    assert [article.text[each.start : each.end] for each in article.citations] == ["[^1]", "[^2]", "[^3]"]
    first = article.citations[0].passage
    assert (first.source, first.start, first.end) == ("built.md", 0, len(BUILT))
    assert article.research.text[article.sections[1].start : article.sections[1].end] == ARCHES


OTHER = PASSAGES[0].model_copy(update={"text": BUILT.replace("1912", "1931"), "source": "other.md"})
DISAGREEING, GHOSTS = {"retriever": InMemoryRetriever([*PASSAGES, OTHER])}, "It is haunted by ghosts"


class DeadReader(NearQuoteReader):
    async def read(self, *_: Any, **__: Any) -> RawReading:
        raise ModelError("no answer")


@pytest.mark.parametrize(
    ("draft", "changed", "text", "statuses", "warning"),
    [
        (f"{BUILT} [2]", {}, f"{BUILT}[^1]", ["supported"], None),
        (f"{GHOSTS} [1].", {}, f"{GHOSTS}.[citation needed]", ["unconfirmed"], None),
        (f"{BUILT} [1]", {"card_reader": DeadReader()}, f"{BUILT}\n", ["unjudged"], "check_failed"),
        (f"{BUILT} [1]", DISAGREEING, f"{BUILT}[citation needed]", ["contradicted"], "sources_disagree"),
    ],
)
def test_card_decides_the_mark(draft: str, changed: Any, text: str, statuses: Any, warning: Any) -> None:
    article = written({"History": draft}, **changed)
    assert text in article.text
    assert [sentence.status for sentence in article.sentences] == statuses
    assert warning is None or warning in codes(article)
    assert (article.checked.recall is None) == (article.checked.unjudged == 1) == (statuses == ["unjudged"])


FAILED = "not written: a search or the writer failed"
SILENT = "not written: its sources have nothing about it"
DOWN = RetrievalError("the server is down")
HISTORY, ABOUT_DESIGN = f"History, {TOPIC}", f"Design, {TOPIC}"


@pytest.mark.parametrize(
    ("history", "found", "state", "reason"),
    [
        (TimeoutError("no answer"), PASSAGES, "failed", FAILED),
        (BUILT, DOWN, "failed", FAILED),
        (BUILT, [], "no_source", "not written: no source was found"),
        ("## History\n", PASSAGES, "no_source", SILENT),
        ("## Sources\n\n[1] built.md\n", PASSAGES, "no_source", SILENT),
    ],
)
def test_unwritten_section_is_a_named_gap(history: Any, found: Any, state: str, reason: str) -> None:
    sources = InMemoryRetriever({TOPIC: PASSAGES, HISTORY: found, ABOUT_DESIGN: PASSAGES})
    writer = ScriptedWriter({"History": history, "Design": DESIGN})
    article = written({}, writer=writer, retriever=sources)
    assert states(article) == [("History", state), ("Design", "written")]
    assert f"## History\n\n({reason})\n" in article.text and f"{ARCHES}[^1]" in article.text
    assert "section_missing" in codes(article)
    assert (("section", "History") in writer.calls) == (found is PASSAGES)


def test_components_without_writers_are_refused() -> None:
    components = scripted_components(card_reader=NearQuoteReader())
    with pytest.raises(SetupError, match=r"no writer for plan and write_section: give Components"):
        Writer(components=components)


def test_plan_that_fails_or_finds_nothing_gives_one_section() -> None:
    writer = ScriptedWriter({"Overview": f"{BUILT} [1]"}, outline=TimeoutError("no answer"))
    article = written({}, writer=writer)
    assert states(article) == [("Overview", "written")] and "plan_failed" in codes(article)
    writer = ScriptedWriter({"History": BUILT})
    article = written({}, writer=writer, retriever=InMemoryRetriever())
    assert (article.sentences, writer.calls) == ((), [])
    assert states(article) == [("Overview", "no_source")]
