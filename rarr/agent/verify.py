"""Offers the public calls `verify` and `averify`, and `ClaimVerifier` for many claims."""

from collections.abc import Hashable, Sequence
from contextlib import aclosing
from typing import Any, cast, overload

from rarr.agent.final_revision import budget_of, usage_of
from rarr.agent.given_evidence import GivenPassage, given_passages, readable_evidence
from rarr.agent.input_checks import required_text
from rarr.components import Components, close_all
from rarr.errors import InputError, RetrievalError
from rarr.records import Evidence, Passage
from rarr.records.verification import Verification
from rarr.settings import EMBEDDED, Settings
from rarr.tools.concurrency import Closable, bounded_flow, in_thread, run, work
from rarr.tools.models.chat import name_of
from rarr.tools.models.run_budget import METER, Meter
from rarr.tools.text.blocks_and_sentences import Span, sentences
from rarr.tools.text.wording import counted, kind_of

Evidences = GivenPassage | Sequence[GivenPassage]
"""The evidence for one claim: a passage or several. No passage is the same as an empty list."""
TOGETHER = 12
"""The most claims of a request, all about the same passages."""


class ClaimVerifier(Closable):
    """Builds models once; verifies any number of claims, also at the same time. It searches nothing."""

    def __init__(self, settings: Settings | None = None, *, components: Components | None = None) -> None:
        """Give `settings` or `components`, not both; without either, the settings are the defaults.

        The model of the settings reads the evidence; without a model, the embedded reader compares it with
        near quotations. A judge that `models` names for the node `attribute`, such as `nli:NAME`, is asked
        instead. Raises `RarrError` where something is missing.
        """
        if settings is not None and components is not None:
            raise InputError("settings and components are both given: components bring their own settings")
        # The wiring and the nodes take a second to import; `import rarr` need not wait for them.
        from rarr.agent.claim_verification import is_judged_by_name, verified
        from rarr.agent.wiring.components import wire

        self._components = components or wire(_for_claims(settings or Settings()))
        self._verified = verified
        reader, used = self._components.card_reader, self._components.settings
        by_name = reader is None or is_judged_by_name(used)
        self.reader = name_of(used.models.get("attribute", "")) if by_name else reader.name if reader else ""
        self.reads_together = bool(not by_name and reader and reader.is_model)

    def verify(self, claim: str, evidence: Evidences, question: str | None = None) -> Verification:
        """`averify` for callers without an event loop and for callers inside a running loop."""
        return run(self.averify(claim, evidence, question))

    async def averify(self, claim: str, evidence: Evidences, question: str | None = None) -> Verification:
        """Decides whether `evidence` supports `claim`, which may answer a `question`.

        `evidence` is a passage or a list of passages: a str, an object with "text" and optionally "title"
        and "source", or a `Passage`. Without a passage the claim is extrapolatory. Of passages with more than
        12,000 characters together, the parts that are nearest to the sentences of the claim are read.

        Raises `InputError` for an empty claim or passage. All later failures become warnings; a claim that
        could not be judged has no label.
        """
        return await self.averify_passages(*_asked(claim, evidence, question))

    async def averify_passages(
        self, claim: str, passages: Sequence[Passage], question: str | None
    ) -> Verification:
        """Does what `averify` does, for a claim and passages that were checked before."""
        return (await self.averify_together([claim], passages, question))[0]

    async def averify_together(
        self, claims: Sequence[str], passages: Sequence[Passage], question: str | None
    ) -> list[Verification]:
        """Verifies claims by the same passages in one request, with one set of planted controls.

        The first verification has the usage of all.
        """
        settings = self._components.settings
        meter = Meter(budget_of(settings), text="\n".join([question or "", *claims]))
        token = METER.set(meter)
        try:
            evidence = await work(_evidence_for, claims, question, passages, settings)
            made = await self._verified(claims, question, evidence, self._components)
        finally:
            METER.reset(token)
        usage = usage_of(meter).model_copy(update={"controls": made[0].usage.controls})
        told = [tuple(dict.fromkeys([*each.warnings, *meter.warnings])) for each in made]
        made = [each.model_copy(update={"warnings": it}) for each, it in zip(made, told, strict=True)]
        return [made[0].model_copy(update={"usage": usage}), *made[1:]]

    async def aclose(self) -> None:
        """Closes files, and the connections that this event loop opened. The next use opens them again."""
        await close_all((*self._components.models, *self._components.opened))


@overload
def verify(claim: str, evidence: Evidences, question: str | None = None, **settings: Any) -> Verification: ...


@overload
def verify(
    claim: Sequence[str],
    evidence: Sequence[Evidences],
    question: Sequence[str | None] | None = None,
    **settings: Any,
) -> list[Verification]: ...


def verify(claim: Any, evidence: Any, question: Any = None, **settings: Any) -> Any:
    """Decides whether evidence supports a claim. For a list of claims, returns a list of verifications.

    `claim` is a text, `evidence` a passage or a list of passages (see `ClaimVerifier.averify`), and
    `question` the question that the claim answers. With a list of claims, `evidence` has the evidence of each
    claim, and `question` the question of each; as many requests are under way as the setting `concurrency`
    allows, and a language model reads claims about the same passages in one. `settings` are the fields of
    `Settings`, such as `model="openai:gpt-5-mini"`.
    """
    return run(averify(claim, evidence, question, **settings))


@overload
async def averify(
    claim: str, evidence: Evidences, question: str | None = None, **settings: Any
) -> Verification: ...


@overload
async def averify(
    claim: Sequence[str],
    evidence: Sequence[Evidences],
    question: Sequence[str | None] | None = None,
    **settings: Any,
) -> list[Verification]: ...


async def averify(claim: Any, evidence: Any, question: Any = None, **settings: Any) -> Any:
    """`verify` for async callers."""
    pairs = [(claim, evidence, question)] if isinstance(claim, str) else _pairs(claim, evidence, question)
    asked = [_asked(*pair) for pair in pairs]
    made = await in_thread(lambda: Settings(**settings))
    async with await in_thread(lambda: ClaimVerifier(made)) as verifier:
        keys = [(shown_passages(passages), asked_question) for _, passages, asked_question in asked]
        groups = alike(keys, TOGETHER if verifier.reads_together else 1)

        async def verified(group: Sequence[int], number: int) -> list[Verification]:
            claims, (_, passages, asked_question) = [asked[n][0] for n in group], asked[group[0]]
            return await verifier.averify_together(claims, passages, asked_question)

        found = dict[int, Verification]()
        async with aclosing(bounded_flow(groups, verified, made.concurrency, ordered=True)) as flow:
            for group in groups:
                found |= zip(group, await anext(flow), strict=True)
    return found[0] if isinstance(claim, str) else [found[number] for number in range(len(asked))]


def alike(keys: Sequence[Hashable], most: int) -> list[list[int]]:
    """Groups the places of equal keys, at most `most` in a group, in the order of their first places."""
    places: dict[Hashable, list[int]] = {}
    for number, key in enumerate(keys):
        places.setdefault(key, []).append(number)
    return sorted(each[at : at + most] for each in places.values() for at in range(0, len(each), most))


def shown_passages(passages: Sequence[Passage]) -> Hashable:
    """Returns what a reader is shown of the passages: claims with equal ones can share a request."""
    return tuple((each.text, each.title, each.source, each.start) for each in passages)


def _for_claims(settings: Settings) -> Settings:
    """Returns the settings with which claims are read: nothing is searched, and sentences are read as cards.

    A judge with the name `embedded` is the embedded reader, whatever the model is.
    """
    update: dict[str, Any] = {"search": _NoSource(), "scope": "sentence"}
    if settings.models.get("attribute") in EMBEDDED:
        update |= {"model": "embedded", "models": {}}
    return settings.model_copy(update=update)


def _asked(claim: object, evidence: object, question: object) -> tuple[str, list[Passage], str | None]:
    claim = required_text(claim, "claim")
    question = None if question is None else required_text(question, "question")
    return claim, given_passages(evidence), question


def _evidence_for(
    claims: Sequence[str], question: str | None, passages: Sequence[Passage], settings: Settings
) -> list[Evidence]:
    spans = [(claim, span) for claim in claims for span in sentences(claim) or [Span(0, len(claim))]]
    asked = [f"{question or ''} {span.of(claim)}".strip() for claim, span in spans]
    return readable_evidence(asked, passages, settings)


def _pairs(claims: object, evidence: object, questions: object) -> list[tuple[Any, Any, Any]]:
    """Pairs each claim with its evidence and its question. Raises `InputError` where they do not fit."""
    if not isinstance(claims, list | tuple):
        raise InputError(f"claim is {kind_of(claims)}: give a str, or a list of them")
    if questions is None:
        questions = [None] * len(claims)
    for name, given in (("evidence", evidence), ("question", questions)):
        if not isinstance(given, list | tuple) or len(given) != len(claims):
            size = counted(len(given), "item") if isinstance(given, list | tuple) else kind_of(given)
            raise InputError(
                f"there are {counted(len(claims), 'claim')}, and {name} is {size}: give a list with an item"
                " for each claim"
            )
    return list(zip(claims, cast(Any, evidence), cast(Any, questions), strict=True))


class _NoSource:
    """Stands in the place of a retriever, since a verification searches nothing."""

    offline = True  # can be used with the setting `offline`

    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        raise RetrievalError("a verification searches nothing")
