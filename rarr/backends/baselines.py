"""Parts of the baselines for comparison: nothing is checked, or nothing is rewritten."""

from collections.abc import Sequence

from rarr.records import Agreement, Evidence, Query


class UnaskedAgreement:
    """Checks nothing, and leaves everything to the editor."""

    async def check(self, text: str, context: str | None, query: Query, evidence: Evidence) -> Agreement:
        """Returns `unknown`, without reading the evidence."""
        return Agreement(verdict="unknown", reason="agreement is not asked about")


class NoRewriter:
    """Leaves the text unchanged: research and report without a revision."""

    async def rewrite(self, text: str, context: str | None, evidence: Sequence[Evidence]) -> str:
        """Returns the text, unchanged."""
        return text
