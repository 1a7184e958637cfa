"""Builds the inputs of the encoder, for training and for use: a text and a passage as a sequence of tokens.

The form is `[CLS] text [SEP] title: passage [SEP]`. The text has type 0, and the rest has type 1. A masked
span of the text becomes a single token, which tells the kind of the hidden value.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from rarr.tools.text.blocks_and_sentences import Span

if TYPE_CHECKING:
    from tokenizers import Tokenizer

MaskKind = Literal["date", "number", "name"]
# The token for each kind of hidden value. It is an unused entry of the vocabulary.
MASKS: dict[MaskKind, int] = {"date": 1, "number": 2, "name": 3}
CLS, SEP = 101, 102
LONGEST_TEXT = 120  # the most tokens of a text; the end of a longer text is cut off
LONGEST_TITLE = 40
LONGEST = 320  # the most tokens of a sequence
NULL = 0  # the position that means: the passage does not have the hidden words


class MaskedSpan(NamedTuple):
    """A span of the text that is hidden from the encoder, which looks for the hidden words in the passage."""

    span: Span
    kind: MaskKind


class EncoderInput(NamedTuple):
    """The token ids of a sequence, and their types: 0 in the text, 1 in the title and the passage.

    `mask`: the position of the masked span; 0 if there is none. `passage_start`: the position of the first
    token of the passage. `passage_spans`: the start and end of each token in the passage, in characters.
    """

    ids: list[int]
    types: list[int]
    mask: int
    passage_start: int
    passage_spans: list[tuple[int, int]]


def encoder_input(
    tokenizer: "Tokenizer", text: str, title: str, passage: str, masked: MaskedSpan | None = None
) -> EncoderInput:
    """Builds the input from a text, a title and a passage. Hides the span `masked` of the text, if given.

    Cuts off the end of a long text, title or passage. A masked span may be cut off as well.
    """
    before, after = (text[: masked.span.start], text[masked.span.end :]) if masked else (text, "")
    ids, rest = (tokenizer.encode(part, add_special_tokens=False).ids for part in (before, after))
    mask = len(ids) + 1 if masked and len(ids) < LONGEST_TEXT else 0
    ids = [*ids, *([MASKS[masked.kind]] if masked else []), *rest][:LONGEST_TEXT]
    head = tokenizer.encode(f"{title}:", add_special_tokens=False).ids[:LONGEST_TITLE] if title else []
    body = tokenizer.encode(passage, add_special_tokens=False)
    start = len(ids) + 2 + len(head)
    room = max(0, LONGEST - start - 1)
    sequence = [CLS, *ids, SEP, *head, *body.ids[:room], SEP]
    types = [0] * (len(ids) + 2) + [1] * (len(sequence) - len(ids) - 2)
    return EncoderInput(sequence, types, mask, start, body.offsets[:room])


def covering_tokens(spans: Sequence[tuple[int, int]], start: int, end: int) -> tuple[int, int] | None:
    """Returns the indexes of the first and the last span that overlap `start` to `end`, or None."""
    inside = [n for n, (s, e) in enumerate(spans) if s < end and start < e]
    return (inside[0], inside[-1]) if inside else None
