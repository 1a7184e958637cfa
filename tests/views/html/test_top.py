"""The figures at the top of the page of a trace."""

import pytest

from rarr.views.html.trace_page.run_overview import intent_in_words


@pytest.mark.parametrize(
    ("intent", "words"),
    [(None, ""), (1.0, "kept"), (0.0, "lost"), (0.3, "kept, with probability 0.30")],
)
def test_intent_is_a_word_or_a_probability(intent: float | None, words: str) -> None:
    assert intent_in_words(intent) == words
