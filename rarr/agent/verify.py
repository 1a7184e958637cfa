"""Decides whether passages support a claim: reads its sentences as cards beside them.

A card gives a sentence the status that `revise` would give it beside the same passages. Nothing is edited.
The labels are those of AttrScore (Yue et al. 2023, section 2).
"""

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

from rarr.agent.evidence import Sources, given_passages, readable_evidence
from rarr.agent.inputs import optional_text, required_text
from rarr.agent.runs import budget_of, settings_of, synchronous, usage_of, using
from rarr.agent.statements import read_statements
from rarr.agent.wiring.components import wire
from rarr.backends.embedded.items import items_of
from rarr.components import Components, close_all
from rarr.errors import InputError
from rarr.ledger.card_report import card_sentences
from rarr.nodes.rerank import suspicious_notices
from rarr.records import AttributionClass, Evidence, Notice, Passage, Query, Sentence
from rarr.records.card import Card, Place, Quote
from rarr.records.verification import Verification
from rarr.retrievers.given_passages import Given, GivenPassages
from rarr.settings import Settings
from rarr.state import State
from rarr.tools.concurrency import Closable, in_thread, work
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
_ENDS = (".", "!", "?", "。", "！", "？")
_CLOSING = "\"'”’»)]*_ "


class ClaimVerifier(Closable):
    """Builds models once; verifies any number of claims, also at the same time. It searches nothing."""

    def __init__(
        self, settings: Settings | None = None, *, components: Components | None = None, **values: Any
    ) -> None:
        """Give `settings`, or the fields of `Settings` as `values`, or `components`.

        The model of the settings reads the passages; without a model, the embedded reader compares them with
        near quotations. Raises `RarrError` where something is missing, and `InputError` for components
        without a reader of cards.
        """
        chosen = settings_of(settings, components, values)
        unsearched = {"search": GivenPassages((), window=4, step=1), "preset": "default"}
        self._components = components or wire(chosen.model_copy(update=unsearched))
        if (reader := self._components.card_reader) is None:
            raise InputError("claims are read as cards, and the preset paper has none: leave it out")
        self.reader = reader.name
        """The name of the reader that decides."""
        self.reads_together = reader.is_model
        """Does one request read several claims?"""

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

    async def averify_together(
        self, claims: Sequence[str], passages: Sequence[Passage], context: str | None
    ) -> list[Verification]:
        """Verifies claims by the same passages in one request, with one set of planted controls.

        The first verification has the usage of all. A passage that seems to speak to a model is not read.
        """
        settings, text = self._components.settings, "\n".join([context or "", *claims])
        with using(Meter(budget_of(settings), text=text)) as spent:
            evidence = await work(_evidence_for, claims, context, passages, settings)
            empty = [Verification(claim=it, question=context, evidence=tuple(evidence)) for it in claims]
            if evidence and all(passage.suspicious for passage in evidence):
                made = [_unjudged(it) for it in empty]
            else:
                made = await self._judged(empty, [it for it in evidence if not it.suspicious])
        unread = suspicious_notices(evidence, [])
        told = [dict.fromkeys([*unread, *it.warnings, *spent.warnings]) for it in made]
        made = [it.model_copy(update={"warnings": tuple(each)}) for it, each in zip(made, told, strict=True)]
        usage = {"usage": usage_of(spent, [each.usage.controls for each in made])}
        return [made[0].model_copy(update=usage), *made[1:]]

    async def aclose(self) -> None:
        """Closes files, and the connections that this event loop opened. The next use opens them again."""
        await close_all((*self._components.models, *self._components.opened))

    async def _judged(
        self, empty: Sequence[Verification], passages: Sequence[Evidence]
    ) -> list[Verification]:
        """Has a card filled for each sentence of the claims, which stand below one another in one text."""
        claims, context = [it.claim for it in empty], empty[0].question
        with meter().step("check_agreement"):
            read = await read_statements(claims, _BETWEEN, context, passages, self._components)
        made = []
        for it, cards in zip(empty, read.cards, strict=True):
            if context and not self.reads_together:
                cards = [_only_statements(card, it.claim) for card in cards]
            found = await work(_sentences, it, cards, passages)
            labels = [_label(sentence) for sentence in found]
            verification = labelled(it, found, labels, read.notices)
            if verification.label == "extrapolatory" and passages and not self.reads_together:
                verification = verification.model_copy(
                    update={"warnings": (*verification.warnings, READS_MORE)}
                )
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


async def averify_by_search(
    reviser: "Reviser", claim: str, context: str | None = None, given: Sequence[Given] = ()
) -> Verification:
    """Decides whether the reviser's sources, and the `given` ones, support `claim`.

    It is researched as `revise` does, and nothing is edited. Raises `InputError` as `revise` does; all later
    failures become warnings.
    """
    researcher, claim = reviser.unedited(), required_text(claim, "claim")
    revision = await researcher.arevise(claim, context, sources=list(given) or None)
    found = revision.report.sentences
    is_reliable = all(notice.code != "reader_unreliable" for notice in revision.warnings)
    labels = [_label(sentence) if is_reliable else None for sentence in found]
    empty = Verification(
        claim=revision.original, question=context, evidence=revision.evidence, usage=revision.usage
    )
    return labelled(empty, found, labels, revision.warnings)


def alike(keys: Sequence[Hashable], most: int) -> list[list[int]]:
    """Groups the places of equal keys, at most `most` in a group, in the order of their first places."""
    places: dict[Hashable, list[int]] = {}
    for number, key in enumerate(keys):
        places.setdefault(key, []).append(number)
    return sorted(each[at : at + most] for each in places.values() for at in range(0, len(each), most))


def labelled(
    empty: Verification,
    found: Sequence[Sentence],
    labels: Sequence[AttributionClass | None],
    notices: Sequence[Notice],
) -> Verification:
    """Gives the claim the label of its worst sentence; sentences that state nothing do not count."""
    stated = [label for label, sentence in zip(labels, found, strict=True) if sentence.checkable]
    label = next((label for label in _WORST_FIRST if label in stated), None)
    deciding = [it for it, own in zip(found, labels, strict=True) if label and own == label]
    update = {
        "label": label,
        "sentences": tuple(found),
        "decided_by": next((quote for it in deciding for quote in _best_quotes(it)), None),
        "warnings": tuple(notices) if stated else (*notices, _NOTHING_TO_CHECK),
    }
    return empty.model_copy(update=update)


def _best_quotes(sentence: Sentence) -> list[Quote]:
    """Orders the quotes: first those of the side that decides, and of these the line with the words."""
    side = "against" if sentence.status == "contradicted" else "for"
    says = [part.says for part in sentence.parts if part.says]
    return sorted(
        sentence.quotes, key=lambda it: (it.side != side, not any(words in it.text for words in says))
    )


def _evidence_for(
    claims: Sequence[str], context: str | None, passages: Sequence[Passage], settings: Settings
) -> list[Evidence]:
    spans = [(claim, span) for claim in claims for span in sentences(claim) or [Span(0, len(claim))]]
    asked = [f"{context or ''} {span.of(claim)}".strip() for claim, span in spans]
    return readable_evidence(asked, passages, settings)


def _unjudged(empty: Verification) -> Verification:
    """Leaves all sentences unjudged, since no passage may be read."""
    found = [
        Sentence(text=span.of(empty.claim), start=span.start, end=span.end, status="unjudged")
        for span in sentences(empty.claim)
    ]
    return labelled(empty, found, [None] * len(found), ())


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


def _label(sentence: Sentence) -> AttributionClass | None:
    """Returns the class of a sentence. Sources that disagree with one another do not tell."""
    if sentence.status in ("unjudged", "retrieval_failed"):
        return None
    if sentence.status == "supported":
        return "attributable"
    is_against = all(quote.side == "against" for quote in sentence.quotes)
    return "contradictory" if sentence.status == "contradicted" and is_against else "extrapolatory"
