"""The first line of a verification says what is not confirmed."""

import pytest

from rarr import verify
from rarr.views.terminal.verification import verification_text


def first_line(claim: str, passage: str) -> str:
    return verification_text(verify(claim, passage)).split("\n")[0]


@pytest.mark.slow
def test_confirmed_claim_is_attributable_without_more() -> None:
    assert first_line("The mill opened in 1937.", "The mill opened in 1937.") == "attributable (support 1.00)"


@pytest.mark.slow
def test_unconfirmed_claim_names_its_open_words() -> None:
    line = first_line("It causes kidney disease in adults.", "It causes liver disease in adults.")
    assert line.endswith(", likely, but not confirmed: 'kidney'")
