"""Parts of the baselines for comparison: search with the text itself, edit without a check or by chance."""

import random
import re
from collections.abc import Sequence
from typing import Literal

from rarr.backends.rules.agreement import queried_value
from rarr.backends.rules.counterparts import counterparts, parsed_passage
from rarr.backends.rules.questions import value_questions
from rarr.backends.rules.values import same_value
from rarr.components import Lacking
from rarr.records import Agreement, Change, Check, Evidence, Query, Question
from rarr.tools.concurrency.worker_threads import work
from rarr.tools.text.blocks_and_sentences import Span, sentences

_WORD = re.compile(r"\w{4,}")


class TextQueries:
    """Makes a query of each sentence, or of the text, as it stands (Gao et al. 2023, table 5: no questions).

    `by_value` makes one query for each value, because the rule-based checker compares values. All of them
    search with the same words.
    """

    def __init__(self, unit: Literal["sentences", "text"], *, by_value: bool) -> None:
        self._unit, self._by_value = unit, by_value

    async def generate(self, text: str, context: str | None) -> Sequence[Question]:
        """Returns the queries, whose words are the sentence or text; with `by_value`, one for each value."""
        spans = await work(sentences, text) if self._unit == "sentences" else [Span(0, len(text))]
        places = [
            Span(question.start, question.end) for question in await work(value_questions, text, context)
        ]
        return [
            Question(text=" ".join(span.of(text).split()), start=place.start, end=place.end)
            for span in spans
            for place in (places if self._by_value else [span])
            if place.overlaps(span)
        ]

    async def target(self, text: str, context: str | None, lacking: Lacking) -> Sequence[Question]:
        """Returns no queries: the text was searched for already."""
        return ()


class UngatedAgreement:
    """Names the most likely other value of the evidence, even if it does not contradict the text.

    It is a checker without the gate of agreement: its verdict is always `unknown`.
    """

    async def check(self, text: str, context: str | None, query: Query, evidence: Evidence) -> Agreement:
        """Returns `unknown`, with both values as answers if the evidence has another value of the kind."""
        return await work(other_value, text, context, query, evidence)


def other_value(text: str, context: str | None, query: Query, evidence: Evidence) -> Agreement:
    """Finds the value that a query asks for, and the most likely other value of the evidence for it."""
    queried = queried_value(text, context, query)
    if queried is None:
        return Agreement(verdict="unknown", reason="the query asks for no single value of the text")
    claim, value = queried
    claimed = claim.sentence.text[value.start : value.end]
    other = counterparts(
        claim.sentence, value, parsed_passage(evidence.text, evidence.title), claim.about
    ).other
    if other is None or same_value(value, other.value):
        return Agreement(
            verdict="unknown", text_answer=claimed, reason="the evidence has no other such value"
        )
    answer = other.sentence.text[other.value.start : other.value.end]
    return Agreement(
        verdict="unknown", text_answer=claimed, evidence_answer=answer, reason="agreement is not asked about"
    )


class UnaskedAgreement:
    """A checker that checks nothing and leaves everything to the editor."""

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


class NoEditor:
    """Makes no edit: disagreements stay in the report."""

    async def edit(
        self, text: str, context: str | None, query: Query, check: Check, evidence: Evidence
    ) -> Change | None:
        """Returns None."""
        return None
