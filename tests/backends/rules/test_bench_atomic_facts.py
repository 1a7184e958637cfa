"""The rules that split sentences into atomic facts."""

import pytest

from rarr.backends.rules.atomic_facts import rule_facts


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("The mill burned and was rebuilt.", ["The mill burned.", "The mill was rebuilt."]),
        ("Ida served twice, and Ole Brandt served once.", ["Ida served twice.", "Ole Brandt served once."]),
        ("Ida built the mill and sold it; it burned.", ["Ida built the mill.", "Ida sold it.", "It burned."]),
        ("Ida was born in Aarle but later moved to Tolk. She is old.", None),  # may be a participle
        ("Ida sold bread and butter.", None),
        ("The mill is black and red.", None),
        ("It was maintained and improved in 1931.", None),
        ("The story of a tired and bored priest was told.", None),
        ("He used it to keep and breed animals.", None),
        ("The paper on Facts and Figures was read.", None),
    ],
)
def test_bench_facts_of_a_text(text: str, facts: list[str] | None) -> None:
    assert rule_facts(text) == (facts or [part + "." for part in text.rstrip(".").split(". ")])


def test_bench_sentence_without_a_verb_stays_as_it_is() -> None:
    assert rule_facts("Well, and now?") == ["Well, and now?"]
