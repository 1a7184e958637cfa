"""Claims about a dam, a passage about it, and a judge of the caller's own."""

from rarr import ClaimVerifier, Verification
from rarr.components import Verifier
from rarr.testing import scripted_components

DAM = "Hoover Dam is 221 metres high and 379 metres long."
RIGHT, WRONG = "The Hoover Dam is 221 metres high.", "The Hoover Dam is 212 metres high."
CATS = "Cats are nice animals."


def judged_by(verifier: Verifier) -> ClaimVerifier:
    """Components without a reader of cards are judged by their verifier."""
    return ClaimVerifier(components=scripted_components(verifier=verifier))


def codes(verification: Verification) -> list[str]:
    return [notice.code for notice in verification.warnings]
