"""The rows that `rarr label` reads."""

from pathlib import Path
from typing import Any

import pytest

from evals.rating.makers import CLAIM, PAIR, data
from rarr import InputError
from rarr.evals.rating import RatedPassage, RatingItem, digest_of, questions_about, read_items


def item(tmp_path: Path, **row: Any) -> RatingItem:
    (read,) = read_items(data(tmp_path / "data.jsonl", row))
    return read


@pytest.mark.parametrize(
    ("evidence", "passages"),
    [
        ("One.", [RatedPassage(text="One.")]),
        (["One.", "Two."], [RatedPassage(text="One."), RatedPassage(text="Two.")]),
        (
            [{"text": "One.", "title": "T", "url": "https://a.example/"}, {"text": "Two.", "source": "b.md"}],
            [
                RatedPassage(text="One.", title="T", source="https://a.example/"),
                RatedPassage(text="Two.", source="b.md"),
            ],
        ),
    ],
)
def test_evidence_is_a_text_or_a_list(tmp_path: Path, evidence: object, passages: list[RatedPassage]) -> None:
    assert list(item(tmp_path, claim="It is so.", evidence=evidence).evidence) == passages


@pytest.mark.parametrize(
    ("row", "claim", "names"),
    [
        (CLAIM, "It opened in 1937.", ["understandable", "attribution"]),
        (PAIR, None, ["intent"]),
        (CLAIM | PAIR, "It opened in 1937.", ["understandable", "attribution", "intent"]),
        (PAIR | {"evidence": "E."}, PAIR["revised"], ["understandable", "attribution", "intent"]),
        (CLAIM | {"revised": "It opened."}, "It opened in 1937.", ["understandable", "attribution"]),
    ],
)
def test_a_row_decides_what_is_asked(
    tmp_path: Path, row: dict[str, str], claim: str | None, names: list[str]
) -> None:
    read = item(tmp_path, **row)
    assert read.claim == claim
    assert [question.name for question in questions_about(read, {"understandable": "yes"})] == names


def test_digest_depends_on_what_raters_see_alone(tmp_path: Path) -> None:
    plain, labelled, other = (
        digest_of([item(tmp_path, **CLAIM, **more)])
        for more in ({}, {"label": "contradictory"}, {"question": "When?"})
    )
    assert plain == labelled != other


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "data.jsonl has no row (it is empty)"),
        ("{", "data.jsonl has no row (line 1: it is not JSON"),
        ('{"claim": "A."}', "it has nothing to rate: give"),
        ('{"claim": "A.", "evidence": []}', "it has nothing to rate"),
        ('{"claim": "A.", "evidence": " "}', "it has nothing to rate"),
        ('{"original": "A."}', "it has nothing to rate"),
        ('{"claim": " ", "evidence": "A."}', 'its "claim" is wrong (it is empty)'),
        ('{"claim": "A.", "evidence": [{"title": "T"}]}', 'it has no "evidence.1.text"'),
        (
            '{"id": 1, "claim": "A.", "evidence": "E."}\n{"id": "1", "claim": "B.", "evidence": "E."}',
            "data.jsonl, line 2: its id '1' is that of an earlier line",
        ),
    ],
)
def test_wrong_rows_are_named(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "data.jsonl").write_text(text)
    with pytest.raises(InputError) as wrong:
        read_items(tmp_path / "data.jsonl")
    assert message in str(wrong.value)
