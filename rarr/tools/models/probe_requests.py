"""Declares the requests that find out what a language model can do.

They have the parts that the requests of a run have: a schema, several samples at a temperature, and
probabilities. Their answers are short, so that they cost little.
"""

from dataclasses import replace
from random import Random

from pydantic import BaseModel

from rarr.tools.models.chat import ChatRequest, Message

WORD = "unlikely"
"""The only answer that the schema of `FORM` allows; no model would give it without the schema."""
SHORT_TOKENS, LONG_TOKENS = 16, 80
AT_ONCE = 4
"""The number of equal requests that are sent at once."""

_SYSTEM = "Answer with one JSON object and nothing else."
_COLOUR = 'Which colour is a clear sky by day? {"answer": the colour, in one word}'
_COUNT = 'Count from one to one hundred, in English words. {"answer": the words}'
_WORDS = ("river", "stone", "house", "garden", "winter", "letter", "music", "window", "morning", "paper")
_LONG_PROMPT = 800  # words


class ProbeAnswer(BaseModel):
    """The answer to each of the requests."""

    answer: str


def _request(user: str, answer: dict[str, object], max_tokens: int) -> ChatRequest:
    schema = {
        "type": "object",
        "properties": {"answer": answer},
        "required": ["answer"],
        "additionalProperties": False,
    }
    return ChatRequest(
        ("probe", "1", ""), (Message("system", _SYSTEM), Message("user", user)), schema, max_tokens=max_tokens
    )


# Enough tokens for the short reasoning of a model that reasons first.
ANSWERED = _request(_COLOUR, {"type": "string", "enum": [WORD]}, 1000)
FORM = replace(ANSWERED, samples=2, temperature=0.7)
LIKELY = replace(ANSWERED, probability=True)
SHORT = _request(_COUNT, {"type": "string"}, SHORT_TOKENS)
LONG = replace(SHORT, max_tokens=LONG_TOKENS)


def long_prompt(seed: int) -> ChatRequest:
    """Makes a request with many random words before a short task, to time how fast a prompt is read.

    Each `seed` gives other words, which no prefix cache has yet.
    """
    words = " ".join(Random(seed).choices(_WORDS, k=_LONG_PROMPT))
    return _request(f"{words}\n\n{_COUNT}", {"type": "string"}, SHORT_TOKENS)
