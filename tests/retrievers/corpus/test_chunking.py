"""Texts are cut into windows of sentences, and queries into the words of the index."""

import time

import pytest
from hypothesis import given, strategies as st

from rarr.retrievers.corpus.chunking import LONGEST, Window, windows
from rarr.retrievers.corpus.index_words import terms
from rarr.tools.text.blocks_and_sentences import split_sentences


def cut(text: str, window: int = 4) -> list[Window]:
    return windows(text, window)


def test_headings_break_windows_and_name_them() -> None:
    text = "Zero.\n\n# One\n\nFirst here. Second here.\n\nThree\n---\n\nThird here."
    windows = [(text[window.start : window.end], window.heading) for window in cut(text)]
    assert windows == [("Zero.", ""), ("First here. Second here.", "One"), ("Third here.", "Three")]


@given(
    st.text(st.sampled_from("ab.  \n#-|>*A1`\r\tש"), max_size=200) | st.text(max_size=200), st.integers(1, 6)
)
def test_windows_cover_every_sentence_and_have_different_ends(text: str, window: int) -> None:
    windows = cut(text, window)
    covered = {position for span in windows for position in range(span.start, span.end)}
    assert covered >= {position for span in split_sentences(text, tables="rows") for position in range(*span)}
    ends = [span.end for span in windows]
    assert ends == sorted(set(ends))


ENDLESS = "word " * 40_000
HOSTILE = ["a" * 200_000, "\n" * 200_000, "- " * 5_000, "#\n" * 10_000, "-\n" * 10_000, ENDLESS]


@pytest.mark.parametrize("text", [*HOSTILE, f"# {ENDLESS}\n\nA.", f"{ENDLESS}:\n\n- a\n- b"])
def test_hostile_texts_are_cut_quickly_into_short_passages(text: str) -> None:
    start = time.process_time()
    shown = {text[it.start : it.end] for it in cut(text)} | {line for it in cut(text) for _, line in it.lead}
    assert time.process_time() - start < 5
    assert max(map(len, shown), default=0) <= LONGEST


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("Which state produces the most peaches?", ["state", "produc", "peach"]),
        ("How many people live in the US?", ["peopl", "live", "us"]),
        ("peach peaches PEACH", ["peach"]),
        ("Café naïve ﬁrst", ["cafe", "naiv", "first"]),
        ("東京", ["東", "京"]),
        ("हिन्दी שלום", ["हिन्दी", "שלום"]),
        ("What is it?", ["what", "is", "it"]),
        ('AND OR NOT title:x^2 [a TO b] "c" ~* \\', ["titl", "x", "2", "b", "c"]),
        ("?!", []),
        ("", []),
    ],
)
def test_terms_are_the_stems_of_content_words(query: str, expected: list[str]) -> None:
    assert terms(query) == expected
