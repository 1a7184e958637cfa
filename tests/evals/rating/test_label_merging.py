"""Exports of several raters become labels by majority, and do not merge where they do not fit."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from evals.rating.makers import CLAIM, NO, NOT_ALL, PAIR, UNCLEAR, YES, data, export
from rarr import InputError
from rarr.evals.rating import labelled_rows, merged, read_exports

NAMES = ("Ada", "Ben", "Cy", "Di")


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    return data(tmp_path / "data.jsonl", {"id": "a", **CLAIM}, {"id": "b", **CLAIM, **PAIR})


@pytest.mark.parametrize(
    ("answers", "label", "votes"),
    [
        ([YES], "attributable", {"attributable": 1}),
        ([YES, NO, NO], "contradictory", {"attributable": 1, "contradictory": 2}),
        ([YES, NO], None, {"attributable": 1, "contradictory": 1}),
        ([YES, NOT_ALL, NO], None, {"attributable": 1, "extrapolatory": 1, "contradictory": 1}),
        ([YES, YES, NOT_ALL, NO], None, {"attributable": 2, "extrapolatory": 1, "contradictory": 1}),
        ([YES, YES, UNCLEAR], "attributable", {"attributable": 2, "not_understandable": 1}),
        ([YES, UNCLEAR, UNCLEAR], None, {"attributable": 1, "not_understandable": 2}),
        ([YES, UNCLEAR], None, {"attributable": 1, "not_understandable": 1}),
        ([YES, {}, {"understandable": "yes"}], "attributable", {"attributable": 1}),
        ([{}], None, {}),
    ],
)
def test_label_is_the_answer_of_more_than_half(
    rows: Path, answers: list[Mapping[str, str]], label: str | None, votes: dict[str, int]
) -> None:
    exports = [export(rows, name, given) for name, given in zip(NAMES, answers, strict=False)]
    row = next(labelled_rows(read_exports(exports)))
    assert (row["label"], row["votes"]) == (label, votes)


def test_label_of_one_rater_is_marked_and_counted(rows: Path) -> None:
    exports = read_exports([export(rows, "Ada", YES, NO), export(rows, "Ben", YES)])
    assert [row.get("label_of") for row in labelled_rows(exports)] == ["majority", "one rater"]
    assert merged(exports).labels_of_one_rater == 1
    assert [row.get("label_of") for row in labelled_rows(exports[:1])] == ["one rater", "one rater"]


def test_row_has_the_item_and_its_intent(rows: Path) -> None:
    answers = [NO | {"intent": level} for level in ("similar", "different", "different")]
    exports = [export(rows, name, {}, given) for name, given in zip(NAMES, answers, strict=False)]
    assert list(labelled_rows(read_exports(exports)))[1] == {
        "id": "b",
        "claim": CLAIM["claim"],
        "evidence": [{"text": CLAIM["evidence"]}],
        **PAIR,
        "label": "contradictory",
        "votes": {"contradictory": 3},
        "label_of": "majority",
        "intent": "different",
        "intent_votes": {"similar": 1, "different": 2},
    }


def test_agreement_is_of_each_question_by_hand(tmp_path: Path) -> None:
    """Attribution: aa, ae, ee, and once a single value. 3 a and 3 e: 1 - 5 * 1 / 9, and 2 of 3 pairs.

    Understandable: yes and yes three times, yes and no once. 7 yes and 1 no: 1 - 7 * 1 / 7 = 0.
    """
    rows = data(tmp_path / "data.jsonl", *[{"id": i, **CLAIM} for i in range(4)])
    exports = [
        export(rows, "Ada", YES, YES, NOT_ALL, YES),
        export(rows, "Ben", YES, NOT_ALL, NOT_ALL, UNCLEAR),
    ]
    ratings = merged(read_exports(exports))
    assert list(ratings.agreement) == ["understandable", "attribution"]
    attribution, understandable = ratings.agreement["attribution"], ratings.agreement["understandable"]
    assert attribution.alpha.value == pytest.approx(4 / 9)
    assert attribution.percent.value == pytest.approx(2 / 3)
    assert (attribution.percent.n, attribution.percent.unjudged) == (3, 1)
    assert understandable.alpha.value == pytest.approx(0)
    assert understandable.percent.value == 3 / 4
    assert ratings.labels == {"attributable": 1, "extrapolatory": 1, "contradictory": 0, "null": 2}
    assert ratings.rated == {"Ada": 4, "Ben": 4}


def test_exports_of_other_data_do_not_merge(rows: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    other = data(tmp_path / "other" / "data.jsonl", {"id": "a", **CLAIM})
    with pytest.raises(InputError, match="has ratings of other data than"):
        read_exports([export(rows, "Ada"), export(other, "Ben")])


def test_a_rater_counts_once(rows: Path) -> None:
    first, second = export(rows, "Ada"), export(rows, "x", rater=" ada ")
    with pytest.raises(InputError, match="both of the rater ' ada ': give one of them"):
        read_exports([first, second])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"rater": " "}, "has no name of a rater: enter it on the page"),
        ({"format": "rarr-ratings-9"}, "is no export of ratings"),
        ({"items": 1}, "is no export of ratings"),
        ({"items": []}, "holds other items than its page had"),
        ({"digest": "00"}, "holds other items than its page had"),
        ({"answers": {"c": YES}}, "has an answer about 'c', which is no item"),
        ({"answers": {"a": {"understandable": "maybe"}}}, "has the answer 'maybe' to 'understandable'"),
        (
            {"answers": {"a": {"attribution": "attributable"}}},
            "to 'attribution' about 'a', which the page does",
        ),
        ({"answers": {"a": {"intent": "similar"}}}, "to 'intent' about 'a'"),
    ],
)
def test_exports_that_no_page_wrote_are_refused(rows: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as wrong:
        read_exports([export(rows, "Ada", **changes)])
    assert message in str(wrong.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "cannot be read (No such file"),
        ("", "is not JSON"),
        ("{", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ("[]", "is no export of ratings: give a file that a page of rarr label exported"),
        (json.dumps(CLAIM), "is no export of ratings"),
    ],
)
def test_files_that_are_no_exports_are_named(tmp_path: Path, content: str | None, message: str) -> None:
    path = tmp_path / "a.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(InputError) as wrong:
        read_exports([path])
    assert message in str(wrong.value)
    assert "\n" not in str(wrong.value)
