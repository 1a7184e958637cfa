"""Claims about a dam, a passage about it, and a verifier with scripted parts."""

from typing import Any

from rarr import ClaimVerifier, Verification
from rarr.testing import (
    scripted_components,
)

DAM = "Hoover Dam is 221 metres high and 379 metres long."
RIGHT, WRONG = "The Hoover Dam is 221 metres high.", "The Hoover Dam is 212 metres high."
CATS = "Cats are nice animals."


def scripted(**components: Any) -> ClaimVerifier:
    return ClaimVerifier(components=scripted_components(**components))


def codes(verification: Verification) -> list[str]:
    return [notice.code for notice in verification.warnings]
