"""Computes preservation, which is the share of the original that a revision keeps, and F1_AP."""

from collections.abc import Sequence

from rapidfuzz.distance import Levenshtein


def pres_lev(original: str, revised: str) -> float:
    """Pres_Lev: max(1 - Lev(x, y) / len(x), 0) over characters (Gao et al. 2023, section 2.2).

    For an empty original, an empty revision has preservation 1, and any other revision 0.
    """
    return pres_lev_by_parts([(original, revised)])


def pres_lev_by_parts(parts: Sequence[tuple[str, str]]) -> float:
    """Pres_Lev of a text whose parts (original, revised) were revised one by one.

    The distance is the sum over the parts, so the time grows with the text and not with its square.
    """
    if not (length := sum(len(original) for original, _ in parts)):
        return float(not any(revised for _, revised in parts))
    distance = sum(Levenshtein.distance(original, revised) for original, revised in parts)
    return max(1 - distance / length, 0.0)


def pres_comb(intent: float | None, lev: float) -> float | None:
    """Pres_comb = Pres_intent * Pres_Lev (Gao et al. 2023, section 2.2); None where intent was not judged.

    `intent`: whether the revision keeps the intent of the original; True, False, or the share of judges who
    say so.
    """
    return None if intent is None else intent * lev


def f1_ap(attribution: float | None, preservation: float | None) -> float | None:
    """F1_AP: the harmonic mean of attribution and preservation (Gao et al. 2023).

    None if one of the two could not be judged; 0 if both are 0.
    """
    if attribution is None or preservation is None:
        return None
    total = attribution + preservation
    return 2 * attribution * preservation / total if total else 0.0
