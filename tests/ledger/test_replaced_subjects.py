"""An edit that names another subject is only suggested where its page does not say the subject's kind."""

import pytest
from makers import evidence

from rarr.backends.rules.parsed_sentence import parsed_sentence
from rarr.ledger.replaced_subjects import description_not_said, is_subject_told_otherwise
from rarr.tools.text.blocks_and_sentences import Span


@pytest.mark.parametrize(
    ("text", "old", "new", "page", "kind"),
    [
        ("The painter Jon Tarv was born in Lisk.", "Jon Tarv", "Ida Brandt", "Ida Brandt, a chemist, was "
         "born in Lisk.", "paint"),
        ("In Lisk, the painter Jon Tarv was born.", "Jon Tarv", "Ida Brandt", "Ida Brandt was born in Lisk.",
         "paint"),
        ("Jon Tarv, a painter, was born in Lisk.", "Jon Tarv", "Ida Brandt", "Ida Brandt was born in Lisk.",
         "paint"),
        ("The painter Jon Tarv was born in Lisk.", "Jon Tarv", "Ida Brandt", "The painter Ida Brandt was "
         "born in Lisk.", ""),
        ("Jon Tarv was born in Lisk.", "Jon Tarv", "Ida Brandt", "Ida Brandt was born in Lisk.", ""),
        ("The painter Jon Tarv was born in Lisk.", "Jon Tarv", "Jon K. Tarv", "Jon K. Tarv was born in Lisk.",
         ""),
        ("The painter Jon Tarv was born in Lisk.", "Lisk", "Odda", "Jon Tarv was born in Odda.", ""),
        ("The house was built by the painter Jon Tarv.", "Jon Tarv", "Ida Brandt", "It was built by "
         "Ida Brandt.", ""),
    ],
)  # fmt: skip
def test_kind_of_a_replaced_subject(text: str, old: str, new: str, page: str, kind: str) -> None:
    start = text.index(old)
    changed = Span(start, start + len(old))
    assert description_not_said(parsed_sentence(text), changed, new, evidence(page)) == kind


@pytest.mark.parametrize(
    ("text", "old", "page", "otherwise"),
    [
        ("A red light means that the tray is full.", "red",
         "A red light means that the tank is empty. An orange light means that the tray is full.", True),
        ("Jon Tarv planned the bridge.", "Jon Tarv",
         "Ida Brandt planned the bridge. Jon Tarv planned the dam.", True),
        ("Jon Tarv planned the bridge.", "Jon Tarv",
         "Ida Brandt planned the bridge. Jon Tarv was born in Lisk.", False),
        ("Jon Tarv planned the bridge.", "bridge", "Jon Tarv planned the dam.", False),
        ("A red light means that the tray is full.", "red",
         "An orange light means that the tray is full.", False),
    ],
)  # fmt: skip
def test_subject_that_the_page_tells_otherwise(text: str, old: str, page: str, otherwise: bool) -> None:
    start = text.index(old)
    changed = Span(start, start + len(old))
    assert is_subject_told_otherwise(parsed_sentence(text), changed, evidence(page)) is otherwise
