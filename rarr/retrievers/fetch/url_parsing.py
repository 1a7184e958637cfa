"""Parses and checks web addresses that others wrote."""

import re

import httpx2

from rarr.errors import RetrievalError
from rarr.tools.text.printable_text import shown

_LONGEST = 4096  # characters: more than real pages need, and few enough to match against a site's rules
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):", re.I)


def link(text: str, base: httpx2.URL | None = None) -> httpx2.URL:
    """Parses `text`, which may be relative to `base`, as the address of a page, and drops its fragment.

    Raises `RetrievalError` unless it is an http or https address without a password.
    `rarr.retrievers.fetch.public_ip_addresses` judges its host.
    """
    text = text.strip()
    scheme = _SCHEME.match(text, 0, _LONGEST)
    if scheme and scheme[1].lower() not in ("http", "https"):
        raise _refused(text, "only http and https are fetched")
    try:
        url = (base.join(text) if base else httpx2.URL(text)).copy_with(fragment=None)
    except (httpx2.InvalidURL, ValueError) as error:
        raise _refused(text, f"it is not the address of a page ({shown(str(error))})") from None
    if url.scheme not in ("http", "https") or not url.host:
        raise _refused(text, "write it in full, as in https://example.org/page")
    if url.userinfo:
        raise _refused(url.host, "its address holds a user name or password: leave out the part before the @")
    if url.port is not None and not 0 < url.port < 65_536:
        raise _refused(text, f"there is no port {url.port}")
    if len(str(url)) > _LONGEST:
        raise _refused(text, f"it is longer than {_LONGEST} characters")
    return url


def _refused(text: str, why: str) -> RetrievalError:
    return RetrievalError(f"{shown(text)} is not fetched: {why}")
