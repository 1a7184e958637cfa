"""Has the cards of a text filled: each block is read, asked again where that failed, and doubted.

At most three requests follow one another. A block whose reader missed planted controls is read again in
halves with other controls; if the reader misses them again, code relies on nothing that it said there.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from rarr.components import CardReader, Components, RawCard, RawReading
from rarr.errors import BudgetError, ModelError, PromptTooLong
from rarr.ledger.card import Located, edited, is_about_another, located
from rarr.ledger.controls import is_missed
from rarr.ledger.reader_record import Outcomes, Standing
from rarr.ledger.reading_blocks import (
    ERRORS,
    REPETITIONS,
    Planted,
    counted_controls,
    divided,
    planted,
    shown_evidence,
    traced_reading,
)
from rarr.ledger.source_weight import weighed
from rarr.records import Evidence, Notice
from rarr.records.card import Card, CardVerdict
from rarr.records.usage import Controls
from rarr.state import State, failure
from rarr.tools.concurrency import work
from rarr.tools.models.run_budget import meter
from rarr.tools.text.blocks_and_sentences import Span
from rarr.tools.text.non_english_detection import foreign_language
from rarr.tools.text.plurals_and_articles import counted
from rarr.tools.trace_spans import span

NODE = "check_agreement"
UNRELIABLE = "the reader missed planted sentences beside it"
UNEXAMINED = "no error could be planted beside it, so nothing examined its reader"
_LANGUAGE_CHARS = 4000  # of a text, by which its language is told
_UNREAD = "the reader gave no readable card for it"


@dataclass
class ReadBlock:
    """A block as it was read: its sentences, their located cards, and how the reader did on its controls.

    `failed` says why it was not read at all, and `problem` why cards may be missing.
    """

    places: Sequence[Span]
    planted: Planted
    located: dict[Span, Located] = field(default_factory=dict)
    missed: tuple[int, ...] = ()
    served: str = ""
    failed: str = ""
    problem: str = ""

    @property
    def missing(self) -> list[Span]:
        """The sentences without a card."""
        return [place for place in self.places if place not in self.located]


class Kept(NamedTuple):
    """The evidence that a reader may see, in a stable order, and the ids of it by sentence."""

    evidence: Sequence[Evidence]
    by_place: Mapping[Span, Sequence[str]]

    def of(self, places: Sequence[Span]) -> list[Evidence]:
        """Returns the evidence for these sentences."""
        wanted = {evidence_id for place in places for evidence_id in self.by_place.get(place, ())}
        return [passage for passage in self.evidence if passage.id in wanted]


class CardsRead(NamedTuple):
    """The cards of some sentences, in the order of the text, and notices about what went wrong.

    `controls` counts the planted sentences of each request.
    """

    cards: list[Card]
    notices: list[Notice]
    controls: list[Controls]


async def read_cards(state: State, places: Sequence[Span], kept: Kept, components: Components) -> CardsRead:
    """Reads the sentences of the current text at `places` beside the evidence that was kept for them."""
    reading = await work(_Reading, state, kept, components)
    return await reading.cards(places)


class _Reading:
    def __init__(self, state: State, kept: Kept, components: Components) -> None:
        if components.card_reader is None:
            raise ModelError("these components have no reader of cards")
        self._reader: CardReader = components.card_reader
        self._doubting: CardReader = components.doubting_reader or components.card_reader
        self._components, self._kept = components, kept
        self._text, self._context, self._lead = state["text"], state["context"] or "", state.get("lead", 0)
        self._notices: list[Notice] = []
        self._counts: list[Controls] = []
        self._unreliable: set[Span] = set()
        self._examined: set[Span] = set()
        record = components.record
        self._language = foreign_language(self._text[:_LANGUAGE_CHARS]) or "en" if record else ""
        self._standing: Standing = record.standing(self._language) if record else "unknown"

    async def cards(self, places: Sequence[Span]) -> CardsRead:
        readable = [place for place in places if self._kept.by_place.get(place)]
        blocks = divided(readable)
        first = [read for group in await self._read_all(blocks) for read in group]
        second = await self._again(first)
        found = self._joined(first, second)
        await self._note_controls([*first, *second])
        await self._confirm(blocks, found, [*first, *second])
        self._warn_unreliable([*first, *second])
        self._warn_unread([place for place in readable if place not in found], [*second, *first])
        cards = [found[it].card if it in found else _unread(it, readable) for it in places]
        return CardsRead(cards, self._notices, self._counts)

    async def _read_all(self, blocks: Sequence[Sequence[Span]], salt: str = "") -> list[list[ReadBlock]]:
        return await asyncio.gather(*(self._read(places, salt) for places in blocks))

    async def _read(self, places: Sequence[Span], salt: str, share: float = 1.0) -> list[ReadBlock]:
        """Reads a block: in halves where the reader cannot hold it; one sentence then with less evidence."""
        evidence = self._kept.of(places)
        evidence = evidence[: max(1, round(share * len(evidence)))]
        errors, repetitions = self._controls()
        block = await work(
            lambda: planted(
                self._text, self._context, places, evidence,
                errors=errors, repetitions=repetitions, lead=self._lead, salt=salt,
            )
        )  # fmt: skip
        read = ReadBlock(places, block)
        try:
            with span("read", NODE, evidence=shown_evidence(block)) as traced:
                async with meter().in_time():
                    reading = await self._reader.read(block.block, seed=int(bool(salt)))
                await work(_looked_up, read, reading, self._text)
                traced.body.update(traced_reading(block, reading.cards, read.missed))
        except PromptTooLong as error:
            if len(places) > 1:
                halves = await self._read_all(divided(places, -(-len(places) // 2)), salt)
                return [part for group in halves for part in group]
            if len(evidence) > 1:
                return await self._read(places, salt, share / 2)
            read.failed = str(error)
            self._notices.append(failure(NODE, "a sentence could not be read", error, code="check_failed"))
            return [read]
        except (ModelError, BudgetError) as error:
            read.failed = str(error)
            problem = "some sentences could not be read"
            self._notices.append(failure(NODE, problem, error, code="check_failed"))
            return [read]
        return [read]

    def _controls(self) -> tuple[int, int]:
        """Returns how many errors and repetitions are planted in a block."""
        if not self._reader.is_model:
            return 0, 0
        return (1, 0) if self._standing == "good" else (ERRORS, REPETITIONS)

    async def _again(self, first: Sequence[ReadBlock]) -> list[ReadBlock]:
        """Reads blocks with missed controls in halves with other controls, and sentences without a card."""
        if self._standing == "bad" or not self._reader.is_model:
            return []
        blocks: list[Sequence[Span]] = []
        for read in first:
            if read.missed or (read.problem and not read.located and len(read.places) > 1):
                blocks += divided(read.places, max(1, -(-len(read.places) // 2)))
            elif read.missing and not read.failed:
                blocks.append(read.missing)
        return [read for group in await self._read_all(blocks, "again") for read in group]

    def _joined(self, first: Sequence[ReadBlock], second: Sequence[ReadBlock]) -> dict[Span, Located]:
        """Takes each sentence from its last reading, and notes those whose reader missed controls there.

        After a miss, only a reading with other controls that are caught is relied on again.
        """
        found: dict[Span, Located] = {}
        again = {place for read in second for place in read.places}
        for read in first:
            self._unreliable |= set(read.places) if read.missed or self._standing == "bad" else set()
            found |= {place: card for place, card in read.located.items() if place not in again}
        for read in second:
            found |= read.located
            if read.missed:
                self._unreliable |= set(read.places)
            elif read.planted.has_error:
                self._unreliable -= set(read.places)
        return found

    async def _confirm(
        self, blocks: Sequence[Sequence[Span]], found: dict[Span, Located], reads: Sequence[ReadBlock]
    ) -> None:
        """Settles each card: what is doubtful of a block is asked again in one request."""
        self._examined = {place for read in reads if read.planted.has_error for place in read.places}
        await work(self._doubt, found)
        doubtful = [[place for place in places if self._is_doubtful(place, found)] for places in blocks]
        confirmed = await asyncio.gather(*(self._asked_again(places, found) for places in doubtful if places))
        sure = {place for group in confirmed for place in group}
        for place, one in found.items():
            found[place] = self._settled(one, place, confirmed=place in sure)

    def _doubt(self, found: dict[Span, Located]) -> None:
        for place, one in found.items():
            card = weighed(one.card, self._text, self._kept.evidence, self._components.settings.source_kinds)
            found[place] = self._doubted(one._replace(card=card), place)

    def _doubted(self, one: Located, place: Span) -> Located:
        """Adds doubts that need more than the card. A reader with a good record is not doubted."""
        doubt, card = self._components.settings.doubt, one.card
        is_good = self._standing == "good" and doubt != "always"
        unclear = list(one.unclear)
        if self._about_another(card, place):
            unclear.append("its quotes may be about something else of this name")
        if doubt == "never" or is_good:
            unclear = []
        unexamined = self._reader.is_model and place not in self._examined
        if unexamined and doubt != "never" and (card.edits or not is_good):
            unclear.append(UNEXAMINED)
        if card.verdict in (None, "open", "none") or (card.verdict == "mixed" and card.side is None):
            unclear = []
        return one._replace(unclear=tuple(dict.fromkeys(unclear)))

    def _is_doubtful(self, place: Span, found: Mapping[Span, Located]) -> bool:
        """Is the card of the sentence to be asked again? Where its words are unproven, nothing can help."""
        if not self._doubting.is_model:
            return False
        one = found.get(place)
        return one is not None and bool(one.unclear) and not one.unproven and place not in self._unreliable

    def _about_another(self, card: Card, place: Span) -> bool:
        ids = {*self._kept.by_place.get(place, ()), *card.cited}
        titles = {
            passage.id: passage.title
            for passage in self._kept.evidence
            if passage.id in ids and not _is_file_name(passage)
        }
        return is_about_another(card, titles, f"{self._context}\n{self._text}")

    async def _asked_again(self, doubtful: Sequence[Span], found: Mapping[Span, Located]) -> list[Span]:
        """Asks about doubtful sentences as they stand after their edits; returns those that are confirmed.

        Without a planted error in either request nothing examined the reader, so only another one confirms.
        """
        cited = {evidence_id for place in doubtful for evidence_id in found[place].card.cited}
        kept = {evidence_id for place in doubtful for evidence_id in self._kept.by_place.get(place, ())}
        evidence = [passage for passage in self._kept.evidence if passage.id in cited | kept]
        written = {place: _as_confirmed(self._text, found[place].card) for place in doubtful}
        block = await work(
            lambda: planted(
                self._text, self._context, doubtful, evidence,
                errors=1, repetitions=0, lead=self._lead, salt="doubt", written=written,
            )
        )  # fmt: skip
        try:
            with span("read", f"{NODE}_doubt", evidence=shown_evidence(block)) as traced:
                async with meter().in_time():
                    reading = await self._doubting.read(block.block, doubting=True)
                missed = tuple(n for n in block.controls if not _says(reading.cards.get(n), "no"))
                traced.body.update(traced_reading(block, reading.cards, missed))
        except (ModelError, BudgetError) as error:
            problem = "doubtful sentences could not be confirmed"
            self._notices.append(failure(NODE, problem, error, code="doubt_failed"))
            return []
        if not reading.cards:
            message = f"doubtful sentences could not be confirmed: {reading.problem or _UNREAD}"
            self._notices.append(Notice(code="doubt_failed", message=message, node=NODE))
            return []
        self._counts.append(counted_controls(block, missed))
        if missed:
            return []
        other = self._doubting is not self._reader
        return [
            place
            for number, place in block.places.items()
            if _confirms(reading.cards.get(number), found[place].card, block)
            and (other or block.has_error or place in self._examined)
        ]

    def _settled(self, one: Located, place: Span, *, confirmed: bool) -> Located:
        """Writes into the card why code does not rely on it; nothing where it does."""
        doubts = list(one.unproven)
        if one.unclear and not confirmed:
            doubts += one.unclear
        if place in self._unreliable:
            doubts.append(UNRELIABLE)
        unreliable = place in self._unreliable
        settled = one.card.model_copy(update={"doubts": tuple(doubts), "unreliable": unreliable})
        return one._replace(card=settled)

    async def _note_controls(self, reads: Sequence[ReadBlock]) -> None:
        sources = {passage.id: passage.source for passage in self._kept.evidence}
        for read in reads:
            if read.located and self._reader.is_model:
                self._counts.append(counted_controls(read.planted, read.missed))
        if self._components.record is not None:
            for served in {read.served for read in reads if read.served and read.planted.controls}:
                outcomes = [
                    _outcomes(read, sources) for read in reads if read.served == served and read.located
                ]
                await work(self._components.record.add, self._language, served, outcomes)

    def _warn_unread(self, missing: Sequence[Span], reads: Sequence[ReadBlock]) -> None:
        problem = next((read.problem for read in reads if read.problem and not read.failed), "")
        if missing and (problem or not any(read.failed for read in reads)):
            message = f"{counted(len(missing), 'sentence')} could not be read: {problem or _UNREAD}"
            self._notices.append(Notice(code="check_failed", message=message, node=NODE))

    def _warn_unreliable(self, reads: Sequence[ReadBlock]) -> None:
        if not self._unreliable:
            return
        known = [read for read in reads if read.located]
        planted = sum(len(read.planted.controls) for read in known)
        missed = sum(len(read.missed) for read in known)
        message = (
            f"{self._reader.name} missed {missed} of {planted} sentences that were planted to examine it, so"
            f" nothing that it said of {counted(len(self._unreliable), 'sentence')} is relied on:"
            " name another model"
        )
        self._notices.append(Notice(code="reader_unreliable", message=message, node=NODE))


def _unread(place: Span, readable: Sequence[Span]) -> Card:
    reason = _UNREAD if place in readable else ""
    return Card(start=place.start, end=place.end, verdict=None, reason=reason)


def _looked_up(read: ReadBlock, reading: RawReading, text: str) -> None:
    """Locates the cards of a reading in the text, and counts the planted sentences that it missed."""
    block = read.planted
    read.served, read.problem = reading.served, reading.problem
    # Of an answer without cards, or that was cut off before the controls, nothing is known of how it judges.
    if not reading.cards or (reading.problem and not block.controls.keys() <= reading.cards.keys()):
        return
    for number, place in block.places.items():
        if (card := reading.cards.get(number)) is not None:
            read.located[place] = located(card, text, place, block.lines)
    read.missed = tuple(
        number
        for number, control in block.controls.items()
        if is_missed(control, reading.cards.get(number), block.lines)
    )


def _says(card: RawCard | None, verdict: CardVerdict) -> bool:
    return card is not None and card.verdict == verdict


def _as_confirmed(text: str, card: Card) -> str:
    """Returns the sentence as the doubt asks about it: unedited where the side of the text weighs more."""
    return text[card.start : card.end] if card.side == "for" else edited(text, card)


def _confirms(answer: RawCard | None, card: Card, block: Planted) -> bool:
    """Does the answer to a doubt agree, with a quote? A `no` confirms a `no` that has no edit."""
    wanted: CardVerdict = "no" if card.verdict == "no" and not card.edits else "yes"
    return _says(answer, wanted) and answer is not None and any(it in block.lines for it in answer.quotes)


def _is_file_name(passage: Evidence) -> bool:
    name = passage.source.replace("\\", "/").rpartition("/")[2].casefold()
    return passage.title.casefold() in (name, name.rpartition(".")[0])


def _outcomes(read: ReadBlock, sources: Mapping[str, str]) -> Outcomes:
    """Counts the controls of a block for the record; `sources` has the document of each evidence."""
    controls = read.planted.controls
    borrowed = [number for number in controls if controls[number].borrowed]
    return Outcomes(
        planted=len(controls),
        missed=len(read.missed),
        borrowed=len(borrowed),
        borrowed_missed=sum(number in read.missed for number in borrowed),
        source=min((sources[control.origin.evidence_id] for control in controls.values()), default=""),
    )
