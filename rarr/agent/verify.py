"""Offers the public calls `verify` and `averify`, and `ClaimVerifier` for many claims."""

from collections.abc import Sequence
from contextlib import aclosing
from typing import Any, cast, overload

from rarr.agent.final_revision import budget_of, usage_of
from rarr.agent.given_evidence import GivenPassage, given_passages, readable_evidence
from rarr.agent.input_checks import required_text
from rarr.components import Components, close_all
from rarr.errors import InputError, RetrievalError
from rarr.records import Passage
from rarr.records.verification import Verification
from rarr.settings import Settings
from rarr.tools.concurrency.background_loop import run
from rarr.tools.concurrency.bounded_flow import bounded_flow
from rarr.tools.concurrency.closable import Closable
from rarr.tools.concurrency.worker_threads import in_thread, work
from rarr.tools.models.run_budget import METER, Meter
from rarr.tools.text.plurals_and_articles import counted, kind_of

Evidences = GivenPassage | Sequence[GivenPassage]
"""The evidence for one claim: a passage or several. No passage is the same as an empty list."""


class ClaimVerifier(Closable):
    """Builds models once; verifies any number of claims, also at the same time. It searches nothing."""

    def __init__(self, settings: Settings | None = None, *, components: Components | None = None) -> None:
        """Give `settings` or `components`, not both; without either, the settings are the defaults.

        The model of the node `attribute` judges (`models`). Raises `RarrError` where something is missing.
        """
        if settings is not None and components is not None:
            raise InputError("settings and components are both given: components bring their own settings")
        # The wiring and the nodes take a second to import; `import rarr` need not wait for them.
        from rarr.agent.claim_verification import verified
        from rarr.agent.wiring.components import wire

        made = (settings or Settings()).model_copy(update={"search": _NoSource()})
        self._components, self._verified = components or wire(made), verified

    def verify(self, claim: str, evidence: Evidences, question: str | None = None) -> Verification:
        """`averify` for callers without an event loop and for callers inside a running loop."""
        return run(self.averify(claim, evidence, question))

    async def averify(self, claim: str, evidence: Evidences, question: str | None = None) -> Verification:
        """Decides whether `evidence` supports `claim`, which may answer a `question`.

        `evidence` is a passage or a list of passages: a str, an object with "text" and optionally "title"
        and "source", or a `Passage`. Without a passage the claim is extrapolatory. A passage of more than
        10,000 characters is read in the windows that are nearest to the sentences of the claim.

        Raises `InputError` for an empty claim or passage. All later failures become warnings; a claim that
        could not be judged has no label.
        """
        claim = required_text(claim, "claim")
        question = None if question is None else required_text(question, "question")
        return await self.averify_passages(claim, given_passages(evidence), question)

    async def averify_passages(
        self, claim: str, passages: Sequence[Passage], question: str | None
    ) -> Verification:
        """Does what `averify` does, for a claim and passages that were checked before."""
        settings = self._components.settings
        meter = Meter(budget_of(settings), text=f"{question or ''}\n{claim}")
        token = METER.set(meter)
        try:
            evidence = await work(readable_evidence, claim, passages, settings)
            verification = await self._verified(claim, question, evidence, self._components)
        finally:
            METER.reset(token)
        warnings = tuple(dict.fromkeys([*verification.warnings, *meter.warnings]))
        return verification.model_copy(update={"usage": usage_of(meter), "warnings": warnings})

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
    claim, and `question` the question of each; as many claims are under way as the setting `concurrency`
    allows. `settings` are the fields of `Settings`, such as
    `models={"attribute": "nli:NAME"}`.
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
    asked = [(claim, evidence, question)] if isinstance(claim, str) else _pairs(claim, evidence, question)
    made = await in_thread(lambda: Settings(**settings))
    async with await in_thread(lambda: ClaimVerifier(made)) as verifier:

        async def verified(each: tuple[Any, Any, Any], _: int) -> Verification:
            return await verifier.averify(*each)

        async with aclosing(bounded_flow(asked, verified, made.concurrency, ordered=True)) as flow:
            verifications = [each async for each in flow]
    return verifications[0] if isinstance(claim, str) else verifications


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
