"""Which passages, queries and errors noising takes."""

from pathlib import Path

import pytest

from rarr import prompts
from rarr.backends.prompted.noising import KINDS, PlantedError
from rarr.errors import InputError
from rarr.records import Passage
from rarr.tools.text.blocks_and_sentences import sentences
from rarr.training.noising import MOST_OTHERS, moved, split
from rarr.training.rows import corrupted, fitting, read_seeds
from training.helpers import evidence

TEXT = "The mill opened in 1937 and has 37 looms. It burned in 1950, and 3.5 tons were lost."


def fitted(*errors: tuple[str, str]) -> list[tuple[str, str]]:
    given = [PlantedError(right=right, wrong=wrong, kind="other") for right, wrong in errors]
    return [(error.right, error.wrong) for error in fitting(TEXT, sentences(TEXT), given)]


def test_errors_replace_the_right_words() -> None:
    errors = [
        PlantedError(right=r, wrong=w, kind="date") for r, w in [("in 1950", "in 1905"), (" 1937", "1,973 ")]
    ]
    planted = fitting(TEXT, sentences(TEXT), errors)
    assert [error.start for error in planted] == [19, 52]
    wrong = corrupted(TEXT, planted)
    assert wrong == TEXT.replace("in 1950", "in 1905").replace("1937", "1,973")
    assert [moved(span, planted).of(wrong) for span in sentences(TEXT)] == [
        span.of(wrong) for span in sentences(wrong)
    ]


@pytest.mark.parametrize(
    "error",
    [
        ("", "1"),
        ("1950", " "),
        ("mill", "Mill"),
        ("in 1999", "in 2000"),
        ("in", "at"),
        ("193", "194"),
        ("950", "951"),
        ("3.5 ton", "4 ton"),
        ("looms. It", "rooms. It"),
    ],
)
def test_errors_without_a_place_are_left_out(error: tuple[str, str]) -> None:
    assert fitted(error, ("1937", "1973")) == [("1937", "1973")]


def test_errors_do_not_overlap() -> None:
    assert fitted(("opened in 1937", "shut in 1937"), ("in 1937", "in 1938")) == [
        ("opened in 1937", "shut in 1937")
    ]


def test_kinds_are_those_of_the_prompt() -> None:
    schema = prompts.load("corrupt").output["properties"]["errors"]["items"]
    assert schema["properties"]["kind"]["enum"] == list(KINDS)


def passages(count: int) -> list[Passage]:
    return [evidence(f"Note {n}.", number=n) for n in range(count)]


def bare(passage: Passage) -> Passage:
    return Passage.model_validate(passage.model_dump(include=set(Passage.model_fields)))


def test_passages_are_split_by_relevance_best_first() -> None:
    parts = split([bare(passage) for passage in passages(4)], [0.3, 0.9, 0.6, 0.5])
    assert [passage.text for passage in parts.relevant] == ["Note 1.", "Note 2."]
    assert [(passage.text, passage.id, passage.relevance) for passage in parts.others] == [
        ("Note 3.", "e3", 0.5),
        ("Note 0.", "e4", 0.3),
    ]


def test_relevant_passages_beyond_four_are_left_out() -> None:
    parts = split([bare(passage) for passage in passages(20)], [0.9] * 6 + [0.1] * 14)
    assert (len(parts.relevant), len(parts.others)) == (4, MOST_OTHERS)
    assert all(passage.relevance == 0.1 for passage in parts.others)


def test_queries_are_read_once(tmp_path: Path) -> None:
    path = tmp_path / "q"
    path.write_text("﻿Who?\r\n\nWho  is it?\nWho?\n", encoding="utf-8")
    assert read_seeds(path) == ["Who?", "Who is it?"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "has no query: give one a line"),
        (b"\n \n", "has no query"),
        (b"a\xff", r"is not UTF-8 \(byte 0xff at offset 1\)"),
    ],
)
def test_other_files_are_refused(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "q"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        read_seeds(path)
