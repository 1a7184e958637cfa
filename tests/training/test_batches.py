"""Batches as the losses see them."""

import random

import pytest

pytest.importorskip("torch")

from tokenizers import Tokenizer

from rarr.backends.encoder.model_files import SHIPPED, TOKENIZER
from rarr.training.batches import swapped
from rarr.training.examples import Cloze, Maskable

pytestmark = pytest.mark.slow

TOKENS = Tokenizer.from_file(str(SHIPPED / TOKENIZER))


def test_text_is_paired_with_a_copy_with_one_wrong_value() -> None:
    text = "In 1901 Brook got a mill of six floors."
    passage = "The mill of Brook, built in 1901, has six floors."
    values = tuple(
        Maskable(
            place=(text.index(words), text.index(words) + len(words)),
            kind="word",
            answers=((passage.index(words), passage.index(words) + len(words)),),
            others=others,
        )
        for words, others in (("1901", ()), ("Brook", ("Upper Gorse",)), ("six floors", ()))
    )
    example = Cloze(source="test", text=text, title="", passage=passage, values=values)
    made = swapped(TOKENS, [example], random.Random(1))
    assert made.pairs.tolist() == [[0, 1]]
    tagged = [
        {
            value: TOKENS.decode([int(i) for i, tag in zip(ids, tags, strict=True) if tag == value])
            for value in (0, 1)
        }
        for ids, tags in zip(made.sequences.input_ids, made.tags, strict=True)
    ]
    assert tagged == [{0: "1901 brook six floors", 1: ""}, {0: "1901 six floors", 1: "upper gorse"}]
