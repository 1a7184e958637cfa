"""Writing with scripted components: which citations stay, which are replaced, and what a failure leaves."""

from typing import Any

import pytest
from component_doubles import scripted_components

from agent.writing.bridges import (
    ARCHES,
    BUILT,
    CLOSED,
    PASSAGES,
    TOPIC,
    cited,
    labels,
    statuses,
    written,
)  # fmt: skip
from agent.writing.scripted_writer import ScriptedWriter
from rarr import InputError, Writer
from rarr.backends.embedded.near_quotes import NearQuoteReader
from rarr.components import RawReading
from rarr.errors import ModelError, RetrievalError, SetupError
from rarr.testing import InMemoryRetriever


def test_article_has_footnotes_and_a_ledger_of_places() -> None:
    article = written({"History": f"{BUILT[:-1]} [1]. {CLOSED[:-1]} [3].", "Design": f"{ARCHES} [2]"})
    assert article.text == (
        f"# {TOPIC}\n\n## History\n\n{BUILT}[^1] {CLOSED}[^2]\n\n## Design\n\n{ARCHES}[^3]\n\n"
        f"[^1]: {TOPIC}, built.md\n[^2]: {TOPIC}, trains.md\n[^3]: {TOPIC}, design.md\n"
    )
    assert [article.text[each.start : each.end] for each in article.citations] == ["[^1]", "[^2]", "[^3]"]
    first = article.citations[0].passage
    assert (first.source, first.start, first.end) == ("built.md", 0, len(BUILT))
    assert article.research.text[article.sections[1].start : article.sections[1].end] == ARCHES


def test_wrong_citation_is_replaced_by_a_passage_that_supports() -> None:
    article = written({"History": f"{BUILT} [2]"})
    assert labels(article) == [[("2", False)]]
    assert cited(article) == [["built.md"]]


def test_sentence_without_support_is_marked() -> None:
    article = written({"History": f"{BUILT} [1] It is haunted by ghosts [1]."})
    assert f"{BUILT}[^1] It is haunted by ghosts.[citation needed]" in article.text
    assert statuses(article.sentences) == ["supported", "unconfirmed"]
    assert len(article.unsupported) == 1


class DeadReader(NearQuoteReader):
    async def read(self, block: Any, *, doubting: bool = False, seed: int = 0) -> RawReading:
        raise ModelError("no answer")


def test_reader_that_fails_leaves_sentences_unjudged() -> None:
    article = written({"History": f"{BUILT} [1]"}, card_reader=DeadReader())
    assert statuses(article.sentences) == ["unjudged"]
    assert (article.checked.recall, article.checked.unjudged) == (None, 1)
    assert "[^1]" not in article.text
    assert "[citation needed]" not in article.text
    assert "check_failed" in {warning.code for warning in article.warnings}


def test_measures_of_four_sentences_are_those_computed_by_hand() -> None:
    # 7 words, cited rightly; 8 words, with 1 of 2 citations right; 6 words, wrongly; 8 words without one.
    section = f"{BUILT} [1] {ARCHES} [2][3] It was painted red in 1950 [1]. {CLOSED}"
    scores = written({"History": section}).as_written
    assert (scores.sentences, scores.unjudged) == (4, 0)
    assert scores.recall == 2 / 4
    assert scores.precision == (1 + 1 / 2 + 0 + 0) / 4
    assert scores.rate == (7 + 8) / (7 + 8 + 6 + 8)


def test_failed_section_is_a_named_gap() -> None:
    article = written({"History": TimeoutError("no answer"), "Design": f"{ARCHES} [2]"})
    assert [section.state for section in article.sections] == ["failed", "written"]
    assert "## History\n\n(not written: a search or the writer failed)\n" in article.text
    assert f"{ARCHES}[^1]" in article.text
    messages = {warning.code: warning.message for warning in article.warnings}
    assert "no answer" in messages["write_section_failed"]
    assert messages["section_missing"].startswith("section 'History': not written")


def test_failed_search_of_a_section_costs_only_that_section() -> None:
    down = RetrievalError("the server is down")
    by_section = InMemoryRetriever({TOPIC: PASSAGES, f"History, {TOPIC}": down, f"Design, {TOPIC}": PASSAGES})
    article = written({"History": BUILT, "Design": f"{ARCHES} [2]"}, retriever=by_section)
    assert [section.state for section in article.sections] == ["failed", "written"]


def test_section_without_a_source_is_not_written() -> None:
    writer = ScriptedWriter({"History": BUILT, "Legends": BUILT})
    by_section = InMemoryRetriever({TOPIC: PASSAGES, f"History, {TOPIC}": PASSAGES})
    article = written({}, writer=writer, retriever=by_section)
    assert [(each.heading, each.state) for each in article.sections] == [
        ("History", "written"),
        ("Legends", "no_source"),
    ]
    assert ("section", "Legends") not in writer.calls


def test_nothing_is_written_without_a_source() -> None:
    writer = ScriptedWriter({"History": BUILT})
    article = written({}, writer=writer, retriever=InMemoryRetriever())
    assert (article.sentences, writer.calls) == ((), [])
    assert article.sections[0].state == "no_source"


def test_plan_that_fails_gives_one_section() -> None:
    writer = ScriptedWriter({"Overview": f"{BUILT} [1]"}, outline=TimeoutError("no answer"))
    article = written({}, writer=writer)
    assert [section.heading for section in article.sections] == ["Overview"]
    assert "plan_failed" in {warning.code for warning in article.warnings}


def test_outline_is_followed_without_planning() -> None:
    writer = ScriptedWriter({"Design": f"{ARCHES} [2]"})
    article = written({}, writer=writer, outline="# Orrel Viaduct\n- Design\n- References\n- design\n")
    assert [section.heading for section in article.sections] == ["Design"]
    assert writer.calls == [("section", "Design")]


@pytest.mark.parametrize(
    ("outline", "message"),
    [
        ([], "no heading"),
        ("References\n", "no heading"),
        ([1], "no list of headings"),
        ([f"Part {n}" for n in range(11)], "give at most 10"),
    ],
)
def test_impossible_outline_is_refused(outline: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        written({}, outline=outline)


@pytest.mark.parametrize(
    "draft", ["## History\n", "## Early years\n", "## Sources\n\n[1] built.md\n", "[1][2]"]
)
def test_draft_without_a_sentence_is_a_gap(draft: str) -> None:
    article = written({"History": draft, "Design": f"{ARCHES} [2]"})
    assert [section.state for section in article.sections] == ["no_source", "written"]
    assert "section_missing" in {warning.code for warning in article.warnings}


def test_components_without_a_writer_leave_gaps() -> None:
    components = scripted_components(retriever=InMemoryRetriever(PASSAGES), card_reader=NearQuoteReader())
    article = Writer(components=components).write(TOPIC)
    assert article.sentences == ()
    assert any(SetupError.__name__ in str(w) or "no writer" in w.message for w in article.warnings)


def test_sentence_about_which_the_sources_disagree_is_marked() -> None:
    other = PASSAGES[0].model_copy(update={"text": BUILT.replace("1912", "1931"), "source": "other.md"})
    article = written({"History": f"{BUILT} [1]"}, retriever=InMemoryRetriever([*PASSAGES, other]))
    assert statuses(article.sentences) == ["contradicted"]
    assert f"{BUILT}[sources disagree]" in article.text
    assert "sources_disagree" in {warning.code for warning in article.warnings}


def test_components_without_cards_are_refused() -> None:
    with pytest.raises(InputError, match="articles are checked by cards"):
        Writer(components=scripted_components())
