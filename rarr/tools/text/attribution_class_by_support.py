"""Turns the support of a sentence into one of the three classes of AttrScore (Yue et al. 2023)."""

from rarr.records import AttributionClass


def attribution_class(
    support: float | None, threshold: float, *, contradicted: bool = False
) -> AttributionClass | None:
    """Chooses the class of a sentence by its support, a score from 0 to 1; None if it was not judged.

    A contradicted sentence is contradictory whatever its support. Otherwise it is attributable if the support
    is at least `threshold`, and extrapolatory below.
    """
    if support is None:
        return None
    if contradicted:
        return "contradictory"
    return "attributable" if support >= threshold else "extrapolatory"
