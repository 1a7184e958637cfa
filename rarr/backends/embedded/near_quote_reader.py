"""Fills cards (answers about sentences) without a model, by comparing each sentence with similar lines."""

import re
from collections.abc import Sequence, Set

from rarr.backends.embedded.antecedents import QuestionWords, find_antecedent
from rarr.backends.embedded.items import Line, is_draft_file, items_of, lines_of
from rarr.backends.embedded.names_above import NamesAbove
from rarr.backends.embedded.near_quotes import card_of, card_of_cell
from rarr.backends.source_lines import LEAD_LINE_ENDS, is_list_item, labelled_excerpts, lead_line
from rarr.components import BlockPiece, RawCard, RawReading, ReadingBlock
from rarr.records import Evidence
from rarr.tools.concurrency import require_awaited, work
from rarr.tools.text.blocks_and_sentences import Span, table_cells

_HEADING = re.compile(r"(?m)^#{1,6}\s")


class NearQuoteReader:
    """A reader without a model. It calls a sentence supported if a line of a source nearly repeats it.

    If only a value or a word like "not" differs, the card has a correction. Other sentences stay undecided.
    """

    name = "embedded"
    is_model = False

    async def read(self, block: ReadingBlock, *, doubting: bool = False, seed: int = 0) -> RawReading:
        return RawReading(await work(near_quote_cards, block), self.name)


class NearQuoteVerifier:
    """A verifier without a model. Support is 1 if a line of evidence nearly repeats the sentence, else 0."""

    async def support(
        self, text: str, context: str | None, spans: Sequence[Span], evidence: Evidence
    ) -> Sequence[float]:
        return await work(_span_support, text, context, spans, evidence)


def _span_support(text: str, context: str | None, spans: Sequence[Span], evidence: Evidence) -> list[float]:
    pages, cards = labelled_excerpts([evidence]), list[RawCard]()
    for it in spans:
        pieces, lead = (BlockPiece(it.of(text), 1),), lead_line(text, it.start)
        cards.append(near_quote_cards(ReadingBlock(context or "", text[: it.start], pieces, pages, lead))[1])
    return [float(card.verdict == "yes") for card in cards]


def near_quote_cards(block: ReadingBlock, *, names_contradict: bool = False) -> dict[int, RawCard]:
    """Returns the cards of a block, by the number of the sentence. `names_contradict`: see `card_of`."""
    excerpts = [it for it in block.excerpts if lines_of(it) and not is_draft_file(it.source)]
    pages = [lines_of(excerpt) for excerpt in excerpts]
    above, cards = f"{block.context}\n{block.before}", dict[int, RawCard]()
    known, question = {item.key for item in items_of(above)}, QuestionWords.of_question(block.context)
    shown = "".join(piece.text for piece in block.pieces)
    cells, at, names, lead = table_cells(shown), 0, NamesAbove(above), block.lead
    for piece in block.pieces:
        require_awaited()
        cell, is_first = cells.get(Span(at, at + len(piece.text))), not cards
        is_item = is_list_item(shown, at) or (is_first and bool(block.lead))
        at += len(piece.text)
        known |= {item.key for item in items_of(piece.text)}
        told = list[Line]()
        if piece.number:
            meant = find_antecedent(piece.text, above)
            asked = QuestionWords(meant) if meant and not block.context else question
            about, is_open = names.without_pages_about_others(excerpts, piece.text, known), meant is not None
            read = (it for it in map(lines_of, about) if asked.fits_page(it[0], known, needs_subject=is_open))
            told = [line for page in read for line in page if not names.headings_differ(line, known)]
        names.add_text(piece.text)
        if piece.number and cell:
            cards[piece.number] = card_of_cell(shown, cell, told)
        elif piece.number:
            lines = [line for line in told if not line.row]
            before = f"{lead} " if lead and is_item else ""
            card = card_of(f"{before}{piece.text}", above, lines, names_contradict=names_contradict)
            card = _card_without_lead_line(card, f"{before}{piece.text}", len(before)) if before else card
            quoted = (it for it in told if card.verdict == "yes" and set(it.labels) <= set(card.quotes))
            is_of_group = any(_has_parallel_heading(it, pages, known) for it in quoted)
            cards[piece.number] = RawCard("open", card.quotes, open=(piece.text,)) if is_of_group else card
        if _HEADING.search(piece.text):
            lead = ""
        elif piece.number and not is_item:
            lead = piece.text if piece.text.rstrip().endswith(LEAD_LINE_ENDS) else ""
        above += f"\n{piece.text}"
    return cards


def _card_without_lead_line(card: RawCard, statement: str, start: int) -> RawCard:
    """Limits the card of `statement` to the list item at `start`. Words before `start` lead to the list."""
    item = statement[start:]
    are_inside = all(statement.find(edit.old) >= start for edit in card.edits)
    opened = tuple(words for words in card.open if words in item) or (item,) * bool(card.open)
    return card._replace(edits=card.edits * are_inside, open=opened)


def _has_parallel_heading(line: Line, pages: Sequence[Sequence[Line]], known: Set[str]) -> bool:
    """Tells whether the line's heading is not all `known`, and a heading of its page differs in one word."""
    own = line.heading_keys
    others = {it.heading_keys for lines in pages for it in lines if it.title == line.title}
    parallel = any(len(it) == len(own) == len(it & own) + 1 > 1 for it in others)
    return parallel and not own <= known | line.all_keys
