"""Tells the kind of a revision by the rules of PURR (Chen et al. 2023, PURR; Chen 2023, figure 7.2)."""

from typing import Literal, get_args

EditKind = Literal["huge", "bad", "unnecessary", "good"]
EDIT_KINDS: tuple[EditKind, ...] = get_args(EditKind)

# 0.9 - 0.8 is less than 0.1 in floating point and 0.4 - 0.3 more; neither is "more than 0.1".
_NOISE = 1e-9


def edit_kinds(
    attribution_before: float | None, attribution_after: float | None, preservation: float | None
) -> frozenset[EditKind]:
    """Tells the kinds of a revision; most have none, and `unnecessary` comes with `bad`. See `is_kind`.

    All scores are from 0 to 1; None: not judged. Kinds that depend on a score that is None are left out.
    """
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
    before was above 0.9. good: attribution rises by more than 0.3, and preservation is above 0.7. A value at
    its limit is not beyond the limit.
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
