"""Claims about a dam, and a passage about it."""

from rarr import Verification

DAM = "Hoover Dam is 221 metres high and 379 metres long."
RIGHT, WRONG = "The Hoover Dam is 221 metres high.", "The Hoover Dam is 212 metres high."
CATS = "Cats are nice animals."


def codes(verification: Verification) -> list[str]:
    return [notice.code for notice in verification.warnings]
