from rarr.backends.rules.counterparts import Counterparts, counterparts, parsed_passage
from rarr.backends.rules.parsed_sentence import parsed_sentence
from rarr.backends.rules.values import Value
from rarr.backends.rules.words_around_values import (
    has_same_frame,
    neighbour_stems,
    next_stem,
    opens_sentence,
    word_distances,
)


def value_of(text: str, words: str) -> Value:
    return next(v for v in parsed_sentence(text).values if text[v.start : v.end] == words)


def reading(claim: str, words: str, evidence: str) -> Counterparts:
    return counterparts(parsed_sentence(claim), value_of(claim, words), parsed_passage(evidence, ""))


def test_the_value_in_the_like_context_comes_first() -> None:
    counterpart = reading(
        "The dam is 200 m high.", "200", "The dam is 379 m long. The dam is 221 m high."
    ).other
    assert counterpart is not None and counterpart.value.read.amount == 221  # type: ignore[union-attr]


def test_the_same_value_is_told_from_others() -> None:
    read = reading("It opened in 1936.", "1936", "It opened in 1936 and closed in 1990.")
    assert read.own is not None and read.other is not None
    assert read.own.closeness > read.other.closeness


def test_what_the_claim_says_elsewhere_is_no_other_value() -> None:
    assert reading("It opened in 1936 and closed in 1990.", "1936", "It closed in 1990.").other is None


def test_other_kinds_do_not_compare() -> None:
    assert reading("It is 200 m high.", "200", "It weighs 30 kg.") == Counterparts(None, None, 0.0)


def test_a_runner_up_is_another_value() -> None:
    read = reading("It opened in 1936.", "1936", "It opened in 1938. It opened in 1938. It opened in 1940.")
    assert read.other is not None
    assert 0 < read.runner_up <= read.other.closeness


def test_a_passage_puts_its_title_in() -> None:
    [part] = parsed_passage("It opened in 1936.", "Hoover Dam").sentences
    assert part.text == "Hoover Dam opened in 1936."


def test_a_passage_about_namesakes() -> None:
    assert parsed_passage("Paris may refer to:", "Paris").namesakes


def test_what_stands_around_a_value() -> None:
    text = "The old dam measures 20 m across the river."
    part, value = parsed_sentence(text), value_of(text, "20")
    assert neighbour_stems(part, value) == ["measur", "dam", "m", "across"]
    assert next_stem(part, value) == "across"
    assert word_distances(part.content, value)[:3] == [2, 1, 0]
    assert not opens_sentence(part, value)


def test_same_frame() -> None:
    first, second = (
        parsed_sentence("It opened in 1936 at noon."),
        parsed_sentence("It closed in 1938 at noon."),
    )
    assert has_same_frame(first, first.values[0], second, second.values[0])
