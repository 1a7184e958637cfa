"""Builds inputs of the encoder: text and passage as one sequence of tokens, with masked spans of the text.

`[CLS] text [SEP] title: passage [SEP]`: the text has type 0, the rest type 1. A masked span is one token,
which gives the kind of the hidden value. Training and run time both build their inputs here.
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
LONGEST_TEXT = 120  # tokens of a text; a longer text loses its end
LONGEST_TITLE = 40
LONGEST = 320  # tokens of a sequence
NULL = 0  # the position of a pointer where the passage has no answer


class MaskedSpan(NamedTuple):
    """A hidden span of the text, whose content the encoder looks for."""

    span: Span
    kind: MaskKind


class EncoderInput(NamedTuple):
    """Token ids with their types; `masks` are the positions of the masked spans, -1 for a cut span.

    `passage_spans` are the characters of each token of the passage, which begins at `passage_start`.
    """

    ids: list[int]
    types: list[int]
    masks: list[int]
    passage_start: int
    passage_spans: list[tuple[int, int]]


def encoder_input(
    tokenizer: "Tokenizer", text: str, title: str, passage: str, masked: Sequence[MaskedSpan] = ()
) -> EncoderInput:
    """Builds the encoder's input: the tokens of a text with `masked` spans hidden, a title and a passage.

    `masked` are in order and do not overlap. Cuts the end of a long text, title or passage.
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
    """Returns the indexes of the first and the last of the token `spans` that overlap `start` to `end`.

    None if none does.
    """
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
