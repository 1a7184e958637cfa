"""From support to the three classes."""

import pytest

from rarr.tools.text.attribution_class_by_support import attribution_class


@pytest.mark.parametrize(
    ("support", "contradicted", "expected"),
    [
        (0.5, False, "attributable"),
        (0.49, False, "extrapolatory"),
        (0.9, True, "contradictory"),
        (None, False, None),
        (None, True, None),
    ],
)
def test_contradiction_takes_precedence_over_support(
    support: float | None, contradicted: bool, expected: str
) -> None:
    assert attribution_class(support, 0.5, contradicted=contradicted) == expected
