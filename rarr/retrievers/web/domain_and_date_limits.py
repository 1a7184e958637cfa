"""Tells which sources the settings allow, by domain and date, and which addresses mean the same page."""

import re
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from functools import lru_cache
from urllib.parse import SplitResult, unquote, urlsplit

import httpx2

from rarr.records import Passage
from rarr.retrievers.extract.documents import parsed_date
from rarr.settings import Settings
from rarr.tools.concurrency import work
from rarr.tools.models.run_budget import meter
from rarr.valid_unicode import valid

_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]+://|//|www\.", re.IGNORECASE)
_BARE_ADDRESS = re.compile(r"(?:[\w-]+\.)+[\w-]+(?=[/:?#])(?!://)")  # example.org/page, but not a file's name


def allows_domain(limits: Settings, url: str) -> bool:
    """Tells whether the host of `url` is not excluded, and is included if `limits` name domains to include.

    The domain example.org includes www.example.org, but not badexample.org.
    """
    include, exclude, host = limits.include_domains, limits.exclude_domains, host_of(url)
    if not host and _ADDRESS.match(url):  # programs read its host differently
        return not include and not exclude
    included = not include or any(_is_under(host, domain) for domain in include)
    return included and not any(_is_under(host, domain) for domain in exclude)


def allowed_passages(limits: Settings, passages: Sequence[Passage]) -> list[Passage]:
    """Returns the passages whose domain and date `limits` allow.

    A passage without a date is left out if `limits` have a date. A date without a time zone is in UTC.
    """
    after, before = limits.published_after, limits.published_before

    def fits(date: datetime | None) -> bool:
        if date is None:
            return after is None and before is None
        return (after is None or date >= after) and (before is None or date < before)

    return [it for it in passages if allows_domain(limits, it.source) and fits(parsed_date(it.published_at))]


async def limit_passages(name: str, passages: Sequence[Passage], limits: Settings) -> list[Passage]:
    """Returns the passages that `limits` allow. Warns if no passage has a date or web address to compare."""
    dated = limits.published_after or limits.published_before
    if not (dated or limits.include_domains or limits.exclude_domains):
        return list(passages)
    if (fitting := await work(allowed_passages, limits, passages)) or not passages:
        return fitting
    told, cure = f"the passages of {name} are left out, since they have no", "or do not search there"
    if dated and all(passage.published_at is None for passage in passages):
        meter().warn("source_left_out", f"{told} date: unset published_after and published_before, {cure}")
    elif limits.include_domains and not any(host_of(passage.source) for passage in passages):
        meter().warn("source_left_out", f"{told} web address: unset include_domains, {cure}")
    return fitting


def page_key(url: str) -> str:
    """Returns a key of the page at `url`. Different addresses of one page give the same key.

    The key leaves out the scheme, www, the fragment and a slash at the end. The key of a source that is not
    a web address is the source itself.
    """
    parts, host = _url_parts(url), host_of(url)
    if parts is None or not host:
        return url
    port = f":{parts.port}" if parts.port not in (None, 80, 443) else ""
    return f"{host}{port}{unquote(parts.path).rstrip('/')}?{parts.query}"


def host_of(url: str) -> str:
    """Returns the host of `url` without www; "" if `url` is no web address, or its host is ambiguous."""
    parts = _url_parts(url)
    if parts is None or "\\" in parts.netloc:
        return ""
    return _ascii_host(parts.hostname or "").removeprefix("www.")


def site_of(source: str) -> str:
    """Returns the registered domain of a web source: example.org for https://a.b.example.org/page.

    Returns "" for a file, and "?" for an address whose host is ambiguous. A service such as github.io gives
    subdomains to everybody. All subdomains of the service count as one site: one person can have many.
    """
    host = host_of(source)
    if not host:
        return "?" if _ADDRESS.match(source) else ""
    if (domain := _registered_domain(host)) or ":" in host or host.rpartition(".")[2].isdigit():
        return domain or host  # an IP address has no domain
    return ".".join(host.split(".")[-2:])  # the rule for hosts that are not in the list of suffixes


@lru_cache(maxsize=4096)
def _registered_domain(host: str) -> str | None:
    from tld import get_fld  # the first call reads a list of suffixes from the package

    return get_fld(host, fix_protocol=True, fail_silently=True, search_private=False)


def _is_under(host: str, domain: str) -> bool:
    wanted = host_of(f"https://{domain}")
    return bool(wanted) and f".{host}".endswith(f".{wanted}")


def _ascii_host(host: str) -> str:
    """Returns `host` in ASCII, the form that fetching a page uses; "" if `host` has no ASCII form."""
    name = host.lower().rstrip(".")
    if name.isascii():
        return name
    try:  # by IDNA 2008; Python uses IDNA 2003, by which straße.de becomes strasse.de
        return httpx2.URL(scheme="https", host=name).raw_host.decode("ascii").rstrip(".")
    except (httpx2.InvalidURL, UnicodeError):
        return ""


def _url_parts(url: str) -> SplitResult | None:
    url = valid(url.strip())
    bare = _BARE_ADDRESS.match(url)  # the name of a folder rarely ends with the suffix of a domain
    if url.startswith("//") or url[:4].lower() == "www." or (bare and _registered_domain(bare[0])):
        url = f"https://{url.lstrip('/')}"
    with suppress(ValueError):
        parts = urlsplit(url)
        _ = parts.port  # raises ValueError if it is not a number
        return parts if parts.scheme.lower() in ("http", "https") else None
    return None
