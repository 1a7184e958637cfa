"""Decides whether passages support a claim: reads its sentences as cards beside them, or asks a judge.

A card gives a sentence the status that `revise` would give it beside the same passages. Nothing is edited.
The labels are those of AttrScore (Yue et al. 2023, section 2).
"""

import asyncio
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from rarr.agent.inputs import optional_text, required_text
from rarr.agent.runs import budget_of, settings_of, synchronous, usage_of, using
from rarr.agent.statements import evidence_of, read_statements, windows_of
from rarr.agent.wiring.components import wire
from rarr.backends.embedded.items import items_of
from rarr.backends.nli.loading import attribution_class
from rarr.components import Classifier, Components, close_all
from rarr.errors import InputError
from rarr.ledger.card_report import card_sentences
from rarr.ledger.excerpts import merged
from rarr.nodes.rerank import suspicious_notices
from rarr.records import UNNAMED, AttributionClass, Evidence, Notice, Passage, Query, Sentence, Status, Usage
from rarr.records.card import Card, Place
from rarr.records.usage import Controls
from rarr.records.verification import Verification
from rarr.retrievers.given_passages import SHOWN_CHARACTERS, Given, GivenPassages, given_passage
from rarr.retrievers.rerank.overlap import nearest
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
_ENDS = (".", "!", "?", "。", "！", "？")
_CLOSING = "\"'”’»)]*_ "
_STATUS: dict[AttributionClass | None, Status] = {
    "attributable": "supported",
    "contradictory": "contradicted",
    "extrapolatory": "unconfirmed",
    None: "unjudged",
}

Sources: TypeAlias = "Given | Sequence[Given]"
"""The passages for one claim: one, or a list of them."""


class Judged(NamedTuple):
    """The sentences of a claim with their labels, and what went wrong."""

    sentences: Sequence[Sentence]
    labels: Sequence[AttributionClass | None]
    notices: Sequence[Notice] = ()
    probability: float | None = None

    @property
    def label(self) -> AttributionClass | None:
        """The label of the worst sentence; sentences that state nothing do not count."""
        stated = [it for it, sentence in zip(self.labels, self.sentences, strict=True) if sentence.checkable]
        return next((label for label in _WORST_FIRST if label in stated), None)


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
            evidence = await work(_readable_evidence, claims, context, passages, settings)
            usable, controls = [it for it in evidence if not it.suspicious], Controls()
            if evidence and not usable:
                judged = [await work(_unjudged, claim) for claim in claims]
            else:
                judged, controls = await self._judged(claims, context, usable)
        unread, usage = suspicious_notices(evidence, []), usage_of(spent, [controls])
        return [
            _verification(
                it._replace(notices=[*unread, *it.notices, *spent.warnings]),
                claim=claim,
                question=context,
                evidence=tuple(evidence),
                usage=Usage() if number else usage,
            )
            for number, (claim, it) in enumerate(zip(claims, judged, strict=True))
        ]

    async def aclose(self) -> None:
        """Closes files, and the connections that this event loop opened. The next use opens them again."""
        await close_all((*self._components.models, *self._components.opened))

    async def _judged(
        self, claims: Sequence[str], context: str | None, passages: Sequence[Evidence]
    ) -> tuple[list[Judged], Controls]:
        """Has a card filled for each sentence of the claims, which stand below one another in one text."""
        with meter().step("check_agreement"):
            read = await read_statements(claims, _BETWEEN, context, passages, self._components)
        made = []
        for claim, cards in zip(claims, read.cards, strict=True):
            if context and not self.reads_together:
                cards = [_only_statements(card, claim) for card in cards]
            found = await work(_sentences, claim, context, cards, passages)
            judged = Judged(found, [_label(sentence) for sentence in found], read.notices)
            if judged.label == "extrapolatory" and passages and not self.reads_together:
                judged = judged._replace(notices=[*read.notices, READS_MORE])
            made.append(judged)
        return made, read.controls


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
    facts = {"claim": revision.original, "evidence": revision.evidence, "usage": revision.usage}
    return _verification(Judged(found, labels, revision.warnings), question=context, **facts)


class NamedJudge(ClaimVerifier):
    """Asks the verifier of the settings, such as `nli:NAME` or a language model, about every claim.

    The passages are joined to one premise, as in the papers. The judge quotes nothing, and no planted errors
    examine it.
    """

    def __init__(self, settings: Settings | None = None, *, components: Components | None = None) -> None:
        super().__init__(settings, components=components)
        self.reader = name_of(self._components.settings.models.get("attribute", ""))
        self.reads_together = False

    async def _judged(
        self, claims: Sequence[str], context: str | None, passages: Sequence[Evidence]
    ) -> tuple[list[Judged], Controls]:
        with meter().step("attribute"):
            asked = (self._of_claim(claim, context, passages) for claim in claims)
            return await asyncio.gather(*asked), Controls()

    async def _of_claim(self, claim: str, context: str | None, passages: Sequence[Evidence]) -> Judged:
        """Asks about each sentence of the claim: first for its support, then for its class.

        A language model that answered for the support is not asked again for the class.
        """
        judge, threshold = self._components.verifier, self._components.settings.support_threshold
        spans, notices = await work(_spans, claim), list[Notice]()
        supports: Sequence[float | None] = [0.0] * len(spans)
        classes: Sequence[AttributionClass | None] = ["extrapolatory"] * len(spans)
        if passages:
            texts = [f"{it.title}\n{it.text}".strip() for it in passages]
            joined = passages[0].model_copy(update={"title": "", "text": "\n\n".join(texts)})
            asked = (claim, context, spans, joined if passages[1:] else passages[0])
            try:
                async with meter().in_time(meter().grace):
                    supports = await judge.support(*asked)
                    classes = [attribution_class(support, threshold) for support in supports]
                    if isinstance(judge, Classifier):
                        classes = await judge.classify(*asked)
            except Exception as error:
                supports, classes = [None] * len(spans), [None] * len(spans)
                problem = "the claim could not be judged"
                notices = [failure("attribute", problem, error, code="verification_failed")]
        found = [
            Sentence(
                text=span.of(claim),
                start=span.start,
                end=span.end,
                status=_STATUS[label] if passages else "no_evidence",
                support=support,
                evidence_ids=tuple(it.id for it in passages if label not in (None, "extrapolatory")),
            )
            for span, label, support in zip(spans, classes, supports, strict=True)
        ]
        known = [support for support in supports if support is not None]
        return Judged(found, classes, notices, min(known) if len(known) == len(found) else None)


def verifier_of(settings: Settings) -> ClaimVerifier:
    """Makes the judge that `models` names for attribute; else the reader of cards that the model is."""
    judge = settings.models.get("attribute")
    if judge is None:
        return ClaimVerifier(settings)
    if judge in EMBEDDED:
        return ClaimVerifier(settings.model_copy(update={"model": "embedded", "models": {}}))
    return NamedJudge(settings)


def given_passages(sources: Sources) -> list[Passage]:
    """Makes passages of the sources for a claim: one, or a list of them, which may be empty.

    They are what `sources` of `rarr.revise` takes, and stay whole; without an address, a passage is named by
    its number. Raises `InputError` for an empty passage, and for anything else that is no passage.
    """
    pieces = sources if isinstance(sources, list | tuple) else [sources]
    return [given_passage(it, number, f"{UNNAMED}{number}") for number, it in enumerate(pieces, start=1)]


def alike(keys: Sequence[Hashable], most: int) -> list[list[int]]:
    """Groups the places of equal keys, at most `most` in a group, in the order of their first places."""
    places: dict[Hashable, list[int]] = {}
    for number, key in enumerate(keys):
        places.setdefault(key, []).append(number)
    return sorted(each[at : at + most] for each in places.values() for at in range(0, len(each), most))


def _verification(judged: Judged, **facts: Any) -> Verification:
    notices = judged.notices
    if not any(sentence.checkable for sentence in judged.sentences):
        notices = [*notices, _NOTHING_TO_CHECK]
    return Verification(
        label=judged.label,
        probability=judged.probability,
        sentences=tuple(judged.sentences),
        warnings=tuple(dict.fromkeys(notices)),
        **facts,
    )


def _readable_evidence(
    claims: Sequence[str], context: str | None, passages: Sequence[Passage], settings: Settings
) -> list[Evidence]:
    """Makes evidence of the passages: all of them while they fit, else the parts nearest to the sentences.

    Together they fit if they have at most 12,000 characters. The id of a whole passage is its number, as in
    "p2", that of a part "p2.7". A suspicious passage is kept with the reason; it decides nothing.
    """
    named = {f"p{number}": passage for number, passage in enumerate(passages, start=1)}
    if sum(len(passage.text) for passage in passages) <= SHOWN_CHARACTERS:
        return [evidence_of(passage, name) for name, passage in named.items()]
    parts = {
        f"{name}/{at}": window
        for name, passage in named.items()
        for at, window in enumerate(windows_of(passage.text, passage, settings, offset=passage.start))
    }
    windows, most = list(parts.values()), settings.evidence_per_query
    asked = [f"{context or ''} {span.of(claim)}".strip() for claim in claims for span in _spans(claim)]
    kept = {id(it) for sentence in asked for it in nearest(windows, sentence, most)}
    nearby = {name: it for name, it in parts.items() if id(it) in kept}
    return merged([evidence_of(it, name, name.partition("/")[0]) for name, it in nearby.items()])[0]


def _spans(claim: str) -> Sequence[Span]:
    return sentences(claim) or [Span(0, len(claim))]


def _unjudged(claim: str) -> Judged:
    """Leaves all sentences unjudged, since no passage may be read."""
    spans = sentences(claim)
    found = [Sentence(text=it.of(claim), start=it.start, end=it.end, status="unjudged") for it in spans]
    return Judged(found, [None] * len(found))


def _only_statements(card: Card, claim: str) -> Card:
    """Opens a card unless claim and quotes are whole sentences of about the same length.

    What a short answer states depends on the question, which the embedded reader cannot read.
    """
    lines = [claim[card.start : card.end], *(quote.text for quote in card.quotes)]
    own, *others = (len(items_of(line)) for line in lines)
    is_whole = all(line.rstrip(_CLOSING).endswith(_ENDS) for line in lines)
    if card.verdict in (None, "none", "open") or (is_whole and all(3 * own >= 2 * it for it in others)):
        return card
    place = (Place(start=card.start, end=card.end),)
    return card.model_copy(update={"verdict": "open", "open": place, "edits": (), "side": None})


def _sentences(
    claim: str, context: str | None, cards: Sequence[Card], passages: Sequence[Evidence]
) -> list[Sentence]:
    """Gives each sentence the status that its card has in a report of `revise`.

    A sentence that has no readable card, or whose reader is unreliable, is `unjudged`.
    """
    ids = [passage.id for passage in passages]
    queries = [
        Query(id=f"q{number}", text=claim[card.start : card.end], start=card.start, end=card.end)
        for number, card in enumerate(cards, start=1)
    ]
    state = State(original=claim, text=claim, context=context, cards=list(cards), queries=queries)
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
