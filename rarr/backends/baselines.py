"""Parts of the baselines for comparison: nothing is checked, nothing is edited, or words change by chance."""

import random
import re
from collections.abc import Sequence

from rarr.records import Agreement, Evidence, Query
from rarr.tools.text.blocks_and_sentences import Span

_WORD = re.compile(r"\w{4,}")


class UnaskedAgreement:
    """Checks nothing, and leaves everything to the editor."""

    async def check(self, text: str, context: str | None, query: Query, evidence: Evidence) -> Agreement:
        """Returns `unknown`, without reading the evidence."""
        return Agreement(verdict="unknown", reason="agreement is not asked about")


class RandomRewriter:
    """Replaces a random word of the sentence by a random word of the evidence; every run chooses the same."""

    whole = False

    async def rewrite(self, text: str, context: str | None, span: Span, evidence: Sequence[Evidence]) -> str:
        """Returns the sentence with one word of at least four letters replaced.

        Unchanged if the sentence or the evidence has no such word.
        """
        sentence = span.of(text)
        chance = random.Random(sentence)
        words = list(_WORD.finditer(sentence))
        others = sorted({word for item in evidence for word in _WORD.findall(item.text)})
        if not words or not others:
            return sentence
        old = chance.choice(words)
        return f"{sentence[: old.start()]}{chance.choice(others)}{sentence[old.end() :]}"


class NoRewriter:
    """Leaves the text unchanged: research and report without a revision."""

    whole = True

    async def rewrite(self, text: str, context: str | None, span: Span, evidence: Sequence[Evidence]) -> str:
        """Returns the sentence at `span`, unchanged."""
        return span.of(text)
