"""Builds the inputs of the encoder, in training and in use: text and passage as a sequence of tokens.

The form is `[CLS] text [SEP] title: passage [SEP]`. The text has type 0, and the rest has type 1. A masked
span of the text becomes a single token, which tells the kind of the hidden value.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from rarr.tools.text.blocks_and_sentences import Span

if TYPE_CHECKING:
    from tokenizers import Tokenizer

MaskKind = Literal["date", "number", "name"]
# An unused entry of the vocabulary for each kind of value.
MASKS: dict[MaskKind, int] = {"date": 1, "number": 2, "name": 3}
CLS, SEP = 101, 102
LONGEST_TEXT = 120  # tokens of a text; the end of a longer text is cut off
LONGEST_TITLE = 40
LONGEST = 320  # tokens of a sequence
NULL = 0  # the position of a pointer if the passage has no answer


class MaskedSpan(NamedTuple):
    """A span of the text that is hidden from the encoder, which looks for its content in the passage."""

    span: Span
    kind: MaskKind


class EncoderInput(NamedTuple):
    """The token ids and token types of a sequence. `masks`: the positions of masked spans, -1 if cut off.

    `passage_start`: the position of the first token of the passage. `passage_spans`: the place of each token
    in the passage, in characters.
    """

    ids: list[int]
    types: list[int]
    masks: list[int]
    passage_start: int
    passage_spans: list[tuple[int, int]]


def encoder_input(
    tokenizer: "Tokenizer", text: str, title: str, passage: str, masked: Sequence[MaskedSpan] = ()
) -> EncoderInput:
    """Builds the input from a text with hidden spans, a title and a passage.

    The `masked` spans are in order and do not overlap. Cuts off the end of a long text, title or passage.
    """
    ids, masks = _masked_text(tokenizer, text, masked)
    ids = ids[:LONGEST_TEXT]
    masks = [position + 1 if position < len(ids) else -1 for position in masks]
    head = tokenizer.encode(f"{title}:", add_special_tokens=False).ids[:LONGEST_TITLE] if title else []
    body = tokenizer.encode(passage, add_special_tokens=False)
    start = len(ids) + 2 + len(head)
    room = max(0, LONGEST - start - 1)
    sequence = [CLS, *ids, SEP, *head, *body.ids[:room], SEP]
    types = [0] * (len(ids) + 2) + [1] * (len(sequence) - len(ids) - 2)
    return EncoderInput(sequence, types, masks, start, body.offsets[:room])


def covering_tokens(spans: Sequence[tuple[int, int]], start: int, end: int) -> tuple[int, int] | None:
    """Returns the indexes of the first and last span that overlap `start` to `end`; None if no span does."""
    inside = [n for n, (s, e) in enumerate(spans) if s < end and start < e]
    return (inside[0], inside[-1]) if inside else None


def _masked_text(
    tokenizer: "Tokenizer", text: str, masked: Sequence[MaskedSpan]
) -> tuple[list[int], list[int]]:
    ids, masks, begin = list[int](), list[int](), 0
    for mask in (*masked, None):
        end = len(text) if mask is None else mask.span.start
        ids += tokenizer.encode(text[begin:end], add_special_tokens=False).ids
        if mask is not None:
            masks.append(len(ids))
            ids.append(MASKS[mask.kind])
            begin = mask.span.end
    return ids, masks
