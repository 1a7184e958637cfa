"""Addresses: which sources may be used, and which addresses are those of one page."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from urllib.parse import SplitResult, parse_qsl, unquote, urlencode, urlsplit

import httpx2

from rarr.records import Passage
from rarr.unicode import valid

_TRACKING = re.compile(
    r"utm_\w+|fbclid|gclid|gclsrc|dclid|gbraid|wbraid|msclkid|yclid|twclid|igshid|mc_[ce]id|_hs(?:enc|mi)"
    r"|_ga|_gl|vero_id|mkt_tok|ocid|amp",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]+://|//|www\.", re.IGNORECASE)
_BARE = re.compile(r"(?:[\w-]+\.)+[\w-]+(?=[/:?#])(?!://)")  # example.org/page, and not a file's name alone
_OTHER_FACES = {"www", "m", "mobile", "amp"}  # labels under which a site shows the same pages
_OF_AMP_CACHE = re.compile(
    r"^https?://(?:(?:www\.)?google\.[a-z.]+/amp|[^/]*cdn\.ampproject\.org/[a-z])/(?:s/)?", re.IGNORECASE
)


@dataclass(frozen=True)
class Limits:
    """Which sources may be used; empty and None: any.

    `include` and `exclude` are domains. What bears no date is left out where a date is asked for, since
    nothing says that it fits.
    """

    include: Sequence[str] = ()
    exclude: Sequence[str] = ()
    after: datetime | None = None
    before: datetime | None = None

    def keep(self, passages: Sequence[Passage]) -> list[Passage]:
        """Those of `passages` that may be used."""
        return [
            passage
            for passage in passages
            if allowed(passage.source, self.include, self.exclude)
            and within(passage.published_at, self.after, self.before)
        ]


def allowed(url: str, include: Sequence[str], exclude: Sequence[str]) -> bool:
    """Whether the host of `url` is one of `include`, or under it, and none of `exclude`.

    `example.org` stands for www.example.org too, and not for badexample.org. Without `include`, every host
    that is not excluded may be used.
    """
    host = host_of(url)
    if not host and _ADDRESS.match(url):  # an address that nobody can be sure of
        return not include and not exclude
    if any(_is_under(host, domain) for domain in exclude):
        return False
    return not include or any(_is_under(host, domain) for domain in include)


def within(moment: datetime | None, after: datetime | None, before: datetime | None) -> bool:
    """Whether `moment` is at or after `after`, and before `before`. Times without a zone are in UTC."""
    if moment is None:
        return after is None and before is None
    moment, after, before = _zoned(moment), after and _zoned(after), before and _zoned(before)
    return (after is None or moment >= after) and (before is None or moment < before)


def normalised(url: str) -> str:
    """A name for the page at `url`, the same for all its addresses; no address to fetch.

    It leaves out the scheme, www, mobile and AMP faces, tracking parameters, the fragment and a slash at the
    end. What is no web address stays as it is.
    """
    parts = _parts(_OF_AMP_CACHE.sub("https://", url, count=1))
    if parts is None or not parts.hostname:
        return url
    path = re.sub(r"(?:/amp|\.amp(?=\.html$))?/*$", "", re.sub(r"^/amp(?=/)", "", unquote(parts.path)))
    pairs = [pair for pair in parse_qsl(parts.query, True) if not _TRACKING.fullmatch(pair[0])]
    query = f"?{urlencode(sorted(pairs))}" if pairs else ""
    port = f":{parts.port}" if parts.port not in (None, 80, 443) else ""
    return f"{_plain(parts.hostname)}{port}{path}{query}"


def host_of(url: str) -> str:
    """The host of a web address without www; "" where there is none, or readers disagree on which it is."""
    parts = _parts(url)
    if parts is None or "\\" in parts.netloc:
        return ""
    return _ascii(parts.hostname or "").removeprefix("www.")


def site_of(source: str) -> str:
    """The domain that the owner of a web source registered, as example.org for a.b.example.org.

    "" for a file, and "?" for an address of which nobody can be sure. Hosts of one that gives its subdomains
    away, as github.io does, are one site: nothing is cheaper to have many of.
    """
    host = host_of(source)
    if host:
        return _registered(host)
    return "?" if _ADDRESS.match(source) else ""


@lru_cache(maxsize=4096)
def _registered(host: str) -> str:
    from tld import get_fld  # it reads its list, which comes with it, when it is first asked

    found = get_fld(host, fix_protocol=True, fail_silently=True, search_private=False)
    if found or ":" in host or host.rpartition(".")[2].isdigit():  # the latter are numbers, and no names
        return found or host
    return ".".join(host.split(".")[-2:])  # as the list of suffixes itself has it for what is not on it


def _is_bare(source: str) -> bool:
    """Is it an address that somebody wrote without https? A folder rarely ends as a domain does."""
    match = _BARE.match(source)
    if match is None:
        return False
    from tld import get_fld

    return get_fld(match[0], fix_protocol=True, fail_silently=True, search_private=False) is not None


def _plain(host: str) -> str:
    """Without the labels of other faces, also in the middle, as in en.m.wikipedia.org."""
    labels = (_ascii(host) or host.lower()).split(".")
    faces = [label for label in labels[:-2] if label not in _OTHER_FACES]
    return ".".join([*faces, *labels[-2:]])


def _is_under(host: str, domain: str) -> bool:
    wanted = host_of(domain if "://" in domain else f"https://{domain.strip().removeprefix('*').lstrip('.')}")
    return bool(wanted) and (host == wanted or host.endswith(f".{wanted}"))


def _ascii(host: str) -> str:
    """The name under which pages are fetched from `host`; "" where it has none.

    By the client itself, so that what is limited and what is asked are one host: it goes by IDNA 2008, and
    the standard library by IDNA 2003, to which straße.de is strasse.de.
    """
    name = host.lower().rstrip(".")
    if name.isascii():
        return name
    try:
        return httpx2.URL(scheme="https", host=name).raw_host.decode("ascii").rstrip(".")
    except (httpx2.InvalidURL, UnicodeError):
        return ""


def _parts(url: str) -> SplitResult | None:
    url = valid(url.strip())
    if url.startswith("//") or url[:4].lower() == "www." or _is_bare(url):
        url = f"https://{url.lstrip('/')}"
    try:
        parts = urlsplit(url)
        _ = parts.port  # raises where it is no number
    except ValueError:
        return None
    return parts if parts.scheme.lower() in ("http", "https") else None


def _zoned(moment: datetime) -> datetime:
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
