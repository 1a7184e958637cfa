"""Tests the trained editor, which replaces a value of an open sentence by the value of a passage."""

import pytest

from rarr.agent.wiring.components import wire
from rarr.backends.embedded.near_quote_reader import NearQuoteReader
from rarr.backends.encoder.editor import TrainedReader, likeliest_correction
from rarr.backends.encoder.inputs import MaskedSpan
from rarr.backends.encoder.model import Encoder
from rarr.backends.encoder.model_files import SHIPPED
from rarr.backends.nli.loading import EntailmentJudgement
from rarr.components import BlockPiece, Excerpt, ReadingBlock, SourceLine
from rarr.settings import Settings
from rarr.testing import InMemoryRetriever
from rarr.tools.text.blocks_and_sentences import Span

PASSAGE = "Traffic first crossed the Vell Bridge in 1937. It is 221 metres long."


class Scripted(Encoder):
    """An encoder that points at the last `word` of each passage, and finds each text contradictory."""

    threshold = 0.5

    def __init__(self, word: str) -> None:
        super().__init__()
        self._word = word

    def can_read_all(self, text: str) -> bool:
        return True

    def judgement(self, text: str, title: str, passage: str) -> EntailmentJudgement:
        return EntailmentJudgement(0.0, 1.0)

    def find_hidden_words(
        self, text: str, title: str, passage: str, masked: MaskedSpan, count: int
    ) -> list[tuple[Span, float]]:
        at = passage.rfind(self._word)
        return [(Span(at, at + len(self._word)), -0.1)] if at >= 0 else []


def block(text: str, *lines: str) -> ReadingBlock:
    made = tuple(SourceLine(f"P1.{n}", line, "e1", 0, 0) for n, line in enumerate(lines, 1))
    return ReadingBlock("", "", (BlockPiece(text, 1),), (Excerpt("P1", "Vell Bridge", "", made),))


@pytest.mark.parametrize(("sure", "verdict"), [(0.5, "no"), (0.99, "open")])
async def test_value_in_other_words_is_corrected_where_the_editor_is_sure(sure: float, verdict: str) -> None:
    encoder, text = Scripted("1937"), "The crossing opened to cars back in 1936."
    encoder.threshold = sure
    lines = PASSAGE.split(". ")
    reading = await TrainedReader(encoder).read(block(text, f"{lines[0]}.", lines[1]))
    [card] = reading.cards.values()
    assert card.verdict == verdict
    if verdict == "no":
        assert (card.quotes, [edit.new for edit in card.edits]) == (("P1.1",), [text.replace("1936", "1937")])


async def test_line_that_repeats_an_earlier_line_is_quoted_where_the_value_stands() -> None:
    line = "Traffic first crossed the Vell Bridge in 1937."
    repeated = block("The crossing opened to cars back in 1936.", line, "It is 221 metres long.", line)
    [card] = (await TrainedReader(Scripted("1937")).read(repeated)).cards.values()
    assert card.quotes == ("P1.3",)


@pytest.mark.parametrize(("year", "word"), [(1937, "1950"), (1936, "221 metres")], ids=["said", "other unit"])
def test_what_has_no_rival_is_left_alone(year: int, word: str) -> None:
    text, passage = f"The crossing opened to cars back in {year}.", f"{PASSAGE} It closed in 1950."
    assert likeliest_correction(Scripted(word), text, "", passage) is None


def test_value_that_converts_to_a_fraction_is_written_as_in_the_source() -> None:
    text = "The crossing is 0.3 km long."
    found = likeliest_correction(Scripted("221 metres"), text, "", PASSAGE)
    assert found is not None
    assert found.corrected_text(text, PASSAGE) == "The crossing is 221 metres long."


def test_setting_weights_reads_with_the_trained_editor() -> None:
    search = InMemoryRetriever([PASSAGE])
    assert isinstance(wire(Settings(search=search, weights=SHIPPED)).card_reader, TrainedReader)
    assert isinstance(wire(Settings(search=search)).card_reader, NearQuoteReader)
