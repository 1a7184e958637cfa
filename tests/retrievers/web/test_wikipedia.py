"""What wikipedia's search is asked, and what becomes of the texts that it gives out."""

import pytest
from hypothesis import given, strategies as st

from rarr.retrievers.web.searches import article_text, search_words

FORMULA = """The energy is .
  .
    .
        E
        =
        m
    .
    {\\displaystyle E=mc^{2}}
  .
, where c is the speed of light.
It is famous.""".replace(".\n", "\n", 5)


@pytest.mark.parametrize("name", ["References", "SEE ALSO", "Einzelnachweise", "Voir aussi", "脚注"])
def test_wikipedia_reference_sections_are_left_out_with_their_subsections(name: str) -> None:
    assert article_text(f"Lead.\n== {name} ==\nx\n=== Y ===\ny\n== Z ==\nz") == "Lead.\n\n## Z\n\nz"


def test_wikipedia_formula_stays_in_its_sentence() -> None:
    assert article_text(FORMULA).split("\n\n") == [
        "The energy is E=mc^{2}, where c is the speed of light.",
        "It is famous.",
    ]


@pytest.mark.parametrize("line", ["== a" + " " * 300_000 + "b", "=" * 300_000, "= " * 150_000])
def test_wikipedia_hostile_heading_takes_as_long_as_the_line(line: str) -> None:
    assert article_text(f"One.\n{line}\nTwo.").endswith("Two.")


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("Who wrote Emma?", "Who wrote Emma"),
        ('"Emma" AND (intitle:x OR y*) ~z -w !v', "Emma and intitle x or y z w v"),
        ("What is Marie-Claire's 3.14, 1,000 and C#?", "What is Marie-Claire's 3.14, 1,000 and C#"),
        ("東京の人口は？", "東京の人口は？"),
        ("भारत की राजधानी", "भारत की राजधानी"),
    ],
)
def test_wikipedia_search_has_no_operators(question: str, first: str) -> None:
    assert search_words(question)[0].replace(",", "") == first.replace(",", "")


@given(st.text(max_size=600))
def test_wikipedia_searches_are_short_and_plain(question: str) -> None:
    for words in search_words(question):
        assert 0 < len(words) <= 250
        assert not set(words) & set('"*~|!?:<>(){}[]')
