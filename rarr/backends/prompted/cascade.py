"""Checks agreement in a cascade: the embedded checker first, then the language model for unsure cases."""

from rarr.backends.prompted.agreement import PromptedChecker
from rarr.backends.prompted.blind_reading import BlindChecker
from rarr.components import AgreementChecker
from rarr.records import Agreement, Evidence, ExpectedUsage, Query


class CascadeChecker:
    """An agreement checker that asks `first`, and `then` only if `first` is not sure.

    `first` is sure if its verdict is not `unknown` and its confidence is at least `threshold`.
    """

    def __init__(
        self, first: AgreementChecker, then: PromptedChecker | BlindChecker, threshold: float
    ) -> None:
        self._first, self._then, self._threshold = first, then, threshold

    def expected(self, text: str, context: str | None) -> ExpectedUsage:
        """Estimates the usage of one check if `first` is not sure."""
        return self._then.expected(text, context)

    async def check(self, text: str, context: str | None, query: Query, evidence: Evidence) -> Agreement:
        """Returns the verdict of `first` if it is sure, else that of `then`. Raises what both raise."""
        agreement = await self._first.check(text, context, query, evidence)
        if agreement.verdict != "unknown" and (agreement.confidence or 0.0) >= self._threshold:
            return agreement
        return await self._then.check(text, context, query, evidence)
