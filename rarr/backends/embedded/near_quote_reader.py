"""Reads blocks without a model: compares each sentence with the pages about its subject."""

import re
from collections.abc import Sequence, Set

from rarr.backends.embedded.antecedents import QuestionWords, find_antecedent
from rarr.backends.embedded.items import Line, is_not_valid, items_of, lines_of
from rarr.backends.embedded.names_above import NamesAbove
from rarr.backends.embedded.near_quotes import card_of, card_of_cell
from rarr.backends.source_lines import is_list_item, labelled_excerpts
from rarr.components import BlockPiece, RawCard, RawReading, ReadingBlock
from rarr.records import Evidence
from rarr.tools.concurrency import require_awaited, work
from rarr.tools.text.blocks_and_sentences import Span, table_cells

_FOR = re.compile(r"(?i)\b(?:for|für|pour)\s(.*)")  # "What is the dose for children?"


class NearQuoteReader:
    """Reads cards without a model. A sentence is supported if a line of a source nearly repeats it.

    If only a value, a name or a "not" differs, the card corrects it. All other sentences stay open.
    """

    name = "embedded"
    is_model = False

    async def read(self, block: ReadingBlock, *, doubting: bool = False, seed: int = 0) -> RawReading:
        return RawReading(await work(near_quote_cards, block), self.name)


class NearQuoteVerifier:
    """Judges support without a model: 1 if a line of the evidence nearly repeats the sentence, else 0."""

    async def support(
        self, text: str, context: str | None, spans: Sequence[Span], evidence: Evidence
    ) -> Sequence[float]:
        return await work(_support, text, context, spans, evidence)


def _support(text: str, context: str | None, spans: Sequence[Span], evidence: Evidence) -> list[float]:
    pieces = [(text[: it.start], BlockPiece(it.of(text), 1)) for it in spans]
    pages = labelled_excerpts([evidence])
    cards = (near_quote_cards(ReadingBlock(context or "", above, (it,), pages))[1] for above, it in pieces)
    return [float(card.verdict == "yes") for card in cards]


def near_quote_cards(block: ReadingBlock, *, names_contradict: bool = False) -> dict[int, RawCard]:
    """Compares the sentences of a block with the lines of its excerpts. Returns cards by sentence number.

    `names_contradict` is that of `card_of`.
    """
    excerpts = [it for it in block.excerpts if lines_of(it) and not is_not_valid(it.source)]
    pages = [lines_of(excerpt) for excerpt in excerpts]
    above, cards = f"{block.context}\n{block.before}", dict[int, RawCard]()
    known, question = {item.key for item in items_of(above)}, QuestionWords.of_question(block.context)
    asked_for = frozenset(item.key for item in items_of(" ".join(_FOR.findall(block.context))))
    shown = "".join(piece.text for piece in block.pieces)
    cells, at, names, lead = table_cells(shown), 0, NamesAbove(above), _lead_line(above)
    for piece in block.pieces:
        require_awaited()
        cell, is_item = cells.get(Span(at, at + len(piece.text))), is_list_item(shown, at)
        at += len(piece.text)
        known |= {item.key for item in items_of(piece.text)}
        meant = find_antecedent(piece.text, above)
        asked = QuestionWords(meant, frozenset()) if meant and not block.context else question
        about, is_open = names.covering(excerpts, piece.text), meant is not None
        read = (it for it in map(lines_of, about) if asked.fits_page(it[0], known, is_open=is_open))
        told = [line for page in read for line in page]
        told = [line for line in told if not names.is_of_other_scope(line, frozenset(known), asked_for)]
        names.add_text(piece.text)
        if piece.number and cell:
            cards[piece.number] = card_of_cell(shown, cell, told)
        elif piece.number:
            lines = [line for line in told if not line.row]
            before = f"{lead} " * is_item
            card = card_of(f"{before}{piece.text}", above, lines, names_contradict=names_contradict)
            card = _without_lead(card, piece.text) if before else card
            quoted = (it for it in told if card.verdict == "yes" and set(it.labels) <= set(card.quotes))
            is_of_group = any(_is_of_one_group(it, pages, known) for it in quoted)
            cards[piece.number] = RawCard("open", card.quotes, open=(piece.text,)) if is_of_group else card
        lead = _lead_line(piece.text) if piece.number and not is_item else lead
        above += f"\n{piece.text}"
    return cards


def _lead_line(text: str) -> str:
    """Returns the last line of a text if it introduces a list ("Do not use it if:"), else ""."""
    line = text.strip().rpartition("\n")[2].strip()
    return line if line.endswith((":", "：")) else ""


def _without_lead(card: RawCard, item: str) -> RawCard:
    """Returns the card of a list item that was compared together with the line before its list."""
    are_inside = all(edit.old in item for edit in card.edits)
    opened = tuple(words for words in card.open if words in item) or (item,) * bool(card.open)
    return card._replace(edits=card.edits * are_inside, open=opened)


def _is_of_one_group(line: Line, pages: Sequence[Sequence[Line]], known: Set[str]) -> bool:
    """Tells whether its heading differs in one unknown word from another heading ("Placebo arm")."""
    own = line.heading
    others = {it.heading for lines in pages for it in lines if it.title == line.title}
    parallel = any(len(it) == len(own) == len(it & own) + 1 > 1 for it in others)
    return parallel and not own <= known | line.words
