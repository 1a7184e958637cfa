"""Which sentences of the evidence a reader is shown beside a sentence of the text."""

import pytest
from makers import evidence

from rarr.records import Part, Sentence
from rarr.records.card import Quote
from rarr.tools.text.blocks_and_sentences import closest_sentence
from rarr.views.quoted_sentences import confirming_sentences, quoted_sources

PASSAGE = "The K3 is a kettle made in Dunfold. It was introduced in March 2019. It holds six cups."
TEXT = "The K3 kettle came out in March 2019 and holds six cups."


def sentence(*says: tuple[str, str], evidence_ids: tuple[str, ...] = ("q1.1",)) -> Sentence:
    parts = tuple(
        Part(start=0, end=1, state="confirmed", evidence_id=name, says=words) for name, words in says
    )
    return Sentence(
        text=TEXT, start=0, end=len(TEXT), status="supported", evidence_ids=evidence_ids, parts=parts
    )


def quotes(spoken: Sentence, *passages: object) -> list[list[str]]:
    return [shown for _, shown in quoted_sources(spoken, passages)]  # type: ignore[arg-type]


def test_lines_that_the_reader_cited_are_shown() -> None:
    """Even where another sentence is nearer to the text: a reader must see what was relied on."""
    cited = Quote(evidence_id="q1.1", start=0, end=10, text="The K3 is a kettle made in Dunfold.")
    spoken = sentence(("q1.1", "March 2019")).model_copy(update={"quotes": (cited,)})
    assert quotes(spoken, evidence(PASSAGE)) == [["The K3 is a kettle made in Dunfold."]]


@pytest.mark.parametrize(
    ("says", "shown"),
    [
        ([], ["The K3 is a kettle made in Dunfold."]),
        (["March 2019"], ["It was introduced in March 2019."]),
        (["six", "March 2019"], ["It was introduced in March 2019.", "It holds six cups."]),
        (["Dun"], ["The K3 is a kettle made in Dunfold."]),
        (["kettle", "Dunfold", "K3"], ["The K3 is a kettle made in Dunfold."]),
    ],
)
def test_sentences_that_hold_the_confirming_words_are_quoted(says: list[str], shown: list[str]) -> None:
    assert confirming_sentences(PASSAGE, "The K3 kettle", says, 3) == shown


def test_closest_sentence_shares_most_words() -> None:
    assert closest_sentence(PASSAGE, "It holds six litres.") == "It holds six cups."


def test_date_that_is_confirmed_is_shown() -> None:
    assert quotes(sentence(("q1.1", "March 2019")), evidence(PASSAGE)) == [
        ["It was introduced in March 2019."]
    ]


def test_confirming_evidence_comes_before_other_evidence() -> None:
    spoken = sentence(("q2.1", "six"), evidence_ids=("q1.1", "q2.1"))
    others = evidence("It is a kettle.", source="a.md"), evidence(PASSAGE, id="q2.1", source="b.md")
    assert quotes(spoken, *others) == [["It holds six cups."], ["It is a kettle."]]


def test_same_source_is_named_once_and_same_words_are_quoted_once() -> None:
    spoken = sentence(("q1.1", "six"), ("q2.1", "March 2019"), evidence_ids=("q1.1", "q2.1", "q3.1"))
    windows = [evidence(PASSAGE, id=name) for name in ("q1.1", "q2.1", "q3.1")]
    assert quotes(spoken, *windows) == [
        ["It holds six cups.", "It was introduced in March 2019.", "The K3 is a kettle made in Dunfold."]
    ]


def test_three_quotes_are_shown_at_most() -> None:
    names = [f"q{number}.1" for number in range(1, 6)]
    passages = [evidence(f"The K3 kettle has {name}.", id=name, source=name) for name in names]
    assert len(quotes(sentence(evidence_ids=tuple(names)), *passages)) == 3
