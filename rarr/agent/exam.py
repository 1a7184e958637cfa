"""Tests how well a language model judges sentences: 24 sentences with known verdicts, in two requests."""

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from time import perf_counter
from typing import Any, Literal, NamedTuple

from rarr.agent.wiring.components import wire
from rarr.components import BlockPiece, CardReader, Excerpt, RawCard, ReadingBlock, SourceLine, close_all
from rarr.errors import InputError
from rarr.ledger.card import make_card
from rarr.retrievers.given_passages import GivenPassages
from rarr.settings import Settings
from rarr.tools.concurrency import run, work
from rarr.tools.models.run_budget import Meter, using_meter
from rarr.tools.text.blocks_and_sentences import Span
from rarr.tools.text.wording import counted

Fitness = Literal["edits", "suggestions", "nothing"]
EXAM_FILE = Path(__file__).with_name("exam_cards.json")
NEEDED_FOR_EDITS, NEEDED_FOR_SUGGESTIONS, LEAST_PLACED_SHARE = 22, 18, 0.95
_FITNESS_WORDS: dict[Fitness, str] = {
    "edits": "fit for edits",
    "suggestions": "fit for suggestions alone: name a stronger model for edits",
    "nothing": "unfit to read: name a stronger model",
}


class ExamResult(NamedTuple):
    """The result of an exam of a language model. A card is the model's judgement of one sentence."""

    cards: int  # sentences of the exam
    found: int  # right cards
    errors: int  # sentences with an error
    missed: int  # sentences with an error that the model did not correct
    false_alarms: int  # sentences without an error that the model contradicted
    quotes: int  # quotes in all cards
    placed: int  # quotes that name an existing line of a source
    kept_form: bool  # both answers were JSON with a card for each sentence
    tokens: int
    seconds: float
    served: str  # the name of the model that answered

    @property
    def fit_for(self) -> Fitness:
        """The use that the model is fit for: `edits`, only `suggestions`, or `nothing`."""
        careful = not self.false_alarms and self.placed >= LEAST_PLACED_SHARE * self.quotes
        if self.found >= NEEDED_FOR_EDITS and careful:
            return "edits"
        return "suggestions" if self.found >= NEEDED_FOR_SUGGESTIONS else "nothing"

    @property
    def faults(self) -> list[str]:
        """The faults of the model, such as "2 of 9 errors missed"; empty if there are none."""
        counts = {
            f"of {counted(self.errors, 'error')} missed": self.missed,
            f"of {self.cards - self.errors} other sentences misread": self.cards - self.found - self.missed,
            "right sentences contradicted": self.false_alarms,
            f"of {counted(self.quotes, 'quote')} without a line in a source": self.quotes - self.placed,
        }
        form = [] if self.kept_form else ["answers in another form"]
        return [f"{count} {fault}" for fault, count in counts.items() if count] + form

    def result_lines(self, name: str) -> list[str]:
        """Returns the result as lines for a person. The last line says what the model is fit for."""
        cards, faults = f"{self.found} of {self.cards}", ", ".join(self.faults) or "none"
        spent = f"tokens: {self.tokens}, seconds: {self.seconds:.1f}"
        fit = _FITNESS_WORDS[self.fit_for]
        return [f"right cards: {cards}", spent, f"faults: {faults}", f"{name} is {fit}"]


def examine_named_model(name: str, settings: Settings) -> ExamResult:
    """Examines the model `name`, and stores for later runs whether the model is fit for edits.

    Raises `RarrError` if the model cannot be used, and `ModelError` if a request to the model fails.
    """
    alone: dict[str, Any] = {"model": name, "models": {}, "fallbacks": (), "trace": False}  # no answer store
    components = wire(settings.model_copy(update=alone | {"search": GivenPassages((), window=4)}))
    if components.card_reader is None:
        raise InputError(f"{name} is no language model: name one, such as openai:NAME or vllm:NAME")
    try:
        result = run(examine_reader(components.card_reader))
    finally:
        run(close_all(components.models))
    if components.record is not None:
        components.record.add_result(result.served, fit_for=result.fit_for)
    return result


async def examine_reader(reader: CardReader) -> ExamResult:
    """Sends the two exam requests, and counts right judgements. Raises `ModelError` if a request fails."""
    meter, start, kept, served, counts = Meter(), perf_counter(), True, "", Counter[str]()
    with using_meter(meter):
        for part in json.loads(await work(EXAM_FILE.read_text, "utf-8")):
            reading = await reader.read(block := _exam_block(part))
            served = reading.served or served
            lines = {line.label: line for excerpt in block.excerpts for line in excerpt.lines}
            kept = kept and not reading.problem and len(reading.cards) >= len(part["sentences"])
            for number, sentence in enumerate(part["sentences"], start=1):
                card, is_error = reading.cards.get(number), sentence["verdict"] == "no"
                right, alarm = _grade_card(sentence, card, lines)
                counts.update(cards=1, found=right, false_alarms=alarm)
                counts.update(errors=is_error, missed=is_error and not right)
                labels = [*card.quotes, *card.against] if card else []
                counts.update(quotes=len(labels), placed=sum(label in lines for label in labels))
    tokens = meter.total.input_tokens + meter.total.output_tokens
    return ExamResult(**counts, kept_form=kept, tokens=tokens, seconds=perf_counter() - start, served=served)


def _exam_block(part: Mapping[str, Any]) -> ReadingBlock:
    excerpts = []
    for n, source in enumerate(part["sources"], start=1):
        lines = enumerate(source["lines"], start=1)
        made = (SourceLine(f"P{n}.{at}", line, f"x{n}", 0, len(line)) for at, line in lines)
        excerpts.append(Excerpt(f"P{n}", source["title"], "", tuple(made)))
    numbered = (BlockPiece(each["text"], n) for n, each in enumerate(part["sentences"], start=1))
    pieces = (it for piece in numbered for it in (piece, BlockPiece(" ")))
    return ReadingBlock("", "", tuple(pieces), tuple(excerpts))


def _grade_card(
    sentence: Mapping[str, Any], card: RawCard | None, lines: Mapping[str, SourceLine]
) -> tuple[bool, bool]:
    """Returns two values: whether the card is right, and whether it contradicts a sentence with no error."""
    if card is None:
        return False, False
    text, wanted = sentence["text"], sentence["verdict"]
    looked_up = make_card(card, text, Span(0, len(text)), lines)
    alarm = wanted != "no" and looked_up.verdict == "no"
    if looked_up.verdict != wanted or looked_up.doubts:
        return False, alarm
    deciding = sentence.get("lines", lines)
    if "new" not in sentence:
        return wanted == "open" or any(label in deciding for label in (*card.quotes, *card.against)), False
    return [edit.new for edit in looked_up.edits] == [sentence["new"]], False
