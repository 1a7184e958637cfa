"""The conversation that an answer belongs to, as one text, and what cannot be checked of a text."""

from typing import Any

import pytest

from rarr import Trace, cite, revise, verify
from rarr.agent.inputs import CONTEXT_CHARS, context_text, latest_turns, text_notices

USER, LATER = {"role": "user", "content": "A?"}, {"role": "assistant", "content": "B."}
IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 10_000}}
SEEN = {"role": "user", "content": [{"type": "text", "text": "A?"}, IMAGE]}


@pytest.mark.parametrize(
    ("question", "context"),
    [
        (None, None),
        (" ", None),
        ("How high is it?", "How high is it?"),
        ([USER, LATER], "A?\n\nB."),
        ([{"role": "system", "content": "Be kind."}, USER, {"role": "tool", "content": "{}"}], "A?"),
        ([USER, {"role": "assistant", "content": None}], "A?"),
        ([{"role": it, "content": "<think></think>B"} for it in ("user", "ai")], "<think></think>B\n\nB"),
        ([SEEN], "A?"),
        ([{"role": "ai", "content": ["A", {"type": None, "text": "?"}, {"type": "x", "text": "B"}]}], "A\n?"),
        ([USER, {"role": "assistant", "content": "The answer. "}], "A?"),
    ],
)
def test_turns_become_the_context(question: Any, context: str | None) -> None:
    assert context_text(question, "The answer.") == context


@pytest.mark.parametrize("context", ["", " \n", []])
def test_empty_context_is_none_in_every_call(context: Any) -> None:
    fact = "Hoover Dam is 221 metres high."
    made = revise("The Hoover Dam is 212 metres high.", context, sources=[fact])
    assert Trace.load(made.run_id).file.facts.context is None
    assert cite(fact, context, sources=[fact]).citations
    assert verify(fact, [fact], context).question is None


def test_latest_turns_are_kept_as_texts_and_long_ones_by_their_ends() -> None:
    assert latest_turns([{"role": "system", "content": "Be kind."}, SEEN]) == [USER]
    words = [{"role": "user", "content": letter * 1500 + "?"} for letter in "abc"]
    assert context_text(words, "x") == "\n\n".join(str(it["content"]) for it in words[1:])
    question = "How high is it?"
    context = context_text([{"role": "user", "content": f"{'a' * CONTEXT_CHARS} {question}"}], "x")
    assert context is not None and len(context) == CONTEXT_CHARS and context.endswith(f" {question}")


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        ("<p>It is 221 m high.</p>\n<p>It is old.</p>\n", ["the text is HTML, whose blocks are not checked"]),
        ("It is <b>221</b> m high, and `<p>` begins it.", []),
        ("| Model | Price |\n|---|---|\n| P4 | 392 euros |\n", []),
        ("> | Model | Price |\n> |---|---|\n> | P4 | 392 euros |\n", ["1 table not checked"]),
        ("notes/lease.md", ["notes/lease.md is read as a text, and no file is opened"]),
        ("A \ufffd", ["1 character of the text or its context replaced by U+FFFD"]),
    ],
)
def test_what_cannot_be_checked_of_a_text_is_told(text: str, messages: list[str]) -> None:
    notices = text_notices(text.replace("\ufffd", "\0"), text, "")
    assert [notice.message.partition(": ")[0] for notice in notices] == messages
