"""An edit is only suggested where its source may tell about something else, or may correct another part."""

import pytest
from makers import evidence

from rarr.backends.rules.parsed_sentence import parsed_sentence
from rarr.ledger.passages_about_something_else import has_another_value, other_context
from rarr.tools.text.blocks_and_sentences import Span


@pytest.mark.parametrize(
    ("text", "source", "word"),
    [
        ("The maximum dose is 7 mg.", "The usual starting dose is 7 mg.", "maximum"),
        ("The maximum dose is 7 mg.", "The maximum dose is 7 mg.", ""),
        ("The gross salary is 3,000 euros.", "The net salary is 3,000 euros.", "gross"),
        ("The dose for children is 7 mg.", "The dose for adults is 7 mg.", "children"),
        ("Under the old lease, the rent is 700 euros.", "Under the new lease, the rent is 700 euros.", "old"),
        ("Tickets cost 12 euros.", "Members pay 12 euros.", ""),
        ("Before lunch, the hall holds 80.", "After lunch, the hall holds 80.", "Before"),
        ("The bridge has 40 lamps.", "The bridge will have 40 lamps.", "40"),
        ("The tower, erected in 1937, is 40 metres high.", "The tower of 1937 is 40 metres high.", ""),
    ],
)
def test_word_that_narrows_is_named(text: str, source: str, word: str) -> None:
    named = other_context(text, Span(0, len(text)), evidence(source))
    assert bool(named) == bool(word)
    if word != "40":
        assert named == word


@pytest.mark.parametrize(
    ("claim", "changed", "source", "expected"),
    [
        ("Before noon it costs 20 euros.", "Before", "Before noon it costs 10 euros.", True),
        ("Before noon it costs 20 euros.", "Before", "After noon it costs 20 euros.", False),
        ("Before noon it costs 20 euros.", "20", "Before noon it costs 10 euros.", False),
        ("Reed paid 20 euros in 1999.", "20", "Reed paid 15 euros in 2001.", False),
        ("Reed paid 20 euros in 1999.", "Reed", "Reed paid 15 euros.", True),
    ],
)
def test_other_part_may_be_wrong(claim: str, changed: str, source: str, expected: bool) -> None:
    start = claim.index(changed)
    place = Span(start, start + len(changed))
    assert has_another_value(parsed_sentence(claim), place, evidence(source)) is expected
