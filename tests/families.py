"""Families of cases of which the default tests run a few, and the slow tests all others."""

from collections.abc import Iterable
from typing import Any

import pytest
from _pytest.mark import ParameterSet


def few(cases: Iterable[Any], every: int) -> list[ParameterSet]:
    """The cases as parameters; only each `every`-th runs without --slow, from the first one on."""
    return [
        pytest.param(
            *(case if isinstance(case, tuple) else (case,)), marks=[pytest.mark.slow] * (number % every > 0)
        )
        for number, case in enumerate(cases)
    ]
