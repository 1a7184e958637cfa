"""Tests the items to rate, and how the exports of several raters become labels."""

from pathlib import Path
from typing import Any

import pytest

from evals.doubles import CLAIM, NO, NOT_ALL, PAIR, YES, export, write_rows
from rarr import InputError
from rarr.evals import rating
from rarr.evals.rating import ATTRIBUTION, INTENT, UNDERSTANDABLE
from rarr.evals.rows import RatedPassage

UNCLEAR = {"understandable": "no"}


def item(tmp_path: Path, **row: Any) -> rating.RatingItem:
    (read,) = rating.read_items(write_rows(tmp_path / "data.jsonl", row))
    return read


def test_evidence_is_a_text_or_a_list(tmp_path: Path) -> None:
    given = ["One.", {"text": "Two.", "title": "T", "url": "https://a.example/"}]
    passages = (RatedPassage(text="One."), RatedPassage(text="Two.", title="T", source="https://a.example/"))
    assert item(tmp_path, claim="It is so.", evidence=given).evidence == passages
    assert item(tmp_path, text="It is so.", evidence="One.", context="So?").question == "So?"


@pytest.mark.parametrize(
    ("row", "claim", "asked"),
    [
        (CLAIM, "It opened in 1937.", [UNDERSTANDABLE, ATTRIBUTION]),
        (PAIR, None, [INTENT]),
        (PAIR | {"evidence": "E."}, PAIR["revised"], [UNDERSTANDABLE, ATTRIBUTION, INTENT]),
        (CLAIM | {"revised": "It opened."}, "It opened in 1937.", [UNDERSTANDABLE, ATTRIBUTION]),
    ],
)
def test_a_row_decides_what_is_asked(tmp_path: Path, row: Any, claim: str | None, asked: list[Any]) -> None:
    read = item(tmp_path, **row)
    assert (read.claim, rating.questions_about(read, {"understandable": "yes"})) == (claim, asked)


def test_digest_depends_on_what_raters_see_alone(tmp_path: Path) -> None:
    given: tuple[dict[str, str], ...] = ({}, {"label": "contradictory"}, {"question": "When?"})
    plain, labelled, other = (rating.items_digest([item(tmp_path, **CLAIM, **more)]) for more in given)
    assert plain == labelled != other


@pytest.mark.parametrize("evidence", [{}, {"evidence": []}, {"evidence": " "}])
def test_row_with_nothing_to_rate_is_named(tmp_path: Path, evidence: dict[str, Any]) -> None:
    for row in ({"claim": "A.", **evidence}, {"original": "A.", **evidence}):
        with pytest.raises(InputError, match=r"data\.jsonl, line 1: it"):
            item(tmp_path, **row)


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    return write_rows(tmp_path / "data.jsonl", {"id": "a", **CLAIM}, {"id": "b", **CLAIM, **PAIR})


@pytest.mark.parametrize(
    ("answers", "label", "votes"),
    [
        ([YES], "attributable", {"attributable": 1}),
        ([YES, NO, NO], "contradictory", {"attributable": 1, "contradictory": 2}),
        ([YES, NO], None, {"attributable": 1, "contradictory": 1}),
        ([YES, YES, NOT_ALL, NO], None, {"attributable": 2, "extrapolatory": 1, "contradictory": 1}),
        ([YES, YES, UNCLEAR], "attributable", {"attributable": 2, "not_understandable": 1}),
        ([YES, UNCLEAR, UNCLEAR], None, {"attributable": 1, "not_understandable": 2}),
        ([YES, {}, {"understandable": "yes"}], "attributable", {"attributable": 1}),
        ([{}], None, {}),
    ],
)
def test_label_is_that_of_more_than_half(rows: Path, answers: Any, label: str | None, votes: Any) -> None:
    made = [export(rows, name, given) for name, given in zip("ABCD", answers, strict=False)]
    row = next(rating.labelled_rows(rating.read_exports(made)))
    assert (row["label"], row["votes"]) == (label, votes)


def test_row_has_the_item_its_label_and_its_intent(rows: Path) -> None:
    answers = [NO | {"intent": level} for level in ("similar", "different", "different")]
    made = [export(rows, name, YES, it) for name, it in zip("ABC", answers, strict=True)]
    seen = {"id": "b", "claim": CLAIM["claim"], "evidence": [{"text": CLAIM["evidence"]}], **PAIR}
    label = {"label": "contradictory", "votes": {"contradictory": 3}}
    intent = {"intent": "different", "intent_votes": {"similar": 1, "different": 2}}
    assert list(rating.labelled_rows(rating.read_exports(made)))[1] == seen | label | intent


def test_agreement_is_of_each_question_by_hand(tmp_path: Path) -> None:
    """Attribution: the pairs aa, ae, ee, and a single value; so 3 a and 3 e: 1 - 5 * 1 / 9, and 2 of 3 pairs.

    Understandable: yes and yes three times, yes and no once. 7 yes and 1 no: 1 - 7 * 1 / 7 = 0.
    """
    rows = write_rows(tmp_path / "data.jsonl", *[{"id": i, **CLAIM} for i in range(4)])
    ada, ben = ("Ada", YES, YES, NOT_ALL, YES), ("Ben", YES, NOT_ALL, NOT_ALL, UNCLEAR)
    ratings = rating.merge_ratings(rating.read_exports([export(rows, *ada), export(rows, *ben)]))
    assert list(ratings.agreement) == ["understandable", "attribution"]
    values = [[it.value for it in ratings.agreement[name].values()] for name in ratings.agreement]
    assert values == [pytest.approx([0, 3 / 4]), pytest.approx([4 / 9, 2 / 3])]
    percent = ratings.agreement["attribution"]["percent"]
    assert (percent.n, percent.unjudged) == (3, 1)
    assert ratings.labels == {"attributable": 1, "extrapolatory": 1, "contradictory": 0, "null": 2}


def test_exports_of_other_data_or_of_one_rater_do_not_merge(rows: Path, tmp_path: Path) -> None:
    other = write_rows(tmp_path / "other" / "data.jsonl", {"id": "a", **CLAIM})
    with pytest.raises(InputError, match="has ratings of different data"):
        rating.read_exports([export(rows, "Ada"), export(other, "Ben")])
    with pytest.raises(InputError, match="has ratings of ' ada ' a second time: give one"):
        rating.read_exports([export(rows, "Ada"), export(rows, "x", rater=" ada ")])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"rater": " "}, "has no name of a rater: enter it on the page"),
        ({"format": "rarr-ratings-9"}, "is no export of ratings"),
        ({"items": []}, "does not have the items of its page"),
        ({"answers": {"c": YES}}, "about 'c', which the page does not offer"),
        ({"answers": {"a": {"understandable": "maybe"}}}, "has the answer 'maybe' to 'understandable'"),
        ({"answers": {"a": {"attribution": "attributable"}}}, "to 'attribution' about 'a'"),
        ({"answers": {"a": {"intent": "similar"}}}, "to 'intent' about 'a'"),
    ],
)
def test_exports_that_no_page_wrote_are_refused(rows: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        rating.read_exports([export(rows, "Ada", **changes)])


@pytest.mark.parametrize("content", [None, "", "[" * 100_000, "[]"])
def test_files_that_are_no_exports_are_named(tmp_path: Path, content: str | None) -> None:
    path = tmp_path / "a.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(InputError, match=r"a\.json (cannot be read|is no export of ratings).*: give a file"):
        rating.read_exports([path])
