"""Decides whether passages support a claim: reads it as cards beside them, or asks a named judge.

A card gives a sentence the status that `revise` would give it beside the same passages. Nothing is edited.
The labels are those of AttrScore (Yue et al. 2023, section 2).
"""

import asyncio
from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from rarr.agent.evidence import Sources, given_passages, passages_about, readable_evidence
from rarr.agent.inputs import optional_text, required_text
from rarr.agent.runs import budget_of, settings_of, synchronous, usage_of, using
from rarr.agent.statements import read_statements
from rarr.agent.wiring.components import wire
from rarr.backends.embedded.items import items_of
from rarr.components import Components, close_all
from rarr.errors import RetrievalError
from rarr.ledger.card_report import card_sentences
from rarr.ledger.scores import best_support
from rarr.ledger.sentence_support import classify_sentences, evidence_support
from rarr.nodes.rerank import suspicious_notices
from rarr.records import AttributionClass, Evidence, Notice, Passage, Query, Sentence, Status
from rarr.records.card import Card, Place, Quote
from rarr.records.verification import DecidingSentence, Verification
from rarr.retrievers.given_passages import Given
from rarr.settings import EMBEDDED, Settings
from rarr.state import State, failure
from rarr.tools.concurrency import Closable, in_thread, work
from rarr.tools.models.chat import name_of
from rarr.tools.models.run_budget import Meter, meter
from rarr.tools.text.blocks_and_sentences import Span, sentences

if TYPE_CHECKING:
    from rarr.agent.revise import Reviser

TOGETHER = 12
"""The most claims of a request, all about the same passages."""
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
_BEST_FIRST: tuple[AttributionClass | None, ...] = ("attributable", None, "contradictory")
_STATUS: Mapping[AttributionClass | None, Status] = {
    "attributable": "supported",
    "contradictory": "contradicted",
    "extrapolatory": "unconfirmed",
    None: "unjudged",
}
_ENDS = (".", "!", "?", "。", "！", "？")
_CLOSING = "\"'”’»)]*_ "


class ClaimVerifier(Closable):
    """Builds models once; verifies any number of claims, also at the same time. It searches nothing."""

    def __init__(
        self, settings: Settings | None = None, *, components: Components | None = None, **values: Any
    ) -> None:
        """Give `settings`, or the fields of `Settings` as `values`, or `components`.

        The model of the settings reads the passages; without a model, the embedded reader compares them with
        near quotations. A judge that `models` names for the node `attribute`, such as `nli:NAME`, is asked
        instead. Raises `RarrError` where something is missing.
        """
        chosen = settings_of(settings, components, values)
        self._components = components or wire(_for_claims(chosen))
        reader, used = self._components.card_reader, self._components.settings
        named = used.models.get("attribute")
        self._by_name = reader is None or (named is not None and named not in EMBEDDED)
        self.reader = name_of(named or "") if self._by_name else reader.name if reader else ""
        """The name of the model or judge that decides."""
        self.reads_together = bool(not self._by_name and reader and reader.is_model)

    async def averify(self, claim: str, sources: Sources, context: str | None = None) -> Verification:
        """Decides whether `sources` support `claim`, which may answer a question, the `context`.

        `sources` is a passage or a list of passages, as in `rarr.revise`. Without a passage the claim is
        extrapolatory. Of passages with more than 12,000 characters together, the parts that are nearest to
        the sentences of the claim are read.

        Raises `InputError` for an empty claim or passage. All later failures become warnings; a claim that
        could not be judged has no label.
        """
        claim, context = required_text(claim, "claim"), optional_text(context, "context")
        return (await self.averify_together([claim], given_passages(sources), context))[0]

    verify = synchronous(averify)

    async def averify_by_search(
        self, reviser: "Reviser", claim: str, context: str | None = None, given: Sequence[Given] = ()
    ) -> Verification:
        """Decides whether the reviser's sources support `claim`: five passages for each sentence of it.

        The `given` passages of a caller come first. Raises `InputError` for an empty claim or passage, and
        `RetrievalError` if the sources cannot be searched.
        """
        claim, context = required_text(claim, "claim"), optional_text(context, "context")
        first = given_passages(list(given))
        found = await passages_about(reviser, claim, context)
        return (await self.averify_together([claim], [*first, *found], context))[0]

    async def averify_together(
        self, claims: Sequence[str], passages: Sequence[Passage], context: str | None
    ) -> list[Verification]:
        """Verifies claims by the same passages in one request, with one set of planted controls.

        The first verification has the usage of all.
        """
        settings, text = self._components.settings, "\n".join([context or "", *claims])
        with using(Meter(budget_of(settings), text=text)) as spent:
            evidence = await work(_evidence_for, claims, context, passages, settings)
            made = await self._verified(claims, context, evidence)
        controls = [each.usage.controls for each in made]
        usage = {"usage": usage_of(spent, controls)}
        told = [{"warnings": tuple(dict.fromkeys([*each.warnings, *spent.warnings]))} for each in made]
        made = [each.model_copy(update=it) for each, it in zip(made, told, strict=True)]
        return [made[0].model_copy(update=usage), *made[1:]]

    async def aclose(self) -> None:
        """Closes files, and the connections that this event loop opened. The next use opens them again."""
        await close_all((*self._components.models, *self._components.opened))

    async def _verified(
        self, claims: Sequence[str], context: str | None, evidence: Sequence[Evidence]
    ) -> list[Verification]:
        """Decides about each claim. Suspicious passages are not read; failures become warnings."""
        empty = [Verification(claim=it, question=context, evidence=tuple(evidence)) for it in claims]
        passages = [passage for passage in evidence if not passage.suspicious]
        notices = suspicious_notices(evidence, [])
        if evidence and not passages:
            unjudged = [
                [_sentence(it.claim, span, "unjudged") for span in sentences(it.claim)] for it in empty
            ]
            nothing = [[None] * len(found) for found in unjudged]
            return [_made(*each, notices) for each in zip(empty, unjudged, nothing, strict=True)]
        if self._by_name:
            with meter().step("attribute"):
                judged = (_judged(it, passages, notices, self._components) for it in empty)
                return await asyncio.gather(*judged)
        return await self._read(empty, context, passages, notices)

    async def _read(
        self,
        empty: Sequence[Verification],
        context: str | None,
        passages: Sequence[Evidence],
        notices: Sequence[Notice],
    ) -> list[Verification]:
        """Has a card filled for each sentence of the claims, which stand below one another in one text."""
        claims = [it.claim for it in empty]
        with meter().step("check_agreement"):
            read = await read_statements(claims, _BETWEEN, context, passages, self._components)
        made = []
        for it, cards in zip(empty, read.cards, strict=True):
            if context and not self.reads_together:
                cards = [_only_statements(card, it.claim) for card in cards]
            found = await work(_sentences, it, cards, passages)
            labels = [_label(sentence, card) for sentence, card in zip(found, cards, strict=True)]
            told = [*notices, *read.notices]
            verification = _with_quote(_made(it, found, labels, told), passages)
            if verification.label == "extrapolatory" and passages and not self.reads_together:
                warnings = (*verification.warnings, READS_MORE)
                verification = verification.model_copy(update={"warnings": warnings})
            made.append(verification)
        counted = made[0].usage.model_copy(update={"controls": read.controls})
        return [made[0].model_copy(update={"usage": counted}), *made[1:]]


async def averify(claim: str, sources: Sources, context: str | None = None, **settings: Any) -> Verification:
    """Decides whether sources support a claim, as `ClaimVerifier.averify` does.

    `settings` are the fields of `Settings`, such as `model="openai:gpt-5-mini"`.
    """
    required_text(claim, "claim")
    async with await in_thread(lambda: ClaimVerifier(**settings)) as verifier:
        return await verifier.averify(claim, sources, context)


verify = synchronous(averify)


def alike(keys: Sequence[Hashable], most: int) -> list[list[int]]:
    """Groups the places of equal keys, at most `most` in a group, in the order of their first places."""
    places: dict[Hashable, list[int]] = {}
    for number, key in enumerate(keys):
        places.setdefault(key, []).append(number)
    return sorted(each[at : at + most] for each in places.values() for at in range(0, len(each), most))


def _for_claims(settings: Settings) -> Settings:
    """Returns the settings with which claims are read: nothing is searched, and sentences are read as cards.

    A judge with the name `embedded` is the embedded reader, whatever the model is.
    """
    update: dict[str, Any] = {"search": _NoSource(), "preset": "default"}
    if settings.models.get("attribute") in EMBEDDED:
        update |= {"model": "embedded", "models": {}}
    return settings.model_copy(update=update)


class _NoSource:
    """Stands in the place of a retriever, since a verification searches nothing."""

    offline = True  # can be used with the setting `offline`

    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        raise RetrievalError("a verification searches nothing")


def _evidence_for(
    claims: Sequence[str], context: str | None, passages: Sequence[Passage], settings: Settings
) -> list[Evidence]:
    spans = [(claim, span) for claim in claims for span in sentences(claim) or [Span(0, len(claim))]]
    asked = [f"{context or ''} {span.of(claim)}".strip() for claim, span in spans]
    return readable_evidence(asked, passages, settings)


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


def _sentences(empty: Verification, cards: Sequence[Card], passages: Sequence[Evidence]) -> list[Sentence]:
    """Gives each sentence the status that its card has in a report of `revise`.

    A sentence that has no readable card, or whose reader is unreliable, is `unjudged`.
    """
    claim, ids = empty.claim, [passage.id for passage in passages]
    queries = [
        Query(id=f"q{number}", text=claim[card.start : card.end], start=card.start, end=card.end)
        for number, card in enumerate(cards, start=1)
    ]
    state = State(original=claim, text=claim, context=empty.question, cards=list(cards), queries=queries)
    state["evidence"], state["kept"] = list(passages), {query.id: ids for query in queries}
    unread = {"status": "unjudged", "parts": ()}
    return [
        sentence.model_copy(update=unread) if card.unreliable else sentence
        for card, sentence in zip(cards, card_sentences(state), strict=True)
    ]


def _label(sentence: Sentence, card: Card) -> AttributionClass | None:
    if sentence.status == "unjudged":
        return None
    if sentence.status == "supported":
        return "attributable"
    differs = card.verdict == "no" or card.side == "against"
    return "contradictory" if sentence.status == "contradicted" and differs else "extrapolatory"


class _ByPassage(NamedTuple):
    """The support and class of each sentence of a claim by one passage, and why the judge failed."""

    supports: Sequence[float | None]
    classes: Sequence[AttributionClass | None]
    failure: Notice | None = None


async def _judged(
    empty: Verification, passages: Sequence[Evidence], notices: Sequence[Notice], components: Components
) -> Verification:
    """Asks the judge about each sentence by each passage: one passage that supports it is enough."""
    claim = empty.claim
    spans = await work(sentences, claim) or (Span(0, len(claim)),)
    judged = await asyncio.gather(*(_by_passage(empty, spans, passage, components) for passage in passages))
    found, labels = list[Sentence](), list[AttributionClass | None]()
    for number, span in enumerate(spans):
        classes = [it.classes[number] for it in judged]
        # None if a passage that was not judged could decide.
        label: AttributionClass | None = "extrapolatory"
        label = next((kind for kind in _BEST_FIRST if kind in classes), label)
        ids = [it.id for it, kind in zip(passages, classes, strict=True) if label and kind == label]
        support = best_support([it.supports[number] for it in judged]) if passages else 0.0
        status = _STATUS[label] if passages else "no_evidence"
        found.append(_sentence(claim, span, status, support=support, evidence_ids=tuple(ids)))
        labels.append(label)
    made = _made(empty, found, labels, [*notices, *(it.failure for it in judged if it.failure)])
    least = [sentence.support for sentence in found]
    known = [support for support in least if support is not None]
    return made.model_copy(update={"probability": min(known) if len(known) == len(least) else None})


async def _by_passage(
    empty: Verification, spans: Sequence[Span], passage: Evidence, components: Components
) -> _ByPassage:
    """Judges all sentences by one passage: support first, then the class.

    A language model that answered for the support is not asked again for the class.
    """
    nothing: Sequence[None] = [None] * len(spans)
    claim, context, judge = empty.claim, empty.question, components.verifier
    supports, failed = await evidence_support(
        "attribute", claim, context, spans, passage, components, meter().grace
    )
    if failed is not None:
        return _ByPassage(supports, nothing, failed)
    try:
        classes = await classify_sentences(
            judge, claim, context, spans, passage, threshold=components.settings.support_threshold
        )
    except Exception as error:
        problem = f"the class by {passage.id} could not be judged"
        failed = failure("attribute", problem, error, code="verification_failed")
        return _ByPassage(supports, nothing, failed)
    return _ByPassage(supports, classes)


def _sentence(claim: str, span: Span, status: Status, **fields: Any) -> Sentence:
    return Sentence(text=span.of(claim), start=span.start, end=span.end, status=status, **fields)


def _made(
    empty: Verification,
    found: Sequence[Sentence],
    labels: Sequence[AttributionClass | None],
    notices: Sequence[Notice],
) -> Verification:
    """Gives the claim the label of its worst sentence; sentences that state nothing do not count."""
    stated = [label for label, sentence in zip(labels, found, strict=True) if sentence.checkable]
    told = list(notices) if stated else [*notices, _NOTHING_TO_CHECK]
    label = next((label for label in _WORST_FIRST if label in stated), None)
    return empty.model_copy(update={"label": label, "sentences": tuple(found), "warnings": tuple(told)})


def _with_quote(made: Verification, passages: Sequence[Evidence]) -> Verification:
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
