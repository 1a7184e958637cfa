import pytest

from rarr.backends.rules.parsed_sentence import parsed_sentence


@pytest.mark.parametrize(
    ("text", "apart"),
    [
        ("It opened in 1937; it closed in 1990.", ("1937", "1990")),
        ("It opened in 1937, but closed in 1990.", ("1937", "1990")),
        ("It opened in 1937 and closed in 1990.", ("1937", "1990")),
        ("It is 20 metres wide and 30 metres long.", ("20", "30")),
        ("The dam, which opened in 1937, is 30 metres high.", ("1937", "30")),
        ("The dam (opened in 1937) is 30 metres high.", ("1937", "30")),
        ("The dam – opened in 1937 – is 30 metres high.", ("1937", "30")),
    ],
)
def test_words_in_different_clauses(text: str, apart: tuple[str, str]) -> None:
    first, second = (parsed_sentence(text).clause(text.index(word)) for word in apart)
    assert first != second


@pytest.mark.parametrize(
    ("text", "together"),
    [
        ("The dam and the bridge opened in 1937.", ("dam", "1937")),
        ("The dam, which opened in 1937, is 30 metres high.", ("dam", "30")),
        ("The dam (a large one) is 30 metres high.", ("dam", "30")),
    ],
)
def test_words_in_one_clause(text: str, together: tuple[str, str]) -> None:
    first, second = (parsed_sentence(text).clause(text.index(word)) for word in together)
    assert first == second


def test_an_insertion_is_negative() -> None:
    assert parsed_sentence("The dam (in 1937) and the lake (in 1938).").clause(12) == -1


def test_content_words_leave_out_stop_words() -> None:
    assert [word.text for word in parsed_sentence("The dam of the river").content] == ["dam", "river"]
