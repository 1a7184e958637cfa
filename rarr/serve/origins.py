"""Refuses requests that a page of another site makes a browser send."""

from collections.abc import Mapping
from urllib.parse import urlsplit

from rarr.serve.refusals import Refusal
from rarr.tools.guard.listening import is_loopback


def require_same_site(headers: Mapping[str, str], *, tokens: bool) -> None:
    """Raises `Refusal` for another site's page, and without tokens for any name but this machine's.

    This prevents DNS rebinding: a foreign name that resolves to this machine, used by a foreign page.
    """
    host = headers.get("host", "")
    if not tokens and not is_loopback(_name(f"//{host}")):
        raise Refusal(
            403,
            "wrong_host",
            "this server has no tokens, and answers on localhost alone: set RARR_SERVE_TOKEN",
        )
    origin = headers.get("origin")
    if origin is not None and urlsplit_netloc(origin) != host:
        raise Refusal(
            403, "other_site", "this server answers no pages of other sites: call it from a program"
        )


def urlsplit_netloc(address: str) -> str:
    """Returns host and port of an address; "" if it has none."""
    try:
        return urlsplit(address).netloc
    except ValueError:
        return ""


def _name(address: str) -> str:
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""
