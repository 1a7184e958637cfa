"""Asks a language model for the cards of a block of sentences, in one request.

A card is the answer about a sentence: the quoted lines, the verdict and edits. One request with labelled
source lines gives better results than questions about each value. See docs/measured/index.md.
"""

import re
from collections.abc import Iterator, Mapping, Set
from contextlib import suppress
from functools import cache, partial
from typing import Any, get_args

from rarr.backends.prompted.prompts import NOTHING, Prompts
from rarr.components import BlockPiece, Excerpt, RawCard, RawEdit, RawReading, ReadingBlock
from rarr.records.cards_and_edits import CardVerdict
from rarr.tools.concurrency import work
from rarr.tools.models.answer_parsing import UnreadableAnswer, objects_with_key, without_reasoning
from rarr.tools.models.chat import Answer
from rarr.tools.models.language_model import AnswerStore, LanguageModel
from rarr.tools.text.wording import unreadable_answer

READING_PROMPT, DOUBTING_PROMPT = "check_agreement", "check_agreement_doubt"
MAX_CARD_TOKENS = 100  # the most tokens of an answer for each sentence of a block
_EXTRA_TOKENS = 100  # the tokens of an answer besides those of its cards
MAX_SENTENCES = 12  # the most sentences of a block
_CUT_MESSAGE = "the answer of {0} is longer than allowed: raise max_answer_tokens, or name another model"
_VERDICTS = get_args(CardVerdict)
_REQUEST_MARK = re.compile(r"[\[(](?=[SP]\d+(?:\.\d+)?[\])])")
_LABEL = re.compile(r"P\d+\.\d+")
_SENTENCE_NUMBER = re.compile(r"\[?S?(\d{1,6})\]?", re.IGNORECASE)
_MAX_CHARS = 2000  # the most characters of each text of an edit, and of open words


class PromptedCardReader:
    """A card reader that asks a language model."""

    is_model = True

    def __init__(self, model: LanguageModel, prompts: Prompts, store: AnswerStore | None = None) -> None:
        """`store` keeps the answers of the model, so that the model is not asked twice about equal blocks."""
        self.model, self._prompts, self.name, self._store = model, prompts, model.name, store

    async def read(self, block: ReadingBlock, *, doubting: bool = False, seed: int = 0) -> RawReading:
        """Asks about the block once, and returns its cards. Leaves out cards that cannot be parsed.

        `doubting` selects the prompt that checks a sentence again. `seed` is 0 in a first reading, else 1.
        With `doubting` or `seed` 1, the caller does not ask again; so fallback models are asked if an answer
        is cut off or has no card. Raises `PromptTooLong`, `ModelError` and `BudgetError`.
        """
        prompt = self._prompts[DOUBTING_PROMPT if doubting else READING_PROMPT]
        numbers = {piece.number for piece in block.pieces if piece.number}
        most, variables = MAX_CARD_TOKENS * len(numbers) + _EXTRA_TOKENS, prompt_variables(block)
        parsed = cache(partial(_parse_answer, numbers))
        options: Any = {"max_tokens": most, "seed": seed, "store": self._store}
        if doubting or seed:
            options["problem_of"] = lambda answer: parsed(answer)[1:]
        reply = await self.model.reply(prompt, variables, **options)
        cards, _, problem = await work(parsed, reply)
        if self._store and reply.key and not reply.cut and numbers <= cards.keys():
            await self._store.keep("answer", reply.key, reply.texts[0])
        return RawReading(cards, reply.served, problem)


def _parse_answer(numbers: Set[int], answer: Answer) -> tuple[dict[int, RawCard], int, str]:
    """Returns the cards of an answer, the number of missing cards, and the problem.

    Missing cards count only if the answer was cut off or has no card; else number and problem are 0 and "".
    """
    cards = parse_cards(answer.texts[0])
    missing = len(numbers - cards.keys())
    if missing and (answer.cut or missing == len(numbers)):
        problem = _CUT_MESSAGE.format(answer.model) if answer.cut else unreadable_answer(answer.model)
        return cards, missing, problem
    return cards, 0, ""


def prompt_variables(block: ReadingBlock) -> dict[str, str]:
    """Returns the prompt's variables: labelled excerpts, question, text before the block, and the block."""
    return {
        "sources": "\n".join(line for it in block.excerpts for line in _excerpt_lines(it)) or NOTHING,
        "context": without_request_marks(block.context.strip()) or NOTHING,
        "before": without_request_marks(block.before.strip()) or NOTHING,
        "text": "".join(map(_marked_piece, block.pieces)).strip(),
    }


def without_request_marks(text: str) -> str:
    """Puts "‹" in place of the bracket that opens what looks like a label, such as "[S2]" or "(P1.3)"."""
    return _REQUEST_MARK.sub("‹", text)


def _excerpt_lines(excerpt: Excerpt) -> Iterator[str]:
    date = f" ({excerpt.date})" if excerpt.date else ""
    yield f"{excerpt.label}: {without_request_marks(' '.join(excerpt.title.split()))}{date}"
    for line in excerpt.lines:
        yield f"({line.label}) {without_request_marks(' '.join(line.text.split()))}"


def _marked_piece(piece: BlockPiece) -> str:
    shown = without_request_marks(piece.text)
    return f"[S{piece.number}] {shown}" if piece.number else shown


def parse_cards(answer: str) -> dict[int, RawCard]:
    """Parses the answer of a model. Returns the complete cards by the number of the sentence.

    Ignores other text. Returns {} if the reasoning has no end. Leaves out a sentence if its cards differ.
    """
    cards, differing = dict[int, RawCard](), set[int]()
    with suppress(UnreadableAnswer):
        for number, card in filter(None, map(_parse_card, objects_with_key(without_reasoning(answer), "s"))):
            if cards.setdefault(number, card) != card:
                differing.add(number)
    return {number: card for number, card in cards.items() if number not in differing}


def _parse_card(item: Mapping[str, Any]) -> tuple[int, RawCard] | None:
    said = item.get("v")
    verdict = next((it for it in _VERDICTS if isinstance(said, str) and said.casefold() == it), None)
    number = _SENTENCE_NUMBER.fullmatch(str(item["s"]).strip())
    if number is None or verdict is None:
        return None
    quotes, against = (
        tuple(label for it in _as_list(item.get(key)) if isinstance(it, str) for label in _LABEL.findall(it))
        for key in ("q", "x")
    )
    opened = tuple(it[:_MAX_CHARS] for it in _as_list(item.get("open")) if isinstance(it, str))
    edits = tuple(filter(None, map(_parse_edit, _as_list(item.get("edits")))))
    return int(number[1]), RawCard(verdict, quotes, against, opened, edits)


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value in (None, "", {}) else [value]


def _parse_edit(value: Any) -> RawEdit | None:
    if not isinstance(value, dict) or not isinstance(value.get("old"), str):
        return None
    words = [value.get(name) or "" for name in ("old", "new", "by")]
    is_text = all(isinstance(it, str) for it in words)
    return RawEdit(*(it[:_MAX_CHARS] for it in words)) if is_text else None
