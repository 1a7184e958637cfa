"""Locating the words of a card: what a reader wrote counts only where code finds it."""

import pytest
from hypothesis import given, strategies as st
from makers import evidence

from rarr.components import RawCard, RawEdit, SourceLine
from rarr.ledger.card import NOT_QUOTED, Doubts, Located, is_about_another, locate_card
from rarr.records import Evidence
from rarr.records.card import Card, Quote
from rarr.tools.text.blocks_and_sentences import Span

LINE = SourceLine(
    "P1.1", "The *Tarrow* bridge opened on 4 May 1932 and cost two million *crowns*.", "q1.1", 40, 112
)
OTHER = SourceLine("P1.2", "It has 45 rooms.", "q1.1", 113, 129)
LINES = {line.label: line for line in (LINE, OTHER)}
TEXT = "Before. The bridge opened in 1923 for two million. After."
SENTENCE = Span(8, 50)
EDIT = RawEdit("opened in 1923", "opened in 1932", "opened on 4 May 1932")


def locate(raw: RawCard, text: str = TEXT, place: Span = SENTENCE) -> Located:
    return locate_card(raw, text, place, LINES)


def test_edit_is_cut_to_the_words_that_differ() -> None:
    [edit] = locate(RawCard("no", ("P1.1",), edits=(EDIT,))).card.edits
    assert (TEXT[edit.start : edit.end], edit.new, edit.by) == ("1923", "1932", "opened on 4 May 1932")


def test_edit_replaces_a_hyphened_word_as_a_whole() -> None:
    text = "The offer is non-binding."
    line = SourceLine("P1.1", "The offer is binding.", "q1.1", 0, 21)
    raw = RawCard("no", ("P1.1",), edits=(RawEdit("offer is non-binding", "offer is binding", "is binding"),))
    found = locate_card(raw, text, Span(0, 25), {"P1.1": line})
    [edit] = found.card.edits
    assert (text[edit.start : edit.end], edit.new) == ("non-binding", "binding")
    assert found.doubts == Doubts()


def test_quote_points_into_its_source() -> None:
    [quote] = locate(RawCard("no", ("P1.1", "P9.9"), edits=(EDIT,))).card.quotes
    assert (quote.evidence_id, quote.start, quote.end, quote.side) == ("q1.1", 40, 112, "against")


@pytest.mark.parametrize("verdict", ["yes", "no"])
def test_card_without_a_quote_decides_nothing(verdict: str) -> None:
    card = locate(RawCard(verdict, ("P7.1",), edits=(EDIT,))).card  # type: ignore[arg-type]
    assert (card.verdict, card.reason, card.edits) == ("open", NOT_QUOTED, ())


def test_supported_card_with_open_words_is_open() -> None:
    card = locate(RawCard("yes", ("P1.1",), open=("two million",))).card
    assert card.verdict == "open"
    assert [TEXT[part.start : part.end] for part in card.open] == ["two million"]


def test_none_for_a_sentence_with_a_number_is_open() -> None:
    assert locate(RawCard("none")).card.verdict == "open"
    assert locate(RawCard("none"), "How nice it is here.", Span(0, 20)).card.verdict == "none"


@pytest.mark.parametrize(
    "edit",
    [
        RawEdit("1923", "1932", "opened in June 1932"),  # the source has no such words
        RawEdit("1923", "1923 and 1941", "opened on 4 May 1932"),  # nor such a number
        RawEdit("1899", "1932", "opened on 4 May 1932"),  # the sentence has no such words
        *(RawEdit("1923", "1932", ""), RawEdit("", "1932", "opened on 4 May 1932")),  # nor any are named
    ],
)
def test_edit_that_code_cannot_find_is_unproven(edit: RawEdit) -> None:
    [doubt] = locate(RawCard("no", ("P1.1",), edits=(edit,))).doubts.unproven
    assert "“”" not in doubt


def test_value_that_no_quote_has_is_doubted() -> None:
    one = locate(RawCard("yes", ("P1.2",)), "It has four dozen beds and 45 rooms.", Span(0, 36))
    assert len(one.doubts.unclear) == 1 and "four" in one.doubts.unclear[0]


def test_edit_in_other_words_than_the_source_is_doubted() -> None:
    edit = RawEdit("for two million", "cheaply", "cost two million crowns")
    one = locate(RawCard("no", ("P1.1",), edits=(edit,)))
    assert one.doubts.unclear
    assert not one.doubts.unproven


def test_overlapping_edits_count_for_nothing() -> None:
    edits = (EDIT, RawEdit("in 1923", "in 1932", "4 May 1932"))
    one = locate(RawCard("no", ("P1.1",), edits=edits))
    assert one.card.edits == ()
    assert "its edits overlap" in one.doubts.unproven


def lines_of(*texts: str) -> dict[str, SourceLine]:
    lines = [SourceLine(f"P1.{number}", text, "q1.1", 0, len(text)) for number, text in enumerate(texts, 1)]
    return {line.label: line for line in lines}


@pytest.mark.parametrize(
    ("text", "edits", "lines"),
    [
        ("It cost 13 million.", [RawEdit("13 million", "12 million", "12 lands")], ["It is in 12 lands."]),
        ("The dam was built in 1936.", [RawEdit("1936", "221", "221 metres")], ["It is 221 metres high."]),
        (
            "The Merrow tunnel cost 12 million crowns.",
            [RawEdit("12", "31", "31 million crowns")],
            ["The ferry cost 31 million crowns.", "For the Merrow tunnel they paid 12 million crowns."],
        ),
        ("Ann: 5, Ben: 7.", [RawEdit("5", "7", "7"), RawEdit(": 7", ": 5", "5")], ["Ann has 5, Ben 7."]),
    ],
    ids=["count of another thing", "length for a year", "line that is farther", "exchange"],
)
def test_edit_that_its_value_does_not_confirm_is_doubted(
    text: str, edits: list[RawEdit], lines: list[str]
) -> None:
    raw = RawCard("no", ("P1.1",), edits=tuple(edits))
    one = locate_card(raw, text, Span(0, len(text)), lines_of(*lines))
    assert one.doubts.unclear or one.doubts.unproven


@pytest.mark.parametrize(
    ("pairs", "changes"),
    [
        ("4>9 9>4", ["4 to 9>9 to 4"]),
        ("Anna>Ben Ben>Carl Carl>Anna", ["Anna led Ben and Carl>Ben led Carl and Anna"]),
        ("4>9 to>and 9>4", ["4 to 9>9 and 4"]),
        ("4>9 9>12", ["4>9", "9>12"]),
    ],
)
def test_edits_that_exchange_words_are_one_edit(pairs: str, changes: list[str]) -> None:
    text = "Anna led Ben and Carl by 4 to 9."
    edits = tuple(RawEdit(old, new, "Anna") for old, new in (it.split(">") for it in pairs.split()))
    made = locate_card(RawCard("no", ("P1.1",), edits=edits), text, Span(0, len(text)), lines_of("Anna")).card
    assert [f"{text[it.start : it.end]}>{it.new}" for it in made.edits] == changes


@pytest.mark.parametrize(
    ("text", "line", "is_doubted"),
    [
        ("Fewer than 300 people came.", "More than 300 people came.", True),
        ("At least 300 people came.", "More than 300 people came.", False),
        ("At least 300 people came.", "300 people came.", False),
    ],
)
def test_support_by_the_opposite_bound_is_doubted(text: str, line: str, is_doubted: bool) -> None:
    one = locate_card(RawCard("yes", ("P1.1",)), text, Span(0, len(text)), lines_of(line))
    assert bool(one.doubts.unclear) is is_doubted


@pytest.mark.parametrize(
    "raw",
    [
        RawCard("yes", ("P1.1",), against=("P1.2",)),
        RawCard("yes", ("P1.1",), edits=(EDIT,)),
        RawCard("yes", ("P1.1",), open=("in 1923",)),
    ],
    ids=["against", "edits", "open"],
)
def test_card_that_agrees_and_contradicts_itself_is_open(raw: RawCard) -> None:
    assert locate(raw).card.verdict == "open"


def test_value_of_a_mixed_card_is_compared_too() -> None:
    text = "It has 99 rooms."
    one = locate(RawCard("mixed", ("P1.1",), ("P1.2",)), text, Span(0, len(text)))
    assert one.doubts.unclear == ("no quoted line has “99”",)


def test_mixed_card_needs_two_sources() -> None:
    assert locate(RawCard("mixed", ("P1.1",), ("P9.1",))).card.verdict == "open"
    assert locate(RawCard("mixed", (), ("P1.1", "P1.2"))).card.verdict == "mixed"  # both deny it
    sides = [quote.side for quote in locate(RawCard("mixed", ("P1.1",), ("P1.2",))).card.quotes]
    assert sides == ["for", "against"]


def test_title_without_a_word_of_the_text_is_about_another() -> None:
    quote = Quote(evidence_id="q1.1", start=0, end=4, text="fact")
    card = Card(start=0, end=4, verdict="yes", quotes=(quote,))

    def kept(*titles: str) -> list[Evidence]:
        found = [evidence(id=f"q1.{number}") for number in range(1, len(titles) + 1)]
        return [it.model_copy(update={"title": title}) for it, title in zip(found, titles, strict=True)]

    assert is_about_another(card, kept("Merrow Ferry", "Tarrow"), "The Tarrow bridge is long.")
    lighthouses = kept("Merrow Lighthouse", "Tarrow Lighthouse")
    assert not is_about_another(card, lighthouses, "The lighthouse is tall.")


words = st.text("abcdé 012.,()[]‹›*_“”\n", max_size=30)
labels = st.lists(st.sampled_from(["P1.1", "P1.2", "P9.9", "", "S1"]), max_size=3).map(tuple)
raw_edits = st.builds(
    RawEdit,
    old=st.one_of(words, st.sampled_from(["1923", "opened", "The bridge"])),
    new=words,
    by=st.one_of(words, st.just("4 May 1932")),
)
cards = st.builds(
    RawCard,
    verdict=st.sampled_from(["yes", "no", "open", "mixed", "none"]),
    quotes=labels,
    against=labels,
    open=st.lists(words, max_size=2).map(tuple),
    edits=st.lists(raw_edits, max_size=3).map(tuple),
)


@given(cards)
def test_card_never_decides_without_a_quote(raw: RawCard) -> None:
    one = locate(raw)
    card = one.card
    if card.verdict in ("yes", "no", "mixed"):
        assert card.quotes
    if card.verdict == "yes":
        assert not card.open
    for edit in card.edits:
        assert SENTENCE.start <= edit.start <= edit.end <= SENTENCE.end
        assert edit.by or one.doubts.unproven
    assert all(quote.text in (LINE.text, OTHER.text) for quote in card.quotes)
