"""What the encoder reads."""

from tokenizers import Tokenizer

from rarr.backends.encoder.inputs import LONGEST, LONGEST_TEXT, MASKS, MaskedSpan, encoder_input
from rarr.backends.encoder.model_files import SHIPPED, TOKENIZER
from rarr.tools.text.blocks_and_sentences import Span

TOKENS = Tokenizer.from_file(str(SHIPPED / TOKENIZER))


def test_a_masked_span_is_one_token_of_its_kind() -> None:
    text = "It opened in May 1937 to traffic."
    made = encoder_input(TOKENS, text, "", "The bridge.", [MaskedSpan(Span(13, 21), "date")])
    [position] = made.masks
    assert made.ids[position] == MASKS["date"]
    assert "may" not in TOKENS.decode(made.ids)


def test_input_that_is_too_long_loses_its_end() -> None:
    made = encoder_input(TOKENS, "word " * 500, "title " * 500, "more " * 5000)
    assert len(made.ids) == LONGEST
    assert made.types.index(1) == LONGEST_TEXT + 2


def test_a_mask_behind_the_cut_is_said_to_be_cut() -> None:
    text = "word " * 200 + "1937"
    made = encoder_input(TOKENS, text, "", "passage", [MaskedSpan(Span(len(text) - 4, len(text)), "date")])
    assert made.masks == [-1]
