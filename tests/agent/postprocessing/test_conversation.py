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


def test_latest_turns_are_kept_and_long_ones_by_their_ends() -> None:
    def turns(*texts: str) -> list[dict[str, str]]:
        roles = ["user" if text.endswith("?") else "assistant" for text in texts]
        return [{"role": role, "content": text} for role, text in zip(roles, texts, strict=True)]

    question = "How high is it?"
    late = turns("Earlier?", question, "a" * 5000)
    assert context_of(late, "x") == f"{question}\n\n" + "a" * (LONGEST - len(question))
    words = ["a" * 1500 + "?", "b" * 1500 + "?", "c" * 1500 + "?"]
    assert context_of(turns(*words), "x") == f"{words[1]}\n\n{words[2]}"
    context = context_of(turns(f"{'a' * LONGEST} {question}"), "x")
    assert context is not None and len(context) == LONGEST and context.endswith(f" {question}")


def test_turns_of_a_conversation_are_texts_alone() -> None:
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 10_000}}
    asked = {"role": "user", "content": [{"type": "text", "text": "How high is it?"}, image]}
    assert latest_turns([{"role": "system", "content": "Be kind."}, asked]) == [
        {"role": "user", "content": "How high is it?"}
    ]
