"""A page with a qualifier in its title may be about a namesake, unless the text speaks of that thing."""

import pytest

from rarr.backends.rules.counterparts import parsed_passage
from rarr.backends.rules.namesakes import may_be_of_a_namesake


def is_namesake(text: str, title: str, page: str, *, asked: str = "1931", context: str | None = None) -> bool:
    return may_be_of_a_namesake(text, context, asked, parsed_passage(page, title))


@pytest.mark.parametrize(
    ("text", "title", "page"),
    [
        # a kind that the text does not have
        ("Ostrel was founded in 1931.", "Ostrel (band)", "Ostrel was founded in 1994."),
        ("The town of Ostrel was founded in 1931.", "Ostrel (band)", "Ostrel is a band since 1994."),
        ("The ferry Ostrel sank in 1931.", "Ostrel (1941 ship)", "Ostrel is a tug. It sank in 1960."),
        # A page may have a word of the text's kind, and yet be about a thing of another kind.
        ("The village of Ostrel began in 1931.", "Ostrel (island)", "Ostrel is an island with a village."),
        # a place that the text does not have
        ("Ostrel, a port in Wales, was founded in 1931.", "Ostrel, Ontario", "Ostrel is a port in Ontario."),
        ("The Welsh port of Ostrel was founded in 1931.", "Ostrel, Ontario", "Ostrel is a port."),
        ("The island of Ostrel was settled in 1931.", "Ostrel, Ontario", "Ostrel is a mill town."),
        ("The island of Ostrel was settled in 1931.", "Ostrel, Ontario", "It was settled in 1850."),
        ("Ostrel in Jersey was settled in 1931.", "Ostrel (New Jersey)", "Ostrel was settled in 1850."),
        ("The parish of Ostrel in Jersey dates from 1931.", "Ostrel, New Jersey", "Ostrel is a suburb."),
        # a thing of the same kind and of another year
        ("The film Ostrel came out in 1931.", "Ostrel (1998 film)", "It came out in 1998."),
        ("The film Ostrel by Ada Quill came out in 1931.", "Ostrel (1998 film)", "It was made by Jon Tarv."),
    ],
)  # fmt: skip
def test_page_of_a_namesake(text: str, title: str, page: str) -> None:
    assert is_namesake(text, title, page)


@pytest.mark.parametrize(
    ("text", "title", "page"),
    [
        ("The band Ostrel was founded in 1931.", "Ostrel (band)", "It was founded in 1994."),
        ("The frigate Ostrel sank in 1931.", "Ostrel (1941 ship)", "Ostrel was a frigate of 36 guns."),
        ("Ostrel, a frigate, sank in 1931.", "Ostrel (ship)", "Ostrel was a swift frigate with a blue hull."),
        ("Ostrel in Ontario was founded in 1931.", "Ostrel, Ontario", "It was founded in 1850."),
        ("The Tasmanian river Ostrel was bridged in 1931.", "Ostrel (Tasmania)", "It was bridged in 1850."),
        ("The Norwegian port of Ostrel dates from 1931.", "Ostrel, Norway", "It dates from 1850."),
        ("Ostrel was founded in 1931.", "Ostrel, Ontario", "It was founded in 1850."),
        ("The port of Ostrel was founded in 1931.", "Ostrel, Ontario", "Ostrel is a port on a lake."),
        ("The film Ostrel by Ada Quill came out in 1931.", "Ostrel (1998 film)", "It was made by Ada Quill."),
        ("The film Ostrel of 1998 was shown in 1931.", "Ostrel (1998 film)", "It was shown in 1999."),
        # titles that are no name with a qualifier, or whose name the text does not have
        ("Ostrel Hall opens in 1931.", "Ostrel Hall, Opening Hours", "Ostrel Hall opens at nine."),
        ("Jon Tarv was born in 1931.", "Jon Tarv, Jr.", "Jon Tarv was born in 1913."),
        ("Ostrel was founded in 1931.", "Ostrel", "Ostrel was founded in 1850."),
        ("Ostrel was founded in 1931.", "Mellin (band)", "Mellin was founded in 1850."),
    ],
)  # fmt: skip
def test_page_of_the_thing_itself(text: str, title: str, page: str) -> None:
    assert not is_namesake(text, title, page)


def test_context_tells_the_kind() -> None:
    text, title, page = "Ostrel was founded in 1931.", "Ostrel (band)", "Ostrel was founded in 1994."
    assert not is_namesake(text, title, page, context="When was the band Ostrel founded?")


def test_words_in_question_identify_nothing() -> None:
    text, title, page = (
        "The town of Ostrel in Wales is old.",
        "Ostrel, Ontario",
        "Ostrel is a town in Ontario.",
    )
    assert is_namesake(text, title, page, asked="old")
    assert not is_namesake(text, title, page, asked="Wales")
