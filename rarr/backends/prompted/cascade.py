"""A cascade: the embedded check first, then the language model for unsure cases."""

from rarr.backends.prompted.agreement import PromptedChecker
from rarr.backends.prompted.blind_reading import BlindChecker
from rarr.components import AgreementChecker
from rarr.records import Agreement, Evidence, ModelUsage, Query


class CascadeChecker:
    """Takes the verdict of `first` if its confidence is at least `threshold`, else the verdict of `then`."""

    def __init__(
        self, first: AgreementChecker, then: PromptedChecker | BlindChecker, threshold: float
    ) -> None:
        self._first, self._then, self._threshold = first, then, threshold

    def expected(self, text: str, context: str | None) -> ModelUsage:
        """The usage if `first` is never sure."""
        return self._then.expected(text, context)

    async def check(self, text: str, context: str | None, query: Query, evidence: Evidence) -> Agreement:
        """Raises what `then` raises."""
        agreement = await self._first.check(text, context, query, evidence)
        if agreement.verdict != "unknown" and (agreement.confidence or 0.0) >= self._threshold:
            return agreement
        return await self._then.check(text, context, query, evidence)
