"""SARI: the n-grams that a correction kept, added and deleted, against people (Xu et al. 2016, section 4)."""

from collections.abc import Sequence
from fractions import Fraction

from rarr.errors import InputError
from rarr.evals.metrics.words import words

Gram = tuple[str, ...]

_LONGEST = 4  # words of an n-gram: the k of the paper


def sari(source: str, output: str, references: Sequence[str]) -> float:
    """SARI between 0 and 1: the mean of F1_add, F1_keep and P_delete over n-grams of up to 4 words.

    This is the variant in the paper's text, not in its code: an n-gram is in a text or not, however often.
    Precision and recall are averaged over n before their F1 is taken. With several references, keeping an
    n-gram counts by the share of references that have it, and deleting it by the share that lack it.

    Cases that the paper leaves open: letter case is ignored. If nothing was to be done and nothing was done,
    the value is 1; every other 0/0 is 0. n is at most the number of words in the longest text, so that short
    texts get no credit for n-grams that no text has. Raises `InputError` without references.
    """
    if not references:
        raise InputError("SARI compares with human revisions: give at least one reference")
    tokens = [words(text.lower()) for text in (source, output, *references)]
    sizes = range(1, min(_LONGEST, max(map(len, tokens))) + 1)
    if not sizes:
        return 1.0
    before, after, *wanted = ([_grams(text, n) for n in sizes] for text in tokens)
    per_size = [_parts(*texts) for texts in zip(before, after, zip(*wanted, strict=True), strict=True)]
    p_add, r_add, p_keep, r_keep, p_delete = (
        Fraction(sum(column), len(sizes)) for column in zip(*per_size, strict=True)
    )
    return float((_f1(p_add, r_add) + _f1(p_keep, r_keep) + p_delete) / 3)


def _parts(before: set[Gram], after: set[Gram], wanted: Sequence[set[Gram]]) -> tuple[Fraction, ...]:
    """Precision and recall of adding, both of keeping, and precision of deleting, for n-grams of one size."""
    having = {gram: Fraction(sum(gram in reference for reference in wanted), len(wanted)) for gram in before}
    added, to_add = after - before, set[Gram]().union(*wanted) - before
    kept, deleted = before & after, before - after
    hits = Fraction(len(added & to_add))
    keeps, to_keep = sum(having[gram] for gram in kept), sum(having.values())
    deletes, to_delete = sum(1 - having[gram] for gram in deleted), len(before) - to_keep
    return (
        _ratio(hits, len(added), len(to_add)),
        _ratio(hits, len(to_add), len(added)),
        _ratio(keeps, len(kept), to_keep),
        _ratio(keeps, to_keep, len(kept)),
        _ratio(deletes, len(deleted), to_delete),
    )


def _ratio(part: Fraction | int, whole: Fraction | int, other: Fraction | int) -> Fraction:
    """`part` of `whole`. For an empty whole, 1 if the `other` side is empty too, else 0."""
    if not whole:
        return Fraction(not other)
    return Fraction(part) / whole


def _f1(precision: Fraction, recall: Fraction) -> Fraction:
    total = precision + recall
    return 2 * precision * recall / total if total else total


def _grams(tokens: Sequence[str], n: int) -> set[Gram]:
    return {tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1)}
