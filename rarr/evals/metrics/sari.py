"""Computes SARI: n-grams that a correction kept, added and deleted, compared with people (Xu et al. 2016)."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import fmean

from rarr.errors import InputError

Grams = Counter[tuple[str, ...]]

_ORDERS = (1, 2, 3, 4)
# The rules of mteval-v13a: marks are words of their own; full stops, commas and hyphens depend on digits.
# In scripts without spaces, each character is a word; 13a has no rule for these scripts.
_APART = re.compile(r"([{-~\[-` -&(-+:-@/぀-ヿ㐀-䶿一-鿿])")
_BETWEEN = [(re.compile(r"([^0-9])([.,])"), r"\1 \2 "), (re.compile(r"([.,])([^0-9])"), r" \1 \2")]
_BETWEEN += [(re.compile(r"([0-9])(-)"), r"\1 \2 ")]


def sari(source: str, output: str, references: Sequence[str]) -> float:
    """Computes SARI from 0 to 1: the mean of F1 of adding, F1 of keeping and precision of deleting.

    Each of the three is the mean over n-grams of 1 to 4 words. The computation is that of the published
    tools, so that values compare: the authors' SARI.py with the corrections that EASSE (Alva-Manchego et al.
    2019) and the metric `sari` of Hugging Face share. These print 100 times the value. An n-gram counts as
    often as it occurs; with several references, each gram of the source and the output counts once a
    reference. 0/0 is 1. Texts are lowercased and split as mteval-v13a splits them. Raises `InputError`
    without references.
    """
    if not references:
        raise InputError("SARI compares with human revisions: give at least one reference")
    texts = [_words(text) for text in (source, output, *references)]
    orders = ([_grams(text, n) for text in texts] for n in _ORDERS)
    return fmean(part for before, after, *wanted in orders for part in _parts(before, after, wanted))


def _parts(before: Grams, after: Grams, wanted: Sequence[Grams]) -> tuple[float, float, float]:
    """Computes F1 of adding, F1 of keeping and precision of deleting, for n-grams of one size."""
    people = Counter[tuple[str, ...]]()
    for reference in wanted:
        people.update(reference)
    before, after = (
        Counter({gram: k * len(wanted) for gram, k in grams.items()}) for grams in (before, after)
    )
    added, to_add = after.keys() - before.keys(), people.keys() - before.keys()
    kept, to_keep, deleted = before & after, before & people, before - after
    hits = len(added & to_add)
    return (
        _f1(_ratio(hits, len(added)), _ratio(hits, len(to_add))),
        _f1(_share(kept & people, kept), _ratio((kept & people).total(), to_keep.total())),
        _share(deleted - people, deleted),
    )


def _share(good: Grams, of: Grams) -> float:
    """The mean, over the n-grams of `of`, of the share of each that is in `good`; 1 if there are none."""
    return fmean(good[gram] / count for gram, count in of.items()) if of else 1.0


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else 1.0


def _f1(precision: float, recall: float) -> float:
    total = precision + recall
    return 2 * precision * recall / total if total else 0.0


def _words(text: str) -> list[str]:
    """Splits a text into words as mteval-v13a does, in lower case."""
    line = _APART.sub(r" \1 ", f" {text.lower().replace(chr(10), ' ')} ")
    for pattern, apart in _BETWEEN:
        line = pattern.sub(apart, line)
    return line.split()


def _grams(words: Sequence[str], n: int) -> Grams:
    grams: Iterable[tuple[str, ...]] = (tuple(words[i : i + n]) for i in range(len(words) - n + 1))
    return Counter(grams)
