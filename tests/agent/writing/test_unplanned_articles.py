"""Articles that the writer writes in one call: their headings, and what is told where there is none."""

import pytest

from agent.writing.bridges import (
    ARCHES,
    BUILT,
    CLOSED,
    PASSAGES,
    TOPIC,
    cited,
    written,
)  # fmt: skip
from agent.writing.scripted_writer import ScriptedWriter
from rarr import Settings
from rarr.records import Passage
from rarr.testing import (
    InMemoryRetriever,
)


def test_article_without_a_plan_is_one_call() -> None:
    writer = ScriptedWriter({"History": f"{BUILT} [1]", "Design": f"{ARCHES} [2]"})
    article = written({}, writer=writer, settings=Settings(plan=False))
    assert writer.calls == [("article", TOPIC)]
    assert cited(article) == [["built.md"], ["design.md"]]


@pytest.mark.parametrize(
    ("sections", "passages", "reason"),
    [({"History": BUILT}, [], "no source was found"), ({}, PASSAGES, "its sources say nothing for it")],
)
def test_article_without_a_plan_and_without_a_section_is_told(
    sections: dict[str, str], passages: list[Passage], reason: str
) -> None:
    retriever = InMemoryRetriever(passages)
    article = written(sections, settings=Settings(plan=False), retriever=retriever)
    assert (article.sections, article.sentences) == ((), ())
    [warning] = article.warnings
    assert (warning.code, reason in warning.message) == ("article_missing", True)


def test_headings_of_an_article_without_a_plan_are_cleaned() -> None:
    sections = {
        TOPIC: f"{BUILT} [1]",
        "## Design": f"{ARCHES} [2]",
        "DESIGN": f"{CLOSED} [3]",
        "References": "[1] built.md is a page about the viaduct.",
    }
    article = written(sections, settings=Settings(plan=False))
    assert f"## Overview\n\n{BUILT}[^1]\n\n## Design\n\n{ARCHES}[^2]\n\n{CLOSED}[^3]\n" in article.text
    assert [section.heading for section in article.sections] == ["Overview", "Design"]
