"""Compares revised texts with those of people (SARI, ROUGE-L), and tells the kind of a revision (PURR)."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import fmean
from typing import Literal, get_args

from rarr.errors import InputError, SetupError

EditKind = Literal["huge", "bad", "unnecessary", "good"]
EDIT_KINDS: tuple[EditKind, ...] = get_args(EditKind)
_NOISE = 1e-9  # 0.9 - 0.8 is less than 0.1 in floating point and 0.4 - 0.3 more; neither is "more than 0.1"

Grams = Counter[tuple[str, ...]]
_ORDERS = (1, 2, 3, 4)
# The rules of mteval-v13a: marks are words of their own; full stops, commas and hyphens depend on digits.
# In scripts without spaces, each character is a word; 13a has no rule for these scripts.
_APART = re.compile(r"([{-~\[-` -&(-+:-@/぀-ヿ㐀-䶿一-鿿])")
_BETWEEN = [(re.compile(r"([^0-9])([.,])"), r"\1 \2 "), (re.compile(r"([.,])([^0-9])"), r" \1 \2")]
_BETWEEN += [(re.compile(r"([0-9])(-)"), r"\1 \2 ")]


def restored(output: str, reference: str) -> bool:
    """True if the output equals the person's text, apart from white space."""
    return output.split() == reference.split()


def edit_kinds(
    attribution_before: float | None, attribution_after: float | None, preservation: float | None
) -> frozenset[EditKind]:
    """Tells the kinds of a revision; most have none, and `unnecessary` comes with `bad`. See `is_kind`."""
    return frozenset(
        kind for kind in EDIT_KINDS if is_kind(kind, attribution_before, attribution_after, preservation)
    )


def is_kind(
    kind: EditKind,
    attribution_before: float | None,
    attribution_after: float | None,
    preservation: float | None,
) -> bool | None:
    """True if the revision has this kind. None if that depends on a score that is None (not judged).

    huge: preservation below 0.5. bad: attribution falls by more than 0.1. unnecessary: bad, and attribution
    before was above 0.9. good: attribution rises by more than 0.3, and preservation is above 0.7 (Chen et al.
    2023, PURR; Chen 2023, figure 7.2). Scores are from 0 to 1; a value at its limit is not beyond the limit.
    """
    if preservation is None:
        return None
    if kind == "huge":
        return _above(0.5, preservation)
    if attribution_before is None or attribution_after is None:
        return None
    if kind == "good":
        return _above(attribution_after - attribution_before, 0.3) and _above(preservation, 0.7)
    bad = _above(attribution_before - attribution_after, 0.1)
    return bad if kind == "bad" else bad and _above(attribution_before, 0.9)


def _above(value: float, limit: float) -> bool:
    return value - limit > _NOISE


class _Words:
    """Tokenizes words of letters and digits in every script; the library's own tokenizer is for English."""

    def tokenize(self, text: str) -> list[str]:
        return re.findall(r"[^\W_]+", text.lower())


def rouge_l(output: str, reference: str) -> float:
    """Computes ROUGE-L from 0 to 1: F1 of the longest common subsequence of words (Lin 2004, section 3.1).

    The package rouge-score computes it, without stemming and letter case. Equal texts have 1, even without
    words. Raises `SetupError` if the package is missing.
    """
    try:
        from rouge_score.rouge_scorer import RougeScorer
    except ImportError:
        raise SetupError('ROUGE-L needs a package: pip install "rarr[eval]"') from None
    if output == reference:
        return 1.0
    scorer = RougeScorer(["rougeL"], tokenizer=_Words())
    return float(scorer.score(reference, output)["rougeL"].fmeasure)


def sari(source: str, output: str, references: Sequence[str]) -> float:
    """Computes SARI from 0 to 1: the mean of F1 of adding, F1 of keeping and precision of deleting.

    Each of the three is the mean over n-grams of 1 to 4 words (Xu et al. 2016). The computation is that of
    the published tools, so that values compare: the authors' SARI.py with the corrections that EASSE
    (Alva-Manchego et al. 2019) and the metric `sari` of Hugging Face share. These print 100 times the value.
    0/0 is 1. Texts are lowercased and split as mteval-v13a splits them. Raises `InputError` without
    references.
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
        _f1(_mean_share(kept & people, kept), _ratio((kept & people).total(), to_keep.total())),
        _mean_share(deleted - people, deleted),
    )


def _mean_share(good: Grams, of: Grams) -> float:
    """The mean, over the n-grams of `of`, of the share of each that is in `good`; 1 if there are none."""
    return fmean(good[gram] / count for gram, count in of.items()) if of else 1.0


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else 1.0


def _f1(precision: float, recall: float) -> float:
    total = precision + recall
    return 2 * precision * recall / total if total else 0.0


def _words(text: str) -> list[str]:
    line = _APART.sub(r" \1 ", f" {text.lower().replace(chr(10), ' ')} ")
    for pattern, apart in _BETWEEN:
        line = pattern.sub(apart, line)
    return line.split()


def _grams(words: Sequence[str], n: int) -> Grams:
    grams: Iterable[tuple[str, ...]] = (tuple(words[i : i + n]) for i in range(len(words) - n + 1))
    return Counter(grams)
