"""Compares corrections with human revisions: restored texts, untouched texts, and edited words."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from rapidfuzz.distance import Indel

from rarr.evals.metrics.words import words


class Correction(NamedTuple):
    """A text, a system's correction of it, and a person's correction of it."""

    source: str
    output: str
    reference: str


class WordEdits(NamedTuple):
    """The number of word edits that a system `made`, that a person `wanted`, and that both agree on.

    The ratios lie between 0 and 1; they are None where they are not defined.
    """

    matched: int
    made: int
    wanted: int

    @property
    def precision(self) -> float | None:
        """The share of the system's edits that the person made as well."""
        return self.matched / self.made if self.made else None

    @property
    def recall(self) -> float | None:
        """The share of the person's edits that the system made as well."""
        return self.matched / self.wanted if self.wanted else None

    @property
    def f1(self) -> float | None:
        """The harmonic mean of precision and recall, from the counts."""
        total = self.made + self.wanted
        return 2 * self.matched / total if total else None


def restored(output: str, reference: str) -> bool:
    """True if the output equals the person's text, apart from white space."""
    return output.split() == reference.split()


def word_edits(row: Correction) -> WordEdits:
    """Counts the words that system and person removed from the source and inserted.

    Both come from a longest common subsequence of words (`rarr.evals.metrics.words`), with letter case, as
    multisets without places: which of two equal words was removed does not matter. A word that moved was
    removed once and inserted once.
    """
    made, wanted = _edits(row.source, row.output), _edits(row.source, row.reference)
    return WordEdits((made & wanted).total(), made.total(), wanted.total())


def in_all(edits: Sequence[WordEdits]) -> WordEdits:
    """Adds up the word edits of several rows. In the ratios of the sum, each word has the same weight."""
    return WordEdits(*(sum(column) for column in zip(WordEdits(0, 0, 0), *edits, strict=True)))


def _edits(source: str, revised: str) -> Counter[tuple[str, str]]:
    before, after = words(source), words(revised)
    return Counter(
        (op.tag, before[op.src_pos] if op.tag == "delete" else after[op.dest_pos])
        for op in Indel.editops(before, after)
    )
