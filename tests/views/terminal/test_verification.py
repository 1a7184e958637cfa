"""The text of a verification says what is not confirmed."""

import pytest

from rarr import verify
from rarr.views.terminal.verification import verification_text


def shown(claim: str, passage: str) -> list[str]:
    return verification_text(verify(claim, passage)).splitlines()


@pytest.mark.slow
def test_confirmed_claim_is_attributable() -> None:
    assert shown("The mill opened in 1937.", "The mill opened in 1937.")[0] == "attributable"


@pytest.mark.slow
def test_unconfirmed_claim_names_its_open_words() -> None:
    lines = shown("The drug causes kidney disease.", "The drug causes liver disease.")
    assert lines[0] == "extrapolatory"
    assert lines[1].startswith("nearest: The drug causes liver disease. ")
    assert lines[-1] == "  open: kidney"
