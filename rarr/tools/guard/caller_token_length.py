"""Refuses tokens of callers that can be guessed."""

from rarr.errors import SettingsError

SHORTEST = 16
"""The fewest characters of a token: a shorter token can be guessed."""


def require_long(token: str, setting: str) -> None:
    """Raises `SettingsError` for a token that is too short. `setting` is the name of its setting."""
    if len(token) < SHORTEST:
        raise SettingsError(
            f"{setting} has a token of fewer than {SHORTEST} characters: openssl rand -hex 16 makes one"
        )
