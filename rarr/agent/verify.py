"""Decides whether passages support a claim: it is read as `revise` reads a text, or a judge is asked.

Nothing is edited. The labels are those of AttrScore (Yue et al. 2023, section 2).
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from rarr.agent.cite import unedited
from rarr.agent.inputs import Context, context_of, required_text
from rarr.agent.revise import Reviser
from rarr.agent.runs import budget_of, built, synchronous, usage_of, using
from rarr.backends.embedded.items import items_of
from rarr.backends.nli.loading import attribution_class
from rarr.backends.prompted.judging import ATTRSCORE
from rarr.components import Classifier, Components
from rarr.ledger.block_joining import NOTHING_TO_CHECK, moved_records
from rarr.ledger.evidence_selection import evidence_of
from rarr.nodes.rerank import suspicious_notices
from rarr.records import (
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
from rarr.state import failure
from rarr.tools.concurrency import Closable, work
from rarr.tools.models.chat import name_of
from rarr.tools.models.run_budget import Meter, meter
from rarr.tools.text.blocks_and_sentences import Span, sentences

TOGETHER = 12
"""The most claims of a request, all about the same passages."""
READS_MORE = Notice(
    code="near_quotations_only",
    message="the embedded reader decides only what nearly repeats a passage: a language model reads more, as"
    " with model openai:gpt-5-mini",
    node="check_agreement",
)
_BETWEEN = "\n\n---\n\n"
_WORST_FIRST: tuple[AttributionClass | None, ...] = ("contradictory", "extrapolatory", None, "attributable")
_ENDS = (".", "!", "?", "。", "！", "？")
_CLOSING = "\"'”’»)]*_ "
_STATUS = {"attributable": "supported", "contradictory": "contradicted", "extrapolatory": "unconfirmed"}

ClaimSources: TypeAlias = "Given | Sequence[Given]"
"""The passages for one claim: one, or a list of them."""


class _Unsearched(Reviser):
    """Searches the passages of each call alone, in one round, and records nothing."""

    def _used(self, settings: Settings) -> Settings:
        alone = {"search": GivenPassages((), window=settings.window), "corpus": None, "graph": None}
        return settings.model_copy(update={**alone, "preset": "default", "rounds": 1, "trace": False})


class _Unedited(_Unsearched):
    """Reads cards, and edits nothing."""

    def _adapted(self, components: Components) -> Components:
        # Beside the cards, nobody would read the scores of a judge.
        others = {node: it for node, it in components.settings.models.items() if node != "attribute"}
        unscored = components.settings.model_copy(update={"models": others})
        return unedited(replace(components, settings=unscored))


class ClaimVerifier(Closable):
    """Builds models once; verifies any number of claims, also at the same time. It searches nothing."""

    _kind: type[Reviser] = _Unedited

    def __init__(
        self,
        settings: Settings | None = None,
        *,
        components: Components | None = None,
        measuring: bool = False,
        **values: Any,
    ) -> None:
        """Give `settings`, or the fields of `Settings` as `values`, or `components`.

        The model of the settings reads the passages; without a model, the embedded reader compares them with
        near quotations. Their `corpus`, `graph`, `search`, `preset`, `rounds` and `trace` are not used. With
        `measuring`, the record of the reader is neither read nor written.

        Raises `RarrError` where something is missing, and `InputError` for components without a reader of
        cards.
        """
        self._reviser = self._kind(settings, components=components, measuring=measuring, **values)
        reader = self._components.card_reader
        self.reader = reader.name if reader else ""
        """The name of the reader that decides."""
        self.reads_together = reader is not None and reader.is_model
        """Does one request read several claims?"""

    @property
    def _components(self) -> Components:
        return self._reviser._components

    async def averify(self, claim: str, sources: ClaimSources, context: Context = None) -> Verification:
        """Decides whether `sources` support `claim`, which may answer a question, the `context`.

        `sources` is a passage or a list of passages, as in `rarr.revise`. Without a passage the claim is
        extrapolatory. Of passages with more than 12,000 characters together, the parts that are nearest to
        the sentences of the claim are read.

        Raises `InputError` for an empty claim or passage. All later failures become warnings; a claim that
        could not be judged has no label.
        """
        claim, asked = required_text(claim, "claim"), context_of(context)
        pieces: Any = sources if isinstance(sources, list | tuple) else [sources]
        return (await self.averify_together([claim], pieces, asked))[0]

    verify = synchronous(averify)

    async def averify_together(
        self, claims: Sequence[str], sources: Sequence[Given], context: str | None
    ) -> list[Verification]:
        """Verifies claims by the same passages as one text, in one request with one set of controls.

        The first verification has the usage of all. A passage that seems to speak to a model is not read.
        """
        text, pieces = _BETWEEN.join(claims), [_divisible(piece) for piece in sources]
        whole, *parts = await work(lambda: [len(sentences(it)) for it in (text, *claims)])
        if len(claims) > 1 and whole != sum(parts):  # a claim opens a block that holds others
            return [(await self.averify_together([claim], sources, context))[0] for claim in claims]
        revision = await self._reviser.arevise(text, context, sources=pieces, search="given")
        return await work(_verifications, claims, context, revision, not self.reads_together)

    async def aclose(self) -> None:
        """Closes the connections that this event loop opened. The next use opens them again."""
        await self._reviser.aclose()


async def averify(
    claim: str, sources: "ClaimSources | None" = None, context: Context = None, **settings: Any
) -> Verification:
    """Decides whether sources support a claim, as `ClaimVerifier.averify` does.

    Without `sources`, the claim is researched as by `rarr.revise`, and nothing is edited. `settings` are the
    fields of `Settings`, such as `corpus="notes/"` or `model="openai:gpt-5-mini"`.
    """
    required_text(claim, "claim")
    if sources is None:
        async with built(Reviser, settings) as reviser:
            return await averify_by_search(reviser, claim, context_of(context))
    async with built(ClaimVerifier, settings) as verifier:
        return await verifier.averify(claim, sources, context)


verify = synchronous(averify)


async def averify_by_search(
    reviser: Reviser, claim: str, context: str | None = None, given: Sequence[Given] = ()
) -> Verification:
    """Decides whether the `given` sources, or without any the reviser's, support `claim`.

    It is researched as `revise` does, and nothing is edited. Raises `InputError` as `revise` does; all later
    failures become warnings.
    """
    claim, sources = required_text(claim, "claim"), list(given) or None
    call = reviser.unedited().arevise(claim, context, sources=sources, search="given" if sources else None)
    return (await work(_verifications, [claim], context, await call))[0]


class NamedJudge(ClaimVerifier):
    """Asks the verifier of the settings, such as `nli:NAME` or a language model, about every claim.

    The passages are joined to one premise, as in the papers. The judge quotes nothing, and no planted errors
    examine it.
    """

    _kind = _Unsearched

    def __init__(self, settings: Settings | None = None, **more: Any) -> None:
        super().__init__(settings, **more)
        judge = self._components.settings.models.get("attribute", "")
        self.reader, self.reads_together = name_of(judge), False

    async def averify_together(
        self, claims: Sequence[str], sources: Sequence[Given], context: str | None
    ) -> list[Verification]:
        """Asks about each claim, as `ClaimVerifier.averify_together` reads them."""
        with using(Meter(budget_of(self._components.settings))) as spent, spent.step("attribute"):
            judged = await asyncio.gather(*(self._judged(claim, context, sources) for claim in claims))
        told = [it.model_copy(update={"warnings": (*it.warnings, *spent.warnings)}) for it in judged]
        return [told[0].model_copy(update={"usage": usage_of(spent)}), *told[1:]]

    async def _judged(self, claim: str, context: str | None, sources: Sequence[Given]) -> Verification:
        """Asks about each sentence, or by AttrScore about the whole claim; a language model is asked once."""
        judge, settings = self._components.verifier, self._components.settings
        evidence = await _near(claim, context, sources, settings)
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
                notices.append(failure("attribute", why, error, code="verification_failed"))
        judged = [
            Sentence(
                text=span.of(claim),
                **span._asdict(),
                status=_STATUS.get(label or "", "unjudged") if evidence else "no_evidence",
                support=support,
                evidence_ids=tuple(it.id for it in usable if label not in (None, "extrapolatory")),
            )
            for span, support, label in zip(spans, supports, classes, strict=True)
        ]
        return _verification(claim, context, judged, notices, evidence)


def verifier_of(settings: Settings, *, measuring: bool = False) -> ClaimVerifier:
    """Makes the judge that `models` names for attribute; else the reader of cards that the model is.

    With `measuring`, the record of the reader is neither read nor written.
    """
    judge = settings.models.get("attribute")
    if judge in EMBEDDED:
        settings, judge = settings.model_copy(update={"model": "embedded", "models": {}}), None
    return (ClaimVerifier if judge is None else NamedJudge)(settings, measuring=measuring)


def _divisible(piece: Given) -> Given:
    """Returns a record as a search result, which is cut into windows: it may be a whole document."""
    if not isinstance(piece, Passage):
        return piece
    facts = piece.model_dump(include={"text", "source", "title", "published_at"})
    return {**facts, "start_index": piece.start}


async def _near(
    claim: str, context: str | None, sources: Sequence[Given], settings: Settings
) -> list[Evidence]:
    """Makes evidence of the passages: of the whole ones while they fit, else of the nearest parts."""
    passages: Sequence[Passage] = [given_passage(it, n, f"{UNNAMED}{n}") for n, it in enumerate(sources, 1)]
    if sum(len(it.text) for it in passages) > SHOWN_CHARACTERS:
        pieces = [_divisible(it) for it in passages]
        parts = await work(lambda: GivenPassages(pieces, window=settings.window))
        passages = await parts.retrieve(f"{context or ''} {claim}", settings.documents_per_query)
    return [evidence_of(it, f"p{number}") for number, it in enumerate(passages, start=1)]


def _verifications(
    claims: Sequence[str], context: str | None, revision: Revision, embedded: bool = False
) -> list[Verification]:
    """Takes the sentences of each claim from the report about the text that the claims make.

    What an unreliable reader said judges nothing.
    """
    notices = [it for it in revision.warnings if it.code != NOTHING_TO_CHECK.code]
    unread = {"status": "unjudged"} if any(it.code == "reader_unreliable" for it in notices) else {}
    made, at = list[Verification](), 0
    for claim in claims:
        own = [it for it in revision.report.sentences if at <= it.start < at + len(claim)]
        found = [it.model_copy(update=unread) for it in moved_records(own, -at)]
        if embedded and context:
            found = [_without_question(sentence) for sentence in found]
        verification = _verification(claim, context, found, notices, revision.evidence)
        if embedded and verification.label == "extrapolatory" and revision.evidence:
            warnings = (*verification.warnings, READS_MORE)
            verification = verification.model_copy(update={"warnings": warnings})
        made.append(verification)
        at += len(claim) + len(_BETWEEN)
    return [made[0].model_copy(update={"usage": revision.usage}), *made[1:]]


def _without_question(sentence: Sentence) -> Sentence:
    """Opens a sentence unless it and its quotes are whole sentences of about the same length.

    What a short answer states depends on the question, which the embedded reader cannot read.
    """
    lines = [sentence.text, *(quote.text for quote in sentence.quotes)]
    own, *others = (len(items_of(line)) for line in lines)
    is_whole = all(line.rstrip(_CLOSING).endswith(_ENDS) for line in lines)
    is_decided = sentence.status in ("supported", "contradicted")
    if not is_decided or (is_whole and all(3 * own >= 2 * it for it in others)):
        return sentence
    part = Part(start=sentence.start, end=sentence.end, state="open")
    unread = {"status": "unconfirmed", "parts": (part,), "quotes": (), "evidence_ids": ()}
    return sentence.model_copy(update=unread)


def _label(sentence: Sentence) -> AttributionClass | None:
    """Returns the class of a sentence. Sources that disagree with one another do not tell."""
    if sentence.status in ("unjudged", "retrieval_failed"):
        return None
    if sentence.status == "supported":
        return "attributable"
    is_against = all(quote.side == "against" for quote in sentence.quotes)
    return "contradictory" if sentence.status == "contradicted" and is_against else "extrapolatory"


def _verification(
    claim: str,
    context: str | None,
    found: Sequence[Sentence],
    notices: Sequence[Notice],
    evidence: Sequence[Evidence],
) -> Verification:
    """Labels the claim by its worst sentence; sentences that state nothing do not count."""
    labels, supports = [_label(it) for it in found if it.checkable], [it.support for it in found]
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
