"""Cards are located in the text: the answer of a reader counts only if code finds its words."""

from typing import Any

import pytest
from hypothesis import given, strategies as st
from makers import evidence

from rarr.backends.source_lines import labelled_excerpts
from rarr.components import RawCard, RawEdit, SourceLine
from rarr.ledger.card import NAMESAKE, NOT_QUOTED, TITLE, make_card, with_comparison_doubts, with_title_doubts
from rarr.records.cards_and_edits import Card, Quote
from rarr.tools.text.blocks_and_sentences import Span

LINE = SourceLine("P1.1", "The *Tarrow* opened on 4 May 1932, cost two million *crowns*.", "q1.1", 40, 112)
OTHER = SourceLine("P1.2", "It has 45 rooms.", "q1.1", 113, 129)
LINES = {line.label: line for line in (LINE, OTHER)}
TEXT = "Before. The bridge opened in 1923 for two million. After."
SENTENCE = Span(8, 50)
EDIT = RawEdit("opened in 1923", "opened in 1932", "opened on 4 May 1932")


def locate(verdict: Any, *quotes: str, **fields: Any) -> Card:
    raw = RawCard(verdict, quotes, **{name: tuple(values) for name, values in fields.items()})
    return make_card(raw, TEXT, SENTENCE, LINES)


def locate_with_source(verdict: Any, text: str, lines: list[str], *edits: RawEdit) -> Card:
    """Locates a card about a whole text. The card quotes the first of some lines."""
    numbered = {f"P1.{n}": SourceLine(f"P1.{n}", it, "q1.1", 0, len(it)) for n, it in enumerate(lines, 1)}
    return make_card(RawCard(verdict, ("P1.1",), edits=edits), text, Span(0, len(text)), numbered)


def changes(card: Card, text: str) -> list[str]:
    return [f"{text[it.start : it.end]}>{it.new}" for it in card.edits]


def test_edit_is_cut_to_the_words_that_differ_and_its_quote_points_into_its_source() -> None:
    card = locate("no", "P1.1", "P9.9", edits=[EDIT])
    assert (changes(card, TEXT), card.edits[0].by) == (["1923>1932"], "opened on 4 May 1932")
    [quote] = card.quotes
    assert (quote.evidence_id, quote.start, quote.end, quote.side) == ("q1.1", 40, 112, "against")


def test_edit_replaces_a_hyphened_word_as_a_whole() -> None:
    text, edit = "The offer is non-binding.", RawEdit("is non-binding", "is binding", "is binding")
    card = locate_with_source("no", text, ["The offer is binding."], edit)
    assert (changes(card, text), card.unclear, card.doubts) == (["non-binding>binding"], (), ())


@pytest.mark.parametrize(
    ("verdict", "quote", "more", "reason"),
    [
        *((it, "P7.1", {"edits": [EDIT]}, NOT_QUOTED) for it in ("yes", "no")),  # without a quote
        *(("yes", "P1.1", it, "") for it in ({"against": ["P1.2"]}, {"edits": [EDIT]})),  # it denies itself
        ("yes", "P1.1", {"open": ["two million"]}, ""),
        ("none", "P1.1", {}, ""),  # the sentence has a number
        ("mixed", "P1.1", {"against": ["P9.1"]}, ""),  # with one source
    ],
)
def test_card_without_a_decision_is_open(verdict: str, quote: str, more: dict[str, Any], reason: str) -> None:
    card = locate(verdict, quote, **more)
    assert (card.verdict, card.reason, card.edits) == ("open", reason, ())
    assert [TEXT[it.start : it.end] for it in card.open] == more.get("open", [SENTENCE.of(TEXT)])


def test_none_for_a_sentence_without_a_number_stays() -> None:
    assert locate_with_source("none", "How nice it is here.", []).verdict == "none"


@pytest.mark.parametrize(
    "edit",
    [
        RawEdit("1923", "1932", "opened in June 1932"),  # the source has no such words
        RawEdit("1923", "1923 and 1941", "opened on 4 May 1932"),  # nor such a number
        RawEdit("1899", "1932", "opened on 4 May 1932"),  # the sentence has no such words
        *(RawEdit("1923", "1932", ""), RawEdit("", "1932", "opened on 4 May 1932")),  # nor any are named
        RawEdit("1923", "1923", "opened on 4 May 1932"),  # nothing is changed
    ],
)
def test_edit_that_code_cannot_find_is_unproven(edit: RawEdit) -> None:
    [doubt] = locate("no", "P1.1", edits=[edit]).doubts
    assert "“”" not in doubt


def test_edit_to_the_opposite_bound_is_unproven() -> None:
    edit = RawEdit("mindestens", "über", "bis zu 25.000 Euro")
    card = locate_with_source(
        "no", "Es drohen mindestens 25.000 Euro.", ["Es drohen bis zu 25.000 Euro."], edit
    )
    assert card.doubts == ("a quoted line has the opposite bound",)


def test_contradiction_without_a_correction_is_asked_about() -> None:
    assert locate("no", "P1.1").unclear == ("it names no correction",)


@pytest.mark.parametrize(("old", "new"), [("1 g", "1000 mg"), ("two weeks", "14 days"), ("half", "50%")])
def test_edit_that_only_writes_a_value_in_another_form_is_none(old: str, new: str) -> None:
    card = locate_with_source("no", f"It is {old}.", [f"It is {new}."], RawEdit(old, new, new))
    assert (card.edits, card.doubts) == ((), ("its edits change nothing",))


def test_line_that_repeats_a_sentence_never_contradicts_it() -> None:
    kept = evidence("The dose is 9 mg.", id="q1.1")
    card = locate_with_source("no", kept.text, [kept.text])
    doubted = with_comparison_doubts(card, kept.text, [kept])
    assert doubted.doubts == ("a passage has the sentence word for word",)


def test_overlapping_edits_count_for_nothing() -> None:
    card = locate("no", "P1.1", edits=[EDIT, RawEdit("in 1923", "in 1932", "4 May 1932")])
    assert (card.edits, card.doubts) == ((), ("its edits overlap",))


@pytest.mark.parametrize(
    ("text", "edits", "lines"),
    [
        ("It cost much.", [RawEdit("much", "little", "cost two million")], ["It cost two million crowns."]),
        ("Take 300 mg.", [RawEdit("300", "400", "400 mg")], ["Take 400 mg per hour."]),
        ("Grade 3 is rare.", [RawEdit("3", "12", "12 rooms")], ["It has 12 rooms."]),
        ("The dam was built in 1936.", [RawEdit("1936", "221", "221 metres")], ["It is 221 metres high."]),
        (
            "The Merrow tunnel cost 12 million crowns.",
            [RawEdit("12", "31", "31 million crowns")],
            ["The ferry cost 31 million crowns.", "For the Merrow tunnel they paid 12 million crowns."],
        ),
        ("Ann: 5, Ben: 7.", [RawEdit("5", "7", "7"), RawEdit(": 7", ": 5", "5")], ["Ann has 5, Ben 7."]),
    ],
    ids=["other words", "rate", "number of a name", "length for a year", "line that is farther", "exchange"],
)
def test_edit_that_no_value_confirms_is_unclear(text: str, edits: list[RawEdit], lines: list[str]) -> None:
    card = locate_with_source("no", text, lines, *edits)
    assert card.unclear
    assert not card.doubts


@pytest.mark.parametrize(
    ("pairs", "made"),
    [
        ("4>9 9>4", ["4 to 9>9 to 4"]),
        ("Anna>Ben Ben>Carl Carl>Anna", ["Anna led Ben and Carl>Ben led Carl and Anna"]),
        ("4>9 to>and 9>4", ["4 to 9>9 and 4"]),
        ("4>9 9>12", ["4>9", "9>12"]),
    ],
)
def test_edits_that_exchange_words_are_one_edit(pairs: str, made: list[str]) -> None:
    text = "Anna led Ben and Carl by 4 to 9."
    edits = (RawEdit(old, new, "Anna") for old, new in (it.split(">") for it in pairs.split()))
    assert changes(locate_with_source("no", text, ["Anna"], *edits), text) == made


@pytest.mark.parametrize(
    ("text", "line", "unclear"),
    [
        ("Fewer than 300 people came.", "More than 300 people came.", "“300”"),
        ("It has four dozen beds and 45 rooms.", "It has 45 rooms.", "“four dozen”"),
        ("At least 300 people came.", "More than 300 people came.", ""),
        ("At least 300 people came.", "300 people came.", ""),
        ("Over 300 people came.", "300 people came.", "“300”"),
        ("Take 300 mg.", "Take 300 IU.", "“300 mg”"),
        ("Take 300 mg.", "Take 300 mg per hour.", "“300 mg”"),
        ("The dose is 300 mg.", "It helped 300 patients.", "“300 mg”"),
        ("Its limit is 5 mEq/l.", "Its limit is 5 Eq/l.", "“5”"),
        ("It has 300 floors.", "It has 300 storeys.", ""),
        ("The dose is 300 mg.", "| Dose (mg) | 300 |", ""),
    ],
)
def test_supported_value_that_no_quote_has_is_asked_about(text: str, line: str, unclear: str) -> None:
    expected = (f"no quoted line has {unclear}",) if unclear else ()
    assert locate_with_source("yes", text, [line]).unclear == expected


@pytest.mark.parametrize(
    ("line", "text", "edits", "is_doubted"),
    [
        ("Give it to adults only.", "Give it to children only.", (), True),
        ("The dam is 4 m high and 9 m long.", "The dam is 9 m high and 4 m long.", (), True),
        ("Give it to adults only.", "It must be given only to grown-ups.", (), False),
        ("Such: war and strikes.", "war", (), False),  # it has no word that is compared
        ("Bremin must not be mixed.", "Bremin may be mixed.", (RawEdit("may", "must", "must"),), True),
        ("Bremin must not be mixed.", "Bremin may be mixed.", (RawEdit("may", *["must not"] * 2),), False),
    ],
)
def test_sentence_that_nearly_repeats_its_quote_and_differs_is_asked_about(
    line: str, text: str, edits: tuple[RawEdit, ...], *, is_doubted: bool
) -> None:
    kept = evidence(line, id="q1.1")
    numbered = {it.label: it for excerpt in labelled_excerpts([kept]) for it in excerpt.lines}
    raw = RawCard("no" if edits else "yes", tuple(numbered), edits=edits)
    card = make_card(raw, text, Span(0, len(text)), numbered)
    doubts = with_comparison_doubts(card, text, [kept]).unclear
    assert (doubts == ("a quoted line nearly repeats it, and differs",)) == is_doubted


def test_value_of_a_mixed_card_is_compared_too() -> None:
    raw = RawCard("mixed", ("P1.1",), ("P1.2",))
    assert make_card(raw, "It has 99 rooms.", Span(0, 16), LINES).unclear == ("no quoted line has “99”",)


def test_mixed_card_of_two_sources() -> None:
    assert locate("mixed", against=["P1.1", "P1.2"]).verdict == "mixed"  # both deny it
    both = locate("mixed", "P1.1", against=["P1.2"])
    assert [quote.side for quote in both.quotes] == ["for", "against"]


@pytest.mark.parametrize(
    ("titles", "context", "quote", "doubt"),
    [
        (["Merrow Ferry", "Tarrow"], "Who owns the Tarrow bridge?", "It is long.", NAMESAKE),
        (["Merrow Ferry", "Tarrow"], "", "The Tarrow bridge is long.", ""),
        (["Merrow Lighthouse", "Tarrow Lighthouse"], "", "It is long.", ""),
        # Another title has a word of the sentence that the quote and its title lack.
        (["Lease of 2 May 2019", "Lease of 14 March 2023"], "", "The rent is 1,200 euros.", NAMESAKE),
        (["Lease of 2 May 2019", "Lease of 14 March 2023"], "", "In 2023 it is 1,200.", ""),
        (["The lease of the bridge", "Tarrow"], "", "# The lease", TITLE),
    ],
)
def test_card_is_doubted_for_the_titles_of_passages(
    titles: list[str], context: str, quote: str, doubt: str
) -> None:
    text = "The bridge is long, by the lease of 2023."
    cited = Quote(evidence_id="q1.1", start=0, end=len(quote), text=quote)
    card = Card(start=0, end=len(text), verdict="yes", quotes=(cited,))
    kept = [evidence(id=f"q1.{n}", title=title) for n, title in enumerate(titles, start=1)]
    doubted = with_title_doubts(card, text, kept, context)
    assert doubted.unclear + doubted.doubts == ((doubt,) if doubt else ())


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
    card = make_card(raw, TEXT, SENTENCE, LINES)
    assert card.quotes or card.verdict not in ("yes", "no", "mixed")
    assert card.verdict != "yes" or not card.open
    for edit in card.edits:
        assert SENTENCE.start <= edit.start <= edit.end <= SENTENCE.end
        assert edit.by or card.doubts
    assert all(quote.text in (LINE.text, OTHER.text) for quote in card.quotes)
