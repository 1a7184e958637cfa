"""Parts of the baselines for comparison: nothing is checked, or nothing is rewritten."""

from collections.abc import Sequence

from rarr.records import Agreement, Evidence, Query
from rarr.tools.text.blocks_and_sentences import Span


class UnaskedAgreement:
    """Checks nothing, and leaves everything to the editor."""

    async def check(self, text: str, context: str | None, query: Query, evidence: Evidence) -> Agreement:
        """Returns `unknown`, without reading the evidence."""
        return Agreement(verdict="unknown", reason="agreement is not asked about")


class NoRewriter:
    """Leaves the text unchanged: research and report without a revision."""

    whole = True

    async def rewrite(self, text: str, context: str | None, span: Span, evidence: Sequence[Evidence]) -> str:
        """Returns the sentence at `span`, unchanged."""
        return span.of(text)
