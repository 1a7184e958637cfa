"""A diff in whole words holds both texts, and reads as a person would mark it."""

import pytest
from hypothesis import given, strategies as st

from rarr.evals import word_diff as module
from rarr.evals.word_diff import word_diff

TEXTS = st.text(alphabet="ab 1.\n东é", max_size=30)


def marked(before: str, after: str) -> str:
    drawn = {"kept": "{}", "deleted": "[-{}-]", "inserted": "[+{}+]"}
    return "".join(drawn[kind].format(text) for kind, text, _ in word_diff(before, after))


@given(TEXTS, TEXTS)
def test_both_texts_are_in_it(before: str, after: str) -> None:
    pieces = word_diff(before, after)
    assert "".join(text for kind, text, _ in pieces if kind != "inserted") == before
    assert "".join(text for kind, text, _ in pieces if kind != "deleted") == after


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("same text", "same text", "same text"),
        ("", "new", "[+new+]"),
        ("in 1936.", "in 1937.", "in [-1936-][+1937+]."),
        ("by Charles Purcell, he", "by Joseph Strauss, he", "by [-Charles Purcell-][+Joseph Strauss+], he"),
        ("1,280 m", "1,281 m", "[-1,280-][+1,281+] m"),
        ("is the second-deepest", "is the deepest", "is the [-second--]deepest"),
        ("他在北京", "他在东京", "他在[-北-][+东+]京"),
    ],
)
def test_whole_words_change(before: str, after: str, expected: str) -> None:
    assert marked(before, after) == expected


def test_texts_too_long_for_words_share_their_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST", 3)
    assert marked("a b c d e", "a x c y e") == "a [-b c d-][+x c y+] e"
