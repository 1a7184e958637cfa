import pytest

from rarr.backends.rules.name_matching import key_words, same_name, same_place, shortest_form


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Marie Curie", "Marie Curie"),
        ("Marie Curie", "Curie"),
        ("Marie Curie", "M. Curie"),
        ("Dr. Marie Curie", "Marie Curie"),
        ("United States", "America"),
        ("UK", "Great Britain"),
        ("Soviet Union", "USSR"),
        ("Holland", "the Netherlands"),
        ("North Atlantic Treaty Organization", "NATO"),
        ("Graz", "Grazer"),
        ("Dostoevsky", "Dostoyevsky"),
        ("Évian", "Evian"),
        ("Golden Gate Bridge", "Golden Gate"),
        ("Paris's", "Paris"),
        ("France", "French"),
        ("Wales", "Welsh"),
        ("Polish", "Poles"),
    ],
)
def test_names_that_can_mean_the_same(first: str, second: str) -> None:
    assert same_name(first, second)
    assert same_name(second, first)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Marie Curie", "Pierre Curie"),
        ("Oxford University", "University"),
        ("Austria", "Australia"),
        ("Paris", "London"),
        ("North Korea", "South Korea"),
        ("Spain", "Polish"),
        ("", "Paris"),
    ],
)
def test_names_that_differ(first: str, second: str) -> None:
    assert not same_name(first, second)
    assert not same_name(second, first)


@pytest.mark.parametrize("name", ["A '", "' '", "", "'s", "The '"])
def test_a_name_of_quotes_alone_does_no_harm(name: str) -> None:
    assert not same_name(name, "Marie Curie")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("The President of France", ("france",)),
        ("Sir Isaac Newton's", ("isaac", "newton")),
        ("The", ("the",)),
    ],
)
def test_key_words_leave_out_what_identifies_nothing(name: str, words: tuple[str, ...]) -> None:
    assert key_words(name) == words


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Marie Curie", ("curie",)),
        ("Oxford University", ("oxford", "university")),
        ("Apollo 11", ("apollo", "11")),
        ("Paris", ("paris",)),
    ],
)
def test_shortest_form(name: str, words: tuple[str, ...]) -> None:
    assert shortest_form(name) == words


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("norwegian", "norway", True),
        ("italian", "italy", True),
        ("tasmanian", "tasmania", True),
        ("finnish", "finland", True),
        ("scottish", "scotland", True),
        ("austrian", "australia", False),
        ("norway", "norwich", False),
    ],
)
def test_places_and_their_adjectives(first: str, second: str, expected: bool) -> None:
    assert same_place(first, second) is same_place(second, first) is expected
