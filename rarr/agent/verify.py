"""Decides whether passages support a claim. The labels are those of Yue et al. 2023, section 2.

Either a reader makes a card (a judgement) of each sentence, or a judge gives a score or a label.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from rarr.agent.cite import non_editing_components
from rarr.agent.inputs import Context, context_text, required_text
from rarr.agent.revise import Reviser
from rarr.agent.runs import budget_of, opened_runner, synchronous, usage_of
from rarr.backends.embedded.items import items_of
from rarr.backends.nli.loading import attribution_class
from rarr.backends.prompted.judging import ATTRSCORE
from rarr.components import Classifier, Components
from rarr.ledger.block_joining import NOTHING_TO_CHECK
from rarr.ledger.edit_gate import moved_sentences
from rarr.ledger.evidence_selection import evidence_of
from rarr.nodes.rerank import suspicious_notices
from rarr.records import (
    NOT_JUDGED,
    UNNAMED,
    AttributionClass,
    Evidence,
    Notice,
    Part,
    Passage,
    Revision,
    Sentence,
    Verification,
)
from rarr.retrievers.given_passages import SHOWN_CHARACTERS, Given, GivenPassages, given_passage
from rarr.settings import EMBEDDED, Settings
from rarr.state import failure_notice
from rarr.tools.concurrency import Closable, work
from rarr.tools.models.chat import name_of
from rarr.tools.models.run_budget import Meter, meter, using_meter
from rarr.tools.text.blocks_and_sentences import Span, sentences

MAX_CLAIMS = 12
"""The most claims about the same passages that one request verifies."""
NEAR_QUOTATIONS_ONLY = Notice(
    code="near_quotations_only",
    message="the embedded reader decides only what nearly repeats a passage: a language model reads more, as"
    " with model openai:gpt-5-mini",
    node="check_agreement",
)
_SEPARATOR = "\n\n---\n\n"
_WORST_FIRST: tuple[AttributionClass | None, ...] = ("contradictory", "extrapolatory", None, "attributable")
_SENTENCE_ENDS = (".", "!", "?", "。", "！", "？")
_END_SIGNS = "\"'”’»)]*_ "
_CLASS_STATUS = {"attributable": "supported", "contradictory": "contradicted", "extrapolatory": "unconfirmed"}

ClaimSources: TypeAlias = "Given | Sequence[Given]"
"""The passages for one claim: a single passage, or a list of passages."""


class _GivenPassagesReviser(Reviser):
    """A reviser that searches only the passages of each call, in one round, and writes no trace."""

    def _adapt_settings(self, settings: Settings) -> Settings:
        alone = {"search": GivenPassages((), window=settings.window), "corpus": None, "graph": None}
        return settings.model_copy(update={**alone, "preset": "default", "rounds": 1, "trace": False})


class _CardReviser(_GivenPassagesReviser):
    """A reviser without edits. It uses no model of the node `attribute`: the cards of a reader decide."""

    def _adapt_components(self, components: Components) -> Components:
        others = {node: it for node, it in components.settings.models.items() if node != "attribute"}
        unscored = components.settings.model_copy(update={"models": others})
        return non_editing_components(replace(components, settings=unscored))


class ClaimVerifier(Closable):
    """Verifies any number of claims against given passages, also at the same time. Builds models once."""

    _reviser_class: type[Reviser] = _CardReviser

    def __init__(self, settings: Settings | None = None, **options: Any) -> None:
        """Takes `settings`, or the fields of `Settings` as `options`, or `components`.

        The model of the settings reads the passages. Without a model, the embedded reader finds near
        quotations of the claim. The settings `corpus`, `graph`, `search`, `preset`, `rounds` and `trace` are
        not used. With `measuring`, the reader's results are not stored, nor read from the store. Raises
        `RarrError` if something is missing, and `InputError` for components without a reader of cards.
        """
        self._reviser = self._reviser_class(settings, **options)
        self._components = self._reviser._components
        reader = self._components.card_reader
        self.reader = reader.name if reader else ""
        """The name of the reader that decides, such as "embedded"."""
        self.reads_together = reader is not None and reader.is_model
        """True if one request can read several claims."""

    async def averify(self, claim: str, sources: ClaimSources, context: Context = None) -> Verification:
        """Decides whether `sources` support `claim`. `context` is a question that the claim may answer.

        `sources` is a passage or a list of passages, as in `rarr.revise`. If the passages have more than
        12,000 characters together, only the parts nearest to the claim are read. If there is no passage, the
        label is `extrapolatory`.
        Raises `InputError` for an empty claim or passage. All later failures become warnings; a claim that
        could not be judged has no label.
        """
        claim, asked = required_text(claim, "claim"), context_text(context)
        pieces: Any = sources if isinstance(sources, list | tuple) else [sources]
        return (await self.averify_together([claim], pieces, asked))[0]

    verify = synchronous(averify)

    async def averify_together(
        self, claims: Sequence[str], sources: Sequence[Given], context: str | None
    ) -> list[Verification]:
        """Verifies several claims with the same passages, in one request. Suspicious passages are not read.

        The first verification has the usage of all claims.
        """
        text, pieces = _SEPARATOR.join(claims), [_divisible_source(piece) for piece in sources]
        whole, *parts = await work(lambda: [len(sentences(it)) for it in (text, *claims)])
        if len(claims) > 1 and whole != sum(parts):  # a code block of a claim would hold the next
            return [(await self.averify_together([claim], sources, context))[0] for claim in claims]
        revision = await self._reviser.arevise(text, context, sources=pieces, search="given")
        return await work(_claim_verifications, claims, context, revision, not self.reads_together)

    async def aclose(self) -> None:
        await self._reviser.aclose()


async def averify(
    claim: str, sources: "ClaimSources | None" = None, context: Context = None, **settings: Any
) -> Verification:
    """Decides whether sources support a claim, as `ClaimVerifier.averify` does.

    Without `sources`, the sources of the settings are searched, as `rarr.revise` does. `settings` are fields
    of `Settings`, such as `corpus="notes/"` or `model="openai:gpt-5-mini"`.
    """
    required_text(claim, "claim")
    if sources is None:
        async with opened_runner(Reviser, settings) as reviser:
            return await averify_by_search(reviser, claim, context_text(context))
    async with opened_runner(ClaimVerifier, settings) as verifier:
        return await verifier.averify(claim, sources, context)


verify = synchronous(averify)


async def averify_by_search(
    reviser: Reviser, claim: str, context: str | None = None, given: Sequence[Given] = ()
) -> Verification:
    """Decides whether `given` passages support `claim`. If `given` is empty, uses the sources of `reviser`.

    Searches the sources as `revise` does, and edits nothing. Raises `InputError` for an empty claim. All
    later failures become warnings.
    """
    claim, sources = required_text(claim, "claim"), list(given) or None
    call = reviser.unedited().arevise(claim, context, sources=sources, search="given" if sources else None)
    return (await work(_claim_verifications, [claim], context, await call))[0]


class NamedJudge(ClaimVerifier):
    """Verifies claims by the judge that the settings name, such as `nli:NAME` or a language model.

    The judge gets all passages joined to one text, as in the papers on claim verification. The judge gives
    no quotes. No wrong sentences are added to the text to test the judge.
    """

    _reviser_class = _GivenPassagesReviser

    def __init__(self, settings: Settings | None = None, **options: Any) -> None:
        super().__init__(settings, **options)
        judge = self._components.settings.models.get("attribute", "")
        self.reader, self.reads_together = name_of(judge), False

    async def averify_together(
        self, claims: Sequence[str], sources: Sequence[Given], context: str | None
    ) -> list[Verification]:
        """Asks the judge about each claim. The first verification has the usage of all claims."""
        with using_meter(Meter(budget_of(self._components.settings))) as spent, spent.step("attribute"):
            judged = await asyncio.gather(*(self._judge_claim(claim, context, sources) for claim in claims))
        told = [it.model_copy(update={"warnings": (*it.warnings, *spent.warnings)}) for it in judged]
        return [told[0].model_copy(update={"usage": usage_of(spent)}), *told[1:]]

    async def _judge_claim(self, claim: str, context: str | None, sources: Sequence[Given]) -> Verification:
        """Asks the judge about each sentence of `claim`. The judge AttrScore gets the whole claim at once."""
        judge, settings = self._components.verifier, self._components.settings
        evidence = await _claim_evidence(claim, context, sources, settings)
        notices, usable = suspicious_notices(evidence, []), [it for it in evidence if not it.suspicious]
        found = () if self.reader.startswith(ATTRSCORE) else await work(sentences, claim)
        spans = found or [Span(0, len(claim))]
        supports: Sequence[float | None] = [None if evidence else 0.0] * len(spans)
        classes: Sequence[AttributionClass | None] = [None] * len(spans)
        if usable:
            texts = [f"{it.title}\n{it.text}".strip() for it in usable]
            joined = usable[0].model_copy(update={"title": "", "text": "\n\n".join(texts)})
            asked = (claim, context, spans, joined if usable[1:] else usable[0])
            try:
                async with meter().in_time(meter().grace_s):
                    scores = await judge.support(*asked)
                    labels = [attribution_class(it, settings.support_threshold) for it in scores]
                    classes = await judge.classify(*asked) if isinstance(judge, Classifier) else labels
                    supports = scores
            except Exception as error:
                why = "the claim could not be judged"
                notices.append(failure_notice("attribute", why, error, code="verification_failed"))
        judged = [
            Sentence(
                text=span.of(claim),
                **span._asdict(),
                status=_CLASS_STATUS.get(label or "", "unjudged") if evidence else "no_evidence",
                support=support,
                evidence_ids=tuple(it.id for it in usable if label not in (None, "extrapolatory")),
            )
            for span, support, label in zip(spans, supports, classes, strict=True)
        ]
        return _make_verification(claim, context, judged, notices, evidence)


def claim_verifier_of(settings: Settings, *, measuring: bool = False) -> ClaimVerifier:
    """Makes a `NamedJudge` if `settings.models` has a judge for the node attribute, else a `ClaimVerifier`.

    With `measuring`, results of the reader are neither stored nor read from the store.
    """
    judge = settings.models.get("attribute")
    if judge in EMBEDDED:
        settings, judge = settings.model_copy(update={"model": "embedded", "models": {}}), None
    return (ClaimVerifier if judge is None else NamedJudge)(settings, measuring=measuring)


def _divisible_source(piece: Given) -> Given:
    """Converts a `Passage` to a search result, because only a search result is cut into shorter passages."""
    if not isinstance(piece, Passage):
        return piece
    facts = piece.model_dump(include={"text", "source", "title", "published_at"})
    return {**facts, "start_index": piece.start}


async def _claim_evidence(
    claim: str, context: str | None, sources: Sequence[Given], settings: Settings
) -> list[Evidence]:
    """Makes evidence of `sources`, or of the parts nearest to the claim if the sources exceed a request."""
    passages: Sequence[Passage] = [given_passage(it, n, f"{UNNAMED}{n}") for n, it in enumerate(sources, 1)]
    if sum(len(it.text) for it in passages) > SHOWN_CHARACTERS:
        pieces = [_divisible_source(it) for it in passages]
        parts = await work(lambda: GivenPassages(pieces, window=settings.window))
        passages = await parts.retrieve(f"{context or ''} {claim}", settings.documents_per_query)
    return [evidence_of(it, f"p{number}") for number, it in enumerate(passages, start=1)]


def _claim_verifications(
    claims: Sequence[str], context: str | None, revision: Revision, embedded: bool = False
) -> list[Verification]:
    """Makes each verification from the `revision` of all claims. `embedded`: the reader is no model."""
    notices = [it for it in revision.warnings if it.code != NOTHING_TO_CHECK.code]
    unread = {"status": "unjudged"} if any(it.code == "reader_unreliable" for it in notices) else {}
    made, at = list[Verification](), 0
    for claim in claims:
        own = [it for it in revision.report.sentences if at <= it.start < at + len(claim)]
        found = [it.model_copy(update=unread) for it in moved_sentences(own, -at)]
        if embedded and context:
            found = [_unconfirm_short_answer(sentence) for sentence in found]
        verification = _make_verification(claim, context, found, notices, revision.evidence)
        if embedded and verification.label == "extrapolatory" and revision.evidence:
            warnings = (*verification.warnings, NEAR_QUOTATIONS_ONLY)
            verification = verification.model_copy(update={"warnings": warnings})
        made.append(verification)
        at += len(claim) + len(_SEPARATOR)
    return [made[0].model_copy(update={"usage": revision.usage}), *made[1:]]


def _unconfirm_short_answer(sentence: Sentence) -> Sentence:
    """Makes a supported or contradicted sentence unconfirmed if it may be a short answer to a question.

    The embedded reader reads no question. A whole sentence keeps its status if no quote is much longer.
    """
    lines = [sentence.text, *(quote.text for quote in sentence.quotes)]
    own, *others = (len(items_of(line)) for line in lines)
    is_whole = all(line.rstrip(_END_SIGNS).endswith(_SENTENCE_ENDS) for line in lines)
    is_decided = sentence.status in ("supported", "contradicted")
    if not is_decided or (is_whole and all(3 * own >= 2 * it for it in others)):
        return sentence
    part = Part(start=sentence.start, end=sentence.end, state="open")
    unread = {"status": "unconfirmed", "parts": (part,), "quotes": (), "evidence_ids": ()}
    return sentence.model_copy(update=unread)


def _class_of_sentence(sentence: Sentence) -> AttributionClass | None:
    """Returns the class of a sentence: None if unjudged, `extrapolatory` if the sources disagree about it."""
    if sentence.status in NOT_JUDGED:
        return None
    if sentence.status == "supported":
        return "attributable"
    is_against = all(quote.side == "against" for quote in sentence.quotes)
    return "contradictory" if sentence.status == "contradicted" and is_against else "extrapolatory"


def _make_verification(
    claim: str,
    context: str | None,
    found: Sequence[Sentence],
    notices: Sequence[Notice],
    evidence: Sequence[Evidence],
) -> Verification:
    """Makes the verification of a claim from its sentences `found`. The worst label of a sentence counts."""
    labels, supports = [_class_of_sentence(it) for it in found if it.checkable], [it.support for it in found]
    levels = [support for support in supports if support is not None]
    return Verification(
        claim=claim,
        question=context,
        probability=min(levels) if levels and len(levels) == len(supports) else None,
        label=next((label for label in _WORST_FIRST if label in labels), None),
        sentences=tuple(found),
        evidence=tuple(evidence),
        warnings=tuple(dict.fromkeys([*notices, *[NOTHING_TO_CHECK] * (not labels)])),
    )
