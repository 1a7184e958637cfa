"""Verifies claims beside the evidence that the caller gives: reads them as cards, or asks a named judge.

A card gives a sentence the status that `revise` would give it beside the same passages. Nothing is searched
and nothing is edited. The labels are those of AttrScore (Yue et al. 2023, section 2).
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rarr.backends.embedded.items import items_of
from rarr.components import CardReader, Components
from rarr.ledger.card_reading import Kept, read_cards
from rarr.ledger.card_report import card_sentences
from rarr.ledger.scores import best_support
from rarr.ledger.sentence_support import classify_sentences, evidence_support
from rarr.nodes.rerank import suspicious_notices
from rarr.records import AttributionClass, Evidence, Notice, Query, Sentence, Status
from rarr.records.card import Card, Place, Quote
from rarr.records.usage import Controls
from rarr.records.verification import DecidingSentence, Verification
from rarr.settings import EMBEDDED, Settings
from rarr.state import State, failure
from rarr.tools.concurrency import work
from rarr.tools.models.run_budget import meter
from rarr.tools.text.blocks_and_sentences import Span, sentences
from rarr.tools.trace_spans import about

READS_MORE = Notice(
    code="near_quotations_only",
    message="the embedded reader decides only what nearly repeats a passage: a language model reads more, as"
    " with model openai:gpt-5-mini",
    node="check_agreement",
)
_NOTHING_TO_CHECK = Notice(
    code="nothing_to_check",
    message="the claim states nothing that a passage could support: write a whole sentence",
    node="check_agreement",
)
_BETWEEN = "\n\n---\n\n"
_WORST_FIRST: tuple[AttributionClass | None, ...] = ("contradictory", "extrapolatory", None, "attributable")
_STATUS: Mapping[AttributionClass | None, Status] = {
    "attributable": "supported",
    "contradictory": "contradicted",
    "extrapolatory": "unconfirmed",
    None: "unjudged",
}
_ENDS = (".", "!", "?", "。", "！", "？")
_CLOSING = "\"'”’»)]*_ "


class LabelledSentence(NamedTuple):
    """A sentence of a claim with its label; None: it could not be judged, or states nothing."""

    sentence: Sentence
    label: AttributionClass | None


def is_judged_by_name(settings: Settings) -> bool:
    """Does a judge that the settings name decide, such as `nli:NAME`? Otherwise cards do."""
    named = settings.models.get("attribute")
    return named is not None and named not in EMBEDDED


async def verified(
    claims: Sequence[str], question: str | None, evidence: Sequence[Evidence], components: Components
) -> list[Verification]:
    """Decides by `evidence` whether each claim is attributable to it; the claims share the requests.

    Suspicious passages are not read. Failures become warnings. The results lack the usage, which the caller
    reads from the meter of the run.
    """
    empty = [Verification(claim=it, question=question, evidence=tuple(evidence)) for it in claims]
    passages = [passage for passage in evidence if not passage.suspicious]
    notices = suspicious_notices(evidence, [])
    if evidence and not passages:
        return [
            _made(it, [_unjudged(it.claim, span) for span in sentences(it.claim)], notices) for it in empty
        ]
    reader = components.card_reader
    if reader is None or is_judged_by_name(components.settings):
        with meter().step("attribute"):
            return await asyncio.gather(*(_judged(it, passages, notices, components) for it in empty))
    return await _read(empty, question, passages, notices, components, reader)


async def _read(
    empty: Sequence[Verification],
    question: str | None,
    passages: Sequence[Evidence],
    notices: Sequence[Notice],
    components: Components,
    reader: CardReader,
) -> list[Verification]:
    """Has a card filled for each sentence of the claims, which stand below one another in one text."""
    claims = [it.claim for it in empty]
    starts = [len(_BETWEEN.join([*claims[:number], ""])) for number in range(len(claims))]
    spans = await work(lambda: [sentences(claim) for claim in claims])
    places = [span.moved(at) for at, own in zip(starts, spans, strict=True) for span in own]
    text, ids = _BETWEEN.join(claims), [passage.id for passage in passages]
    state = State(original=text, text=text, context=question, evidence=list(passages))
    with meter().step("check_agreement"):
        read = await read_cards(state, places, Kept(passages, dict.fromkeys(places, ids)), components)
    cards = iter(read.cards)
    made = []
    for it, at, own in zip(empty, starts, spans, strict=True):
        moved = [_moved(next(cards), -at) for _ in own]
        if question and not reader.is_model:
            moved = [_only_statements(card, it.claim) for card in moved]
        labelled = await work(_labelled, it, moved, passages)
        made.append(_with_quotes(_made(it, labelled, [*notices, *read.notices]), passages))
        if made[-1].label == "extrapolatory" and passages and not reader.is_model:
            made[-1] = made[-1].model_copy(update={"warnings": (*made[-1].warnings, READS_MORE)})
    usage = made[0].usage.model_copy(update={"controls": sum(read.controls, start=Controls())})
    return [made[0].model_copy(update={"usage": usage}), *made[1:]]


def _moved(card: Card, by: int) -> Card:
    def place(it: Place) -> dict[str, int]:
        return {"start": it.start + by, "end": it.end + by}

    opened = tuple(it.model_copy(update=place(it)) for it in card.open)
    edits = tuple(it.model_copy(update=place(it)) for it in card.edits)
    return card.model_copy(update={"open": opened, "edits": edits, **place(card)})


def _only_statements(card: Card, claim: str) -> Card:
    """Opens a card unless claim and quotes are whole sentences that are the same from the first word on.

    What a short answer states depends on the question, which the embedded reader cannot read.
    """
    sentence = claim[card.start : card.end]
    items = items_of(sentence)
    lines = [sentence, *(quote.text for quote in card.quotes)]
    others = [items_of(line) for line in lines]
    is_statement = (
        any(not (item.value or item.is_name) for item in items[1:])
        and all(it.rstrip(_CLOSING).endswith(_ENDS) for it in lines)
        and all(it and it[0].stem == items[0].stem and 3 * len(items) >= 2 * len(it) for it in others)
    )
    if is_statement or card.verdict in (None, "none", "open"):
        return card
    place = (Place(start=card.start, end=card.end),)
    return card.model_copy(update={"verdict": "open", "open": place, "edits": (), "side": None})


def _labelled(
    empty: Verification, cards: Sequence[Card], passages: Sequence[Evidence]
) -> list[LabelledSentence]:
    """Gives each sentence the status that its card has in a report of `revise`, and a label.

    A sentence that has no readable card, or whose reader is unreliable, is `unjudged`.
    """
    claim, ids = empty.claim, [passage.id for passage in passages]
    queries = [
        Query(id=f"q{number}", text=claim[card.start : card.end], start=card.start, end=card.end)
        for number, card in enumerate(cards, start=1)
    ]
    state = State(original=claim, text=claim, context=empty.question, cards=list(cards), queries=queries)
    state["evidence"], state["kept"] = list(passages), {query.id: ids for query in queries}
    labelled = []
    for card, sentence in zip(cards, card_sentences(state), strict=True):
        if card.unreliable:
            sentence = sentence.model_copy(update={"status": "unjudged", "parts": ()})
        labelled.append(LabelledSentence(sentence, _label(sentence, card)))
    return labelled


def _label(sentence: Sentence, card: Card) -> AttributionClass | None:
    if sentence.status == "unjudged":
        return None
    if sentence.status == "supported":
        return "attributable"
    differs = card.verdict == "no" or card.side == "against"
    return "contradictory" if sentence.status == "contradicted" and differs else "extrapolatory"


async def _judged(
    empty: Verification, passages: Sequence[Evidence], notices: Sequence[Notice], components: Components
) -> Verification:
    """Asks the judge about each sentence by each passage: one passage that supports it is enough."""
    claim = empty.claim
    spans = await work(sentences, claim) or (Span(0, len(claim)),)
    judged = await asyncio.gather(*(_by_passage(empty, spans, passage, components) for passage in passages))
    labelled = []
    for number, span in enumerate(spans):
        classes = {it.passage.id: it.classes[number] for it in judged}
        supports = [it.supports[number] for it in judged]
        label = _class_by_all(list(classes.values()))
        sentence = Sentence(
            text=span.of(claim),
            start=span.start,
            end=span.end,
            status=_STATUS[label] if passages else "no_evidence",
            support=best_support(supports) if passages else 0.0,
            evidence_ids=tuple(name for name, kind in classes.items() if label and kind == label),
        )
        labelled.append(LabelledSentence(sentence, label))
    failures = [it.failure for it in judged if it.failure]
    made = _made(empty, labelled, [*notices, *failures])
    least = [sentence.support for sentence in made.sentences]
    known = [support for support in least if support is not None]
    return made.model_copy(update={"probability": min(known) if len(known) == len(least) else None})


class _PassageJudgement(NamedTuple):
    """The support and class of each sentence of the claim by one passage, and why the judge failed."""

    passage: Evidence
    supports: Sequence[float | None]
    classes: Sequence[AttributionClass | None]
    failure: Notice | None


async def _by_passage(
    empty: Verification, spans: Sequence[Span], passage: Evidence, components: Components
) -> _PassageJudgement:
    """Judges all sentences by one passage: support first, then the class.

    A language model that answered for the support is not asked again for the class.
    """
    claim, question, nothing = empty.claim, empty.question, [None] * len(spans)
    supports, failed = await evidence_support(
        "attribute", claim, question, spans, passage, components, meter().grace
    )
    if failed is not None:
        return _PassageJudgement(passage, supports, nothing, failed)
    threshold = components.settings.support_threshold
    try:
        with about(passage.id):
            classes = await classify_sentences(
                components.verifier, claim, question, spans, passage, threshold=threshold
            )
    except Exception as error:
        problem = f"the class by {passage.id} could not be judged"
        failed = failure("attribute", problem, error, code="verification_failed")
        return _PassageJudgement(passage, supports, nothing, failed)
    return _PassageJudgement(passage, supports, classes, None)


def _class_by_all(classes: Sequence[AttributionClass | None]) -> AttributionClass | None:
    """Joins the classes by each passage; None if a passage that was not judged could decide."""
    order: tuple[AttributionClass | None, ...] = ("attributable", None, "contradictory")
    return next((kind for kind in order if kind in classes), "extrapolatory")


def _unjudged(claim: str, span: Span) -> LabelledSentence:
    sentence = Sentence(text=span.of(claim), start=span.start, end=span.end, status="unjudged")
    return LabelledSentence(sentence, None)


def _made(
    empty: Verification, labelled: Sequence[LabelledSentence], notices: Sequence[Notice]
) -> Verification:
    """Gives the claim the label of its worst sentence; sentences that state nothing do not count."""
    labels = [it.label for it in labelled if it.sentence.checkable]
    told = list(notices) if labels else [*notices, _NOTHING_TO_CHECK]
    return empty.model_copy(
        update={
            "label": next((label for label in _WORST_FIRST if label in labels), None),
            "sentences": tuple(it.sentence for it in labelled),
            "warnings": tuple(told),
        }
    )


def _with_quotes(made: Verification, passages: Sequence[Evidence]) -> Verification:
    """Names the quoted sentence that decides: of the first sentence whose status gives the label."""
    if made.label is None:
        return made
    deciding = [it for it in made.sentences if it.status == _STATUS[made.label]] or made.sentences
    by_id = {passage.id: passage for passage in passages}
    for quote in (quote for sentence in deciding for quote in _best_quotes(sentence)):
        at = by_id[quote.evidence_id]
        if at.start <= quote.start:
            place = {"start": quote.start - at.start, "end": quote.end - at.start}
            decided = DecidingSentence(evidence_id=at.id, text=quote.text, **place)
            return made.model_copy(update={"decided_by": decided})
    return made


def _best_quotes(sentence: Sentence) -> list[Quote]:
    """Orders the quotes: first those of the side that decides, and of these the line with the words."""
    side = "against" if sentence.status == "contradicted" else "for"
    says = [part.says for part in sentence.parts if part.says]
    return sorted(
        sentence.quotes, key=lambda it: (it.side != side, not any(words in it.text for words in says))
    )
