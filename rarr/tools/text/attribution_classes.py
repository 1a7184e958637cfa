"""Turns the support of a sentence into one of the three classes of AttrScore (Yue et al. 2023)."""

from rarr.records import AttributionClass


def attribution_class(
    support: float | None, threshold: float, *, contradicted: bool = False
) -> AttributionClass | None:
    """The class of a sentence with this support, from 0 to 1; None where it was not judged.

    A contradicted sentence is contradictory whatever its support. Otherwise it is attributable from
    `threshold` on.
    """
    if support is None:
        return None
    if contradicted:
        return "contradictory"
    return "attributable" if support >= threshold else "extrapolatory"
