"""Asks a reader for the card of each sentence. One request asks about a block of sentences.

A block also has controls: planted sentences with a known answer. If the reader misjudges a control, the two
halves of the block are read again. If it misjudges a control of a half, the cards of the half do not count.
At most three requests follow one another; the third request asks about doubtful sentences again.
"""

import asyncio
import math
from collections.abc import Mapping, Sequence, Set
from typing import NamedTuple

from rarr.backends.embedded.values.comparing import has_value
from rarr.backends.embedded.values.reading import values
from rarr.components import CardReader, Components, RawCard
from rarr.errors import BudgetError, ModelError, PromptTooLong
from rarr.ledger.card import edited_sentence, with_comparison_doubts, with_title_doubts
from rarr.ledger.controls import NEGATION
from rarr.ledger.planted_blocks import MAX_ERRORS, MAX_REPETITIONS, BlockReading, make_block, split_evenly
from rarr.ledger.reader_record import KEPT_DAYS, Standing, count_missed
from rarr.ledger.source_weight import with_heavier_side
from rarr.records import Evidence, Notice
from rarr.records.base import Controls
from rarr.records.cards_and_edits import Card, CardEdit, CardVerdict
from rarr.state import State, failure_notice
from rarr.tools.concurrency import meanwhile, work
from rarr.tools.models.run_budget import meter
from rarr.tools.text.blocks_and_sentences import Span
from rarr.tools.text.language_detection import text_language
from rarr.tools.text.wording import counted, unreadable_answer
from rarr.tools.trace_spans import span

NODE = "check_agreement"
SENDING_S = 0.1
"""The seconds between the start of a request and the start of other work: the request is sent first."""
UNRELIABLE = "the reader misjudged planted test sentences beside it"
UNEXAMINED = "no planted error examined its reader"

_NO_READABLE_CARD = "the reader gave no readable card for it"
_UNCONFIRMED = "doubtful sentences could not be confirmed"


class KeptEvidence(NamedTuple):
    """The evidence that a reader may see. `by_place` maps a sentence's place to the ids of its evidence."""

    evidence: Sequence[Evidence]
    by_place: Mapping[Span, Sequence[str]]

    def select(self, places: Sequence[Span], cited: Sequence[str] = ()) -> list[Evidence]:
        """Returns the evidence for the sentences at `places`, and also the evidence with the ids `cited`."""
        wanted = {*cited, *(evidence_id for place in places for evidence_id in self.by_place.get(place, ()))}
        return [passage for passage in self.evidence if passage.id in wanted]


class CardReading:
    """Asks the reader to compare sentences of the current text with evidence, in blocks of sentences."""

    def __init__(self, state: State, kept: KeptEvidence, components: Components) -> None:
        assert components.card_reader is not None  # the callers have asked
        self._reader: CardReader = components.card_reader
        self._doubting: CardReader = components.doubting_reader or components.card_reader
        self._settings, self._record, self._kept = components.settings, components.record, kept
        self._state, self._text = state, state["text"]
        self._notices, self._counts = list[Notice](), list[Controls]()
        # The sentences of requests with a missed control, and the sentences of requests with a planted error.
        self._unreliable, self._examined = set[Span](), set[Span]()
        self._language = text_language(self._text) if self._record else ""
        self._standing: Standing = self._record.standing(self._language) if self._record else "unknown"

    async def read(self, places: Sequence[Span]) -> State:
        """Returns an update of the state: `cards` in the order of `places`, `warnings`, and `controls`."""
        blocks = split_evenly([place for place in places if self._kept.by_place.get(place)])
        first = await self._read_blocks(blocks)
        second = await self._read_blocks(self._blocks_to_read_again(first), "again")
        found = await work(self._latest_cards, [*first, *second])
        # A second answer cannot help if a card has doubts, or if the reader is unreliable.
        unclear = {place for place, card in found.items() if card.unclear and not card.doubts}
        unclear = unclear - self._unreliable if self._doubting.is_model else set()
        doubtful = [[it for it in block if it in unclear] for block in blocks]
        confirmed = await asyncio.gather(*(self._ask_again(block, found) for block in doubtful if block))
        sure = {place for group in confirmed for place in group}
        self._add_warnings(sum(map(len, blocks)) - len(found), found.keys(), [*second, *first])
        cards = [self._with_remaining_doubts(found.get(it), it, confirmed=it in sure) for it in places]
        return {"cards": cards, "warnings": self._notices, "controls": self._counts}

    async def _read_blocks(self, blocks: Sequence[Sequence[Span]], salt: str = "") -> list[BlockReading]:
        read = await asyncio.gather(*(self._read(it, self._kept.select(it), salt) for it in blocks))
        return [block for group in read for block in group]

    async def _read(self, places: Sequence[Span], evidence: list[Evidence], salt: str) -> list[BlockReading]:
        """Reads a block. If the request is too long, halves the block; for one sentence, the evidence."""
        wanted = (1, 0) if self._standing == "good" else (MAX_ERRORS, MAX_REPETITIONS)
        planted = wanted if self._reader.is_model else (0, 0)
        block = await work(make_block, self._state, places, evidence, planted, salt)
        try:
            # If the comparison fails here, it fails again later, and the error is raised then.
            async with meanwhile(SENDING_S, self._compare, places if self._reader.is_model else ()):
                await self._ask(block, seed=int(bool(salt)))
        except (ModelError, BudgetError) as error:
            is_too_long = isinstance(error, PromptTooLong)
            if is_too_long and len(places) > 1:
                return await self._read_blocks(_halves(places), salt)
            if is_too_long and len(evidence) > 1:
                return await self._read(places, evidence[: max(1, round(len(evidence) / 2))], salt)
            if is_too_long and not salt:  # a second request also asks the fallback models
                return await self._read(places, evidence, "again")
            block.failed = str(error)
            told = "sentences could not be read"
            self._notices.append(failure_notice(NODE, told, error, code="check_failed"))
        return [block]

    async def _compare(self, places: Sequence[Span]) -> None:
        """Compares the sentences with lines while the model reads, so that the results are in the cache."""
        for place in places:
            card = Card(**place._asdict(), verdict="yes")
            await work(with_comparison_doubts, card, self._text, self._kept.select([place]))

    async def _ask(self, block: BlockReading, *, doubting: bool = False, seed: int = 0) -> None:
        reader = self._doubting if doubting else self._reader
        shown = list(dict.fromkeys(line.evidence_id for line in block.lines.values()))
        with span("read", f"{NODE}_doubt" if doubting else NODE, evidence=shown) as traced:
            async with meter().in_time():
                reading = await reader.read(block.request, doubting=doubting, seed=seed)
            await work(lambda: block.add_reading(reading, self._text, doubting=doubting))
            traced.body.update(block.verdicts_for_trace())

    def _blocks_to_read_again(self, first: Sequence[BlockReading]) -> list[Sequence[Span]]:
        """Returns halves of blocks with misjudged controls, and unread sentences; [] for a bad reader."""
        blocks: list[Sequence[Span]] = []
        if self._standing == "bad" or not self._reader.is_model:
            return blocks
        for read in first:
            spans = list(read.places.values())
            if read.missed or (read.problem and not read.located and len(spans) > 1):
                blocks += _halves(spans)
            elif not read.failed and (unread := [it for it in spans if it not in read.located]):
                blocks.append(unread)
        return blocks

    def _latest_cards(self, reads: Sequence[BlockReading]) -> dict[Span, Card]:
        """Returns for each sentence the card from its last reading, with the doubts about this card.

        Stores which sentences were read beside a planted error. Counts the controls (planted sentences) for
        the usage of the run and the record of the reader.
        """
        latest = dict[Span, Card]()
        sources = {passage.id: passage.source for passage in self._kept.evidence}
        for read in reads:
            places = set(read.places.values())
            latest = {place: card for place, card in latest.items() if place not in places} | read.located
            if read.missed or self._standing == "bad":
                self._unreliable |= places
            elif read.located and read.has_planted_error:  # the second reading misjudged no control
                self._unreliable -= places
            self._examined |= read.located.keys() if read.has_planted_error else set()
            if read.located and self._reader.is_model:
                self._counts.append(counts := read.counts())
                if self._record and read.served and read.controls:
                    source = min(sources[it.origin.evidence_id] for it in read.controls.values())
                    facts = {"language": self._language, "controls": counts, "source": source}
                    self._record.add_result(read.served, **facts)
        return {place: self._with_passage_doubts(card, place) for place, card in latest.items()}

    def _with_passage_doubts(self, card: Card, place: Span) -> Card:
        """Adds doubts. Asks a good reader again only about edits that it read beside no planted error."""
        card = with_heavier_side(card, self._text, self._kept.evidence, self._settings.source_kinds)
        doubt, is_model = self._settings.doubt, self._reader.is_model
        if card.verdict in (None, "open", "none") or (card.verdict == "mixed" and card.side is None):
            return card.model_copy(update={"unclear": ()})
        kept = self._kept.select([place], card.quoted_evidence_ids)
        card = with_comparison_doubts(card, self._text, kept) if is_model else card
        card = with_title_doubts(card, self._text, kept, self._state["context"] or "")
        is_good = self._standing == "good" and doubt != "always"
        unclear = () if is_good else card.unclear
        if is_model and place not in self._examined and (card.edits or not is_good):
            unclear += (UNEXAMINED,)
        return card.model_copy(update={"unclear": () if doubt == "never" else unclear})

    async def _ask_again(self, doubtful: Sequence[Span], found: Mapping[Span, Card]) -> list[Span]:
        """Asks again about doubtful sentences with their edits applied. Returns the confirmed sentences.

        A reader cannot confirm its own card if neither of the two requests had a planted error.
        """
        cards = {place: found[place] for place in doubtful}
        evidence = self._kept.select(doubtful, [at for it in cards.values() for at in it.quoted_evidence_ids])
        # If the sources for a sentence weigh more, the request has the sentence without edits.
        written = {it: edited_sentence(self._text, card) for it, card in cards.items() if card.side != "for"}
        block = await work(make_block, self._state, doubtful, evidence, (1, 0), "doubt", written)
        try:
            await self._ask(block, doubting=True)
        except (ModelError, BudgetError) as error:
            self._notices.append(failure_notice(NODE, _UNCONFIRMED, error, code="doubt_failed"))
            return []
        if not block.cards:
            self._add_notice("doubt_failed", f"{_UNCONFIRMED}: {block.problem or _NO_READABLE_CARD}")
            return []
        self._counts.append(block.counts())
        is_examined = self._doubting is not self._reader or block.has_planted_error
        said = {place: block.cards.get(number) for number, place in block.places.items() if not block.missed}
        confirmed = [place for place, answer in said.items() if _confirms(answer, cards[place], block)]
        return [place for place in confirmed if is_examined or place in self._examined]

    def _with_remaining_doubts(self, card: Card | None, place: Span, *, confirmed: bool) -> Card:
        """Adds doubts that no request removed. Removes doubted edits if the source has the old value."""
        if card is None:
            reason = _NO_READABLE_CARD if self._kept.by_place.get(place) else ""
            return Card(**place._asdict(), verdict=None, reason=reason)
        is_unreliable = place in self._unreliable
        doubts = card.doubts if confirmed else (*card.doubts, *card.unclear)
        doubts = (*doubts, UNRELIABLE) if is_unreliable else doubts
        edits = tuple(it for it in card.edits if not (doubts and _copies_old_value(self._text, place, it)))
        update = {"doubts": doubts, "unclear": (), "unreliable": is_unreliable, "edits": edits}
        return card.model_copy(update=update)

    def _add_warnings(self, unread: int, found: Set[Span], reads: Sequence[BlockReading]) -> None:
        name = self._reader.name
        if self._unreliable:
            counts = sum(self._counts, start=Controls())
            which = f"{count_missed(counts)} of {counts.planted + counts.repeated} planted test sentences"
            if self._standing == "bad":
                which = f"too many test sentences of its exam or of the last {KEPT_DAYS} days"
            told = counted(len(self._unreliable), "sentence")
            cure = f"so its verdicts on {told} do not count: name another model"
            self._add_notice("reader_unreliable", f"{name} misjudged {which}, {cure}")
        if self._reader.is_model and (unexamined := len(found - self._examined)):
            where = f"{name} beside {counted(unexamined, 'sentence')}"
            cure = "give whole sentences as sources"
            self._add_notice("reader_unexamined", f"no planted error examined {where}: {cure}")
        problem = next((read.problem for read in reads if read.problem and not read.failed), "")
        if unread and (problem or not any(read.failed for read in reads)):
            why = f"{counted(unread, 'sentence')} could not be read: {problem or unreadable_answer(name)}"
            self._add_notice("check_failed", why)

    def _add_notice(self, code: str, message: str) -> None:
        self._notices.append(Notice(code=code, message=message, node=NODE))


def _halves(places: Sequence[Span]) -> list[list[Span]]:
    return split_evenly(places, math.ceil(len(places) / 2))


def _copies_old_value(text: str, sentence: Span, edit: CardEdit) -> bool:
    """Tells whether the source words `edit.by` have the sentence's old value, and no new value or "not"."""
    before, place = sentence.of(text), Span(edit.start, edit.end).moved_by(-sentence.start)
    had = [value for value in values(before) if value.span.overlaps(place)]
    said, new = (bool(its) and all(has_value(edit.by, it) for it in its) for its in (had, values(edit.new)))
    return said and not new and not NEGATION.search(edit.by)


def _confirms(answer: RawCard | None, card: Card, block: BlockReading) -> bool:
    """Tells whether `answer` has a quote and says `yes`; or `no`, if `card` contradicts without an edit."""
    speaks_against = card.verdict == "no" or (card.verdict == "mixed" and card.side == "against")
    wanted: CardVerdict = "no" if speaks_against and not card.edits else "yes"
    return answer is not None and answer.verdict == wanted and any(it in block.lines for it in answer.quotes)
