"""Tests how evidence becomes excerpts with labelled lines."""

from makers import evidence

from rarr.backends.source_lines import labelled_excerpts

FIRST = "The lift opened in 1881. It has two tanks."
LATER = "It has two tanks. A storm bent its gate."


def shown(*parts: tuple[str, int]) -> list[list[tuple[str, str]]]:
    """Returns the (label, text) of each line of the excerpts of one source."""
    made = [evidence(text, id=f"e{n}", start=start) for n, (text, start) in enumerate(parts)]
    return [[(line.label, line.text) for line in excerpt.lines] for excerpt in labelled_excerpts(made)]


def test_a_line_in_two_excerpts_is_shown_once() -> None:
    assert shown((FIRST, 0), (LATER, FIRST.index("It"))) == [
        [("P1.1", "The lift opened in 1881."), ("P1.2", "It has two tanks.")],
        [("P2.1", "A storm bent its gate.")],
    ]


def test_an_excerpt_without_a_line_of_its_own_is_left_out_and_the_same_words_elsewhere_are_not() -> None:
    parts = (FIRST, 0), ("It has two tanks.", FIRST.index("It")), (LATER, 200)
    assert [len(lines) for lines in shown(*parts)] == [2, 2]


def test_line_above_a_passage_that_explains_it_is_its_first_line() -> None:
    [excerpt] = labelled_excerpts([evidence("- rain", start=40, lead=((0, "Do not sail in:"),))])
    assert [(line.label, line.text, line.start) for line in excerpt.lines] == [
        ("P1.1", "Do not sail in:", 0),
        ("P1.2", "rain", 42),
    ]
