"""The conversation that an answer belongs to, as one text."""

from typing import Any

import pytest

from rarr.agent.inputs import LONGEST, context_of, latest_turns


@pytest.mark.parametrize(
    ("question", "context"),
    [
        (None, None),
        (" ", None),
        ("How high is it?", "How high is it?"),
        ([], None),
        ([{"role": "user", "content": "A?"}, {"role": "assistant", "content": "B."}], "A?\n\nB."),
        ([{"role": "system", "content": "Be kind."}, {"role": "user", "content": "A?"}], "A?"),
        ([{"role": "user", "content": "A?"}, {"role": "tool", "content": "{}"}], "A?"),
        ([{"role": "user", "content": "A?"}, {"role": "assistant", "content": None}], "A?"),
        ([{"role": "user", "content": [{"type": "text", "text": "A?"}, {"type": "image_url"}]}], "A?"),
        ([{"role": "user", "content": "A?"}, {"role": "assistant", "content": "The answer. "}], "A?"),
    ],
)
def test_turns_become_the_context(question: Any, context: str | None) -> None:
    assert context_of(question, "The answer.") == context


def test_long_turn_does_not_push_the_last_question_out() -> None:
    turns = [
        {"role": "user", "content": "Earlier?"},
        {"role": "user", "content": "How high is it?"},
        {"role": "assistant", "content": "a" * 5000},
    ]
    assert context_of(turns, "x") == "How high is it?\n\n" + "a" * (LONGEST - len("How high is it?"))


def test_turns_of_a_conversation_are_texts_alone() -> None:
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 10_000}}
    asked = {"role": "user", "content": [{"type": "text", "text": "How high is it?"}, image]}
    assert latest_turns([{"role": "system", "content": "Be kind."}, asked]) == [
        {"role": "user", "content": "How high is it?"}
    ]


def test_latest_turns_are_kept_and_a_long_one_by_its_end() -> None:
    turns = [{"role": "user", "content": word * 1500} for word in "abc"]
    assert context_of(turns, "x") == f"{'b' * 1500}\n\n{'c' * 1500}"
    long = [{"role": "user", "content": f"{'a' * LONGEST} How high is it?"}]
    context = context_of(long, "x")
    assert context is not None
    assert len(context) == LONGEST
    assert context.endswith(" How high is it?")
