"""Measures of texts, answers, classes and raters, with 95% intervals. All functions are pure.

The same rows always give the same results. If rows depend on each other (sentences of one document), the
intervals are too narrow. A row without a judgement (None) is only counted as `unjudged`. Metrics of a single
revision are in `rarr.ledger`. A metric that only one benchmark uses is in the module of the benchmark.
"""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from itertools import combinations, groupby
from random import Random
from statistics import NormalDist, fmean
from typing import Literal, TypeVar, get_args

from rapidfuzz.distance import LCSseq

from rarr.backends.embedded.items import is_same_item, items_of
from rarr.ledger.scores import f1_ap
from rarr.records import Record, Scores

CONFIDENCE = 0.95

Drawn = TypeVar("Drawn")
RevisionKind = Literal["huge", "bad", "unnecessary", "good"]
REVISION_KINDS: tuple[RevisionKind, ...] = get_args(RevisionKind)
TINY = 1e-9  # the rounding error of floating point: 0.4 - 0.3 is a little more than 0.1


class Measurement(Record):
    """A measure over rows, with its 95% interval from `low` to `high`."""

    value: float | None = None  # None if no row was judged, or if the rows do not define the measure
    low: float | None = None  # None without a value, and for a bootstrap interval of one row
    high: float | None = None
    n: int = 0  # the number of judged rows
    unjudged: int = 0  # the number of other rows


def mean(values: Sequence[float | None]) -> Measurement:
    """Computes the mean of the values, with its bootstrap interval. A value of None counts as unjudged."""
    judged = sorted(value for value in values if value is not None)
    return bootstrap(judged, fmean, unjudged=len(values) - len(judged))


def bootstrap(
    rows: Sequence[Drawn], statistic: Callable[[Sequence[Drawn]], float | None], *, unjudged: int = 0
) -> Measurement:
    """Computes one statistic of rows, such as F1, with its bootstrap interval. See `bootstrap_each`."""
    found = bootstrap_each(rows, lambda drawn: {"": statistic(drawn)}, unjudged=unjudged)
    return found.get("", Measurement(unjudged=unjudged))


def bootstrap_each(
    rows: Sequence[Drawn],
    statistics: Callable[[Sequence[Drawn]], Mapping[str, float | None]],
    *,
    unjudged: int = 0,
    resamples: int = 2000,
) -> dict[str, Measurement]:
    """Computes statistics by name, with percentile bootstrap intervals (Efron and Tibshirani 1993, ch. 13).

    Draws `resamples` samples. A sample has `len(rows)` rows, drawn with replacement. The interval of a
    statistic leaves out samples for which the statistic is None. Returns {} if there are no rows.
    """
    values = statistics(rows) if rows else {}
    random, known = Random(0), [name for name, value in values.items() if value is not None]
    count = resamples if len(rows) > 1 and known else 0
    drawn = [statistics(random.choices(rows, k=len(rows))) for _ in range(count)]
    measured = {name: Measurement(value=values[name], n=len(rows), unjudged=unjudged) for name in values}
    for name in known if drawn else ():
        if ordered := sorted(value for each in drawn if (value := each[name]) is not None):
            cut = int((1 - CONFIDENCE) / 2 * len(ordered))
            ends = {"low": ordered[cut], "high": ordered[-1 - cut]}
            measured[name] = measured[name].model_copy(update=ends)
    return measured


def share(hits: Sequence[bool | None]) -> Measurement:
    """Computes the share of True in `hits`, with Wilson's interval (1927). None counts as unjudged."""
    judged = [hit for hit in hits if hit is not None]
    return share_of(sum(judged), len(judged), unjudged=len(hits) - len(judged))


def share_of(k: int, n: int, *, unjudged: int = 0) -> Measurement:
    """Computes the share `k` / `n` of `k` rows among `n` rows, with Wilson's interval."""
    if not n:
        return Measurement(unjudged=unjudged)
    z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
    centre = (k + z * z / 2) / (n + z * z)
    half = z / (n + z * z) * math.sqrt(k * (n - k) / n + z * z / 4)
    # Without `min` and `max`, rounding may leave the share outside the interval.
    low, high = min(max(centre - half, 0), k / n), max(min(centre + half, 1), k / n)
    return Measurement(value=k / n, low=low, high=high, n=n, unjudged=unjudged)


def share_of_sums(counts: Sequence[tuple[int, int]]) -> Measurement:
    """Divides the sum of parts by the sum of wholes, with Wilson's interval. A count is (part, whole)."""
    return share_of(sum(part for part, _ in counts), sum(whole for _, whole in counts))


def f1_ap_of_set(scores: Sequence[tuple[float | None, float | None]]) -> Measurement:
    """Computes F1_AP of texts: the harmonic mean of their average attribution and average preservation.

    `scores` are pairs (attribution, preservation). The tables of RARR (Gao et al. 2023) and PURR (Chen et al.
    2023) use this formula: an attribution of 54.9 and a preservation of 89.6 give 68.1.
    """
    judged = sorted((one, other) for one, other in scores if one is not None and other is not None)
    unjudged = len(scores) - len(judged)
    return bootstrap(judged, lambda drawn: f1_ap(*map(fmean, zip(*drawn, strict=True))), unjudged=unjudged)


def equals_reference(output: str, reference: str) -> bool:
    """Tells whether `output` equals `reference`, a text by a person. Ignores differences in white space."""
    return output.split() == reference.split()


def revision_kinds(scores: Scores) -> dict[RevisionKind, bool | None]:
    """Maps each kind (PURR) to whether the revision is of this kind; None if a score for the kind is missing.

    huge: preservation is below 0.5. bad: attribution falls by more than 0.1. unnecessary: bad, and the
    attribution before was above 0.9. good: attribution rises by more than 0.3, and preservation is above 0.7.
    """
    before, after, preservation = scores.attribution_before, scores.attribution_after, scores.preservation
    kinds = dict[RevisionKind, bool | None].fromkeys(REVISION_KINDS)
    if preservation is None:
        return kinds
    kinds["huge"] = 0.5 - preservation > TINY
    if before is None or after is None:
        return kinds
    bad, good = before - after - 0.1 > TINY, after - before - 0.3 > TINY and preservation - 0.7 > TINY
    return kinds | {"bad": bad, "unnecessary": bad and before - 0.9 > TINY, "good": good}


def rouge_l(output: str, reference: str) -> float:
    """Computes ROUGE-L from 0 to 1: F1 of the longest common subsequence of words (Lin 2004, section 3.1)."""
    words, others = (re.findall(r"[^\W_]+", text.lower()) for text in (output, reference))
    common = LCSseq.similarity(words, others)
    return 2 * common / (len(words) + len(others)) if common else float(output == reference)


def answer_words(answer: str) -> list[str]:
    """Returns the words of an answer in lower case, without articles and punctuation, as in SQuAD."""
    folded = re.sub(r"[^\w\s]|_", "", unicodedata.normalize("NFKC", answer).lower())
    return [word for word in folded.split() if word not in ("a", "an", "the")]


def exact_match(answer: str, reference: str) -> bool:
    """Tells whether two answers have the same `answer_words`. Empty answers never match."""
    words = answer_words(answer)
    return bool(words) and words == answer_words(reference)


def token_f1(answer: str, reference: str) -> float:
    """Computes the F1 of the words that two answers share, from 0 to 1. See `answer_words`."""
    words, others = answer_words(answer), answer_words(reference)
    common = (Counter(words) & Counter(others)).total()
    return 2 * common / (len(words) + len(others)) if common else 0.0


def answer_score(answer: str, reference: str) -> float:
    """Returns the share (0 to 1) of the words and values (such as dates) of `reference` that `answer` has.

    The form of a word or value may differ. The score is 0 if `answer` lacks a value of `reference`.
    """
    given, wanted = items_of(answer), items_of(reference)
    if not wanted:
        return float(exact_match(answer, reference))
    has = [any(is_same_item(item, other) for other in given) for item in wanted]
    lacks_value = any(item.value and not there for item, there in zip(wanted, has, strict=True))
    return 0.0 if lacks_value else sum(has) / len(has)


def class_measures(
    pairs: Sequence[tuple[Hashable, Hashable]], classes: Sequence[Hashable]
) -> dict[str, float | None]:
    """Compares pairs (prediction, label) by the measures of AttrScore (Yue et al. 2023).

    Returns by name: `accuracy`, `macro_f1` (mean F1 of the classes that occur), `balanced_accuracy` (mean
    recall of at least two labelled classes), and `NAME_precision`, `NAME_recall` and `NAME_f1` of each class.
    A measure is None if it would divide by 0.
    """
    counts, scores = Counter(pairs), dict[str, float | None]()
    predicted, labelled = (Counter(pair[n] for pair in pairs) for n in (0, 1))
    for name in classes:
        hits = counts[name, name]
        scores[f"{name}_precision"] = _ratio(hits, predicted[name])
        scores[f"{name}_recall"] = _ratio(hits, labelled[name])
        scores[f"{name}_f1"] = _ratio(2 * hits, predicted[name] + labelled[name])
    f1s, recalls = (
        [value for name in classes if (value := scores[f"{name}_{kind}"]) is not None]
        for kind in ("f1", "recall")
    )
    return {
        "accuracy": _ratio(sum(counts[name, name] for name in classes), len(pairs)),
        "macro_f1": _ratio(sum(f1s), len(f1s)),
        "balanced_accuracy": _ratio(sum(recalls), len(recalls)) if len(recalls) > 1 else None,
        **scores,
    }


def roc_auc(pairs: Iterable[tuple[float, bool]]) -> float | None:
    """Computes the probability that a true row has a higher score than a false row (Mann and Whitney 1947).

    A pair is (score, label of the row). Equal scores count half. Returns None if all labels are the same.
    """
    rows = sorted(pairs)
    truths = sum(label for _, label in rows)
    wins, below = 0.0, 0
    for _, tied in groupby(rows, lambda row: row[0]):
        group = [label for _, label in tied]
        false = group.count(False)
        wins += (len(group) - false) * (below + false / 2)
        below += false
    return _ratio(wins, truths * below)


def rater_agreement(
    units: Sequence[Sequence[str]], scale: Sequence[str], ordinal: bool = False
) -> dict[str, Measurement]:
    """Computes Krippendorff's `alpha`, and `percent`: how often two ratings of the same item are equal.

    A unit lists the ratings of one item; with fewer than two, it is unjudged. `scale`: the possible ratings.
    """
    compared = [tuple(unit.count(value) for value in scale) for unit in units if len(unit) > 1]

    def measures(drawn: Sequence[tuple[int, ...]]) -> dict[str, float | None]:
        equal = sum(math.comb(count, 2) for unit in drawn for count in unit)
        pairs = sum(math.comb(sum(unit), 2) for unit in drawn)
        return {"alpha": krippendorff_alpha(drawn, ordinal=ordinal), "percent": _ratio(equal, pairs)}

    return bootstrap_each(compared, measures, unjudged=len(units) - len(compared))


def krippendorff_alpha(units: Sequence[tuple[int, ...]], *, ordinal: bool) -> float | None:
    """Computes 1 - observed / expected disagreement (Krippendorff 2011). None if all ratings are the same.

    A unit is an item of two raters or more: the number of raters that gave it each possible rating. With
    `ordinal`, the distance of ratings depends on their ranks. 1: perfect agreement; 0: agreement by chance.
    """
    patterns = Counter(units)  # many units are equal, so counting them once saves time
    counts = ([times * count for count in unit] for unit, times in patterns.items())
    totals = [sum(column) for column in zip(*counts, strict=True)]
    observed = expected = 0.0
    for low, high in combinations(range(len(totals)), 2):
        apart = 1.0
        if ordinal:  # the number of ratings from low to high; ratings at both ends count half
            apart = (sum(totals[low : high + 1]) - (totals[low] + totals[high]) / 2) ** 2
        pairs = sum(times * unit[low] * unit[high] / (sum(unit) - 1) for unit, times in patterns.items())
        observed += pairs * apart
        expected += totals[low] * totals[high] * apart
    return 1 - (sum(totals) - 1) * observed / expected if expected else None


def _ratio(part: float, whole: float) -> float | None:
    return part / whole if whole else None


def message_if_below(name: str, value: float | None, limit: float) -> str:
    """Returns a message if the measure `name` is below its limit or was not judged; otherwise returns ""."""
    if value is None:
        return f"{name} is not judged, so it may be under its limit {limit:g}"
    return f"{name} is {value:.6g}, under its limit {limit:g}" if value < limit - TINY else ""
