"""Fetches pages from the web safely: only from public addresses, within limits of size and time.

Respects the wishes of sites: sends few requests at once, and obeys robots.txt as in RFC 9309.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from functools import partial
from time import monotonic
from typing import NamedTuple, TypeVar

import httpx2
from protego import Protego

from rarr.errors import RetrievalError, SettingsError
from rarr.retrievers.fetch.public_ip_addresses import UnreachableError, page_url, public_ips
from rarr.tools.concurrency import time_limit
from rarr.tools.guard import bounded_http_client as bounded
from rarr.tools.models.retries import Limiter
from rarr.tools.text.wording import safe_text

PAGE_TYPES = ("text/html", "application/xhtml+xml", "text/plain", "text/markdown", "application/pdf")
TIMEOUT_S = 20.0
"""The limit in seconds for one page with its redirects: a slow or endless page must not delay a run."""
AT_ONCE, AT_ONCE_PER_HOST = 16, 2
"""The most fetches at once, in all and from one host."""
_MOST_REDIRECTS = 5
_REDIRECTS = (301, 302, 303, 307, 308)
_MOST_ADDRESSES = 3  # the most addresses of a host that are tried, one after another
_PAGE_HEADERS = {
    "Accept": "text/html, application/xhtml+xml, application/pdf, text/markdown, text/plain;q=0.8, */*;q=0.1",
    **bounded.REQUEST_HEADERS,
    "Connection": "close",
}
# The possessive + prevents backtracking: a row of comments could be split in very many ways.
_MARKUP = re.compile(
    rb"(?is)(?:\xef\xbb\xbf)?(?:\s|<!--.*?-->|<\?xml[^>]*>)*+<(?:!doctype html|html|head|body)\b"
)
_UNPRINTABLE = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_SNIFFED_BYTES = 4096  # the first bytes of a page, which show its type

RobotsRequest = Callable[[httpx2.URL], Awaitable[tuple[int, bytes]]]
"""A function: takes the address of a robots.txt, returns (status, first `RULES_BYTES` bytes of content)."""
RULES_BYTES = 512_000  # RFC 9309, 2.5: a robot must read at least 500 KiB
_MOST_SITES = 128  # the most sites whose rules are kept
_KEPT_S = 86_400.0  # RFC 9309, 2.4: at most a day
_RETRY_S = 30.0
_CURE = "; leave it out, or fetch without respect for robots.txt where you may"
_LINE = re.compile(r"\s*(user-agent|allow|disallow)\s*:\s*([^#]*)", re.I)
_PRODUCT = re.compile(r"[a-z_-]+", re.I)
_OTHER_ROBOT = "0"  # no product name holds a digit

Result = TypeVar("Result")


def product_name(user_agent: str) -> str:
    """Returns the name of the robot in `user_agent`, such as rarr for Rarr/2.0; "" if there is no name."""
    name = _PRODUCT.match(user_agent)
    return name[0].lower() if name else ""


def parse_rules(content: bytes, name: str) -> Protego:
    """Parses a robots.txt into the rules for the robot `name`, or for all robots if no group names it.

    Avoids two errors of Protego. Removes lines such as Crawl-delay, at which Protego ends a group of rules.
    Names of robots are replaced: in Protego, "ra" matches the robot `rarr`, and "rarr/2.0" does not.
    """
    lines = list[str]()
    for line in filter(None, map(_LINE.match, content.decode("utf-8-sig", errors="replace").splitlines())):
        key, value = line[1].lower(), line[2].strip()
        if key == "user-agent" and value != "*":
            value = name if product_name(value) == name else _OTHER_ROBOT
        lines.append(f"{key}: {value}")
    return Protego.parse("\n".join(lines))


class RobotsRules:
    """Keeps the robots.txt rules of sites. Reads them again after a day, or 30 s after a failed reading."""

    def __init__(self, name: str, timeout_s: float) -> None:
        """`timeout_s`: the seconds for a page. Reading the rules of its site may take four fifths of them."""
        self._name, self._timeout_s = name, timeout_s * 0.8
        self._turns = Limiter(1)
        self._kept: dict[str, tuple[float, Protego | str]] = {}  # site: (end of validity, rules or error)

    async def require_allowed(self, url: httpx2.URL, read: RobotsRequest) -> None:
        """Raises `RetrievalError` if the rules of the site forbid `url` to this robot, or cannot be read."""
        site = str(url.copy_with(raw_path=b"/robots.txt"))
        async with self._turns(site):
            until, site_rules = self._kept.get(site, (0.0, ""))
            if until < monotonic():
                site_rules = await self._fetch_rules(httpx2.URL(site), read)
                if len(self._kept) >= _MOST_SITES:
                    del self._kept[next(iter(self._kept))]
                kept_s = _RETRY_S if isinstance(site_rules, str) else _KEPT_S
                self._kept[site] = (monotonic() + kept_s, site_rules)
        if isinstance(site_rules, str):
            raise RetrievalError(f"{safe_text(str(url))}: {site_rules}")
        # In a thread: matching half a megabyte of rules takes time, in which other runs would stand still.
        if not await asyncio.to_thread(site_rules.can_fetch, str(url), self._name):
            raise RetrievalError(f"{safe_text(str(url))} is not fetched: {safe_text(site)} forbids it{_CURE}")

    async def _fetch_rules(self, site: httpx2.URL, read: RobotsRequest) -> Protego | str:
        try:
            async with asyncio.timeout(self._timeout_s):
                status, content = await read(site)
        except UnreachableError as error:  # the host cannot be asked: the reason is not in its rules
            return str(error)
        except RetrievalError as error:
            return f"the site's rules cannot be read: {error}{_CURE}"
        except TimeoutError:
            return f"{safe_text(str(site))} was not sent in time{_CURE}"
        if status < 200 or 300 <= status < 400 or status >= 500:
            # RFC 9309, 2.3.1.4: unreachable rules forbid everything
            return f"{safe_text(str(site))} answered {status}, so that nothing may be fetched{_CURE}"
        # RFC 9309, 2.3.1.3: with a status from 400 to 499 there are no rules.
        return await asyncio.to_thread(parse_rules, content if status < 300 else b"", self._name)


class FetchedPage(NamedTuple):
    """A fetched page, unpacked. `url`: the last address after redirects. `media_type`: sent or guessed."""

    url: str
    content: bytes
    media_type: str
    charset: str | None  # Python may not know it


class Fetcher:
    """Fetches pages only from public IP addresses, with few requests at once and limits of size and time.

    Each request looks up the host name once. All addresses of the host must be public, and the connection
    goes to one of these. Proxies of the environment are not used, because a proxy looks up the name again.
    `timeout_s`: the limit for one page with redirects and robots.txt, without the wait for other fetches.
    `look_up` returns the addresses of a host and port, and raises `UnreachableError` for a forbidden address.
    """

    max_bytes = 10_000_000
    """The most bytes of one page, both as sent and as unpacked."""

    def __init__(
        self,
        *,
        user_agent: str,
        timeout_s: float = TIMEOUT_S,
        respect_robots: bool = True,
        look_up: Callable[[str, int], Awaitable[Sequence[str]]] = public_ips,
    ) -> None:
        if not (product_name(user_agent) and user_agent.isascii() and user_agent.isprintable()):
            raise SettingsError(f"user agent {safe_text(user_agent)!r}: write ASCII, as in 'rarr/1.0'")
        self._headers = {**_PAGE_HEADERS, "User-Agent": user_agent}
        self._timeout_s, self._look_up = timeout_s, look_up
        self._all, self._hosts = Limiter(AT_ONCE), Limiter(AT_ONCE_PER_HOST)
        self._robots = RobotsRules(product_name(user_agent), timeout_s) if respect_robots else None

    async def fetch(self, url: str) -> FetchedPage:
        """Fetches the page at `url`. Raises `RetrievalError` if this is forbidden or fails."""
        late = f"{safe_text(url)} took more than {self._timeout_s:g} s: raise the limit, or leave it out"
        first, limit = page_url(url), time_limit(self._timeout_s, lambda: RetrievalError(late))
        # Waits for the host first, so that a slow host does not take the places of other hosts.
        async with self._hosts(first.host), self._all(), limit:
            return await _follow(first, self._request_page)

    async def _request_page(self, url: httpx2.URL) -> FetchedPage | httpx2.URL:
        try:
            if self._robots:
                await self._robots.require_allowed(url, self._request_robots_txt)
            return await self._send_request(url, partial(self._read_page, str(url)))
        except UnreachableError as error:
            raise RetrievalError(f"{safe_text(str(url))}: {error}") from None

    async def _read_page(self, url: str, response: httpx2.Response) -> FetchedPage:
        media_type, length = _accepted_type(response), response.headers.get("Content-Length", "")
        is_long = length.isdecimal() and len(length) < 20 and int(length) > self.max_bytes
        content, is_whole = (b"", False) if is_long else await _read_body(response, self.max_bytes)
        if not is_whole:
            most = f"{self.max_bytes:,} bytes"
            raise RetrievalError(f"it is longer than {most}: raise the limit, or leave it out")
        if not content:
            raise RetrievalError("it is empty: leave it out")
        return FetchedPage(url, content, media_type or _guessed_type(content), response.charset_encoding)

    async def _request_robots_txt(self, url: httpx2.URL) -> tuple[int, bytes]:
        async def ask(target: httpx2.URL) -> tuple[int, bytes] | httpx2.URL:
            try:
                return await self._send_request(target, _read_robots_txt)
            except UnreachableError as error:
                if target.host == url.host:
                    raise
                # The site exists, but its robots.txt redirects to a host that cannot be asked.
                raise RetrievalError(f"{safe_text(str(target))}: {error}") from None

        return await _follow(url, ask)

    async def _send_request(
        self, url: httpx2.URL, read: Callable[[httpx2.Response], Awaitable[Result]]
    ) -> Result | httpx2.URL:
        """Requests `url`. Returns the result of `read` for the response, or the address of a redirect.

        Connects to an IP address of the host. The certificate must be for the host name in `url`. Uses no
        client of httpx2: a client may add cookies, proxies and passwords from files, and follow redirects.
        Each request has its own transport: a transport keeps its connection to an IP address, and one IP
        address may serve many names.
        """
        failure, certified = "", await asyncio.to_thread(bounded.certificates)  # the first call reads files
        try:
            port = url.port or (443 if url.scheme == "https" else 80)
            for address in (await self._look_up(url.raw_host.decode(), port))[:_MOST_ADDRESSES]:
                async with httpx2.AsyncHTTPTransport(verify=certified, trust_env=False) as transport:
                    try:
                        response = await transport.handle_async_request(self._build_request(url, address))
                    except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
                        failure = safe_text(str(error) or "no answer")
                        continue
                    async with aclosing(response):
                        target = response.headers.get("Location")
                        if target is not None and response.status_code in _REDIRECTS:
                            return page_url(target, url)
                        return await read(response)
        except (httpx2.HTTPError, OSError) as error:
            why = f"the answer broke off ({safe_text(str(error))}): try again later"
            raise RetrievalError(f"{safe_text(str(url))}: {why}") from None
        except RetrievalError as error:
            raise RetrievalError(f"{safe_text(str(url))}: {error}") from None
        raise UnreachableError(f"no connection ({failure}): check the address and the network")

    def _build_request(self, url: httpx2.URL, address: str) -> httpx2.Request:
        headers = {"Host": url.netloc.decode("ascii"), **self._headers}
        limits = {"connect": self._timeout_s / 4}  # a quarter: other addresses need time too
        facts = {"sni_hostname": url.raw_host.decode(), "timeout": limits}
        return httpx2.Request("GET", url.copy_with(host=address), headers=headers, extensions=facts)


async def _follow(url: httpx2.URL, ask: Callable[[httpx2.URL], Awaitable[Result | httpx2.URL]]) -> Result:
    for _ in range(_MOST_REDIRECTS + 1):
        answer = await ask(url)
        if not isinstance(answer, httpx2.URL):
            return answer
        url = answer
    raise RetrievalError(f"{safe_text(str(url))}: redirected more than {_MOST_REDIRECTS} times: leave it out")


async def _read_robots_txt(response: httpx2.Response) -> tuple[int, bytes]:
    content = (await _read_body(response, RULES_BYTES))[0] if response.is_success else b""
    return response.status_code, content


def _accepted_type(response: httpx2.Response) -> str:
    status = response.status_code
    if status not in (200, 203):
        # The message has the standard phrase of the status, because the server's text may be hostile.
        named = f"{status} {httpx2.codes.get_reason_phrase(status)}".strip()
        cure = "try again later" if status in (429, 503) else "check the address, or leave it out"
        raise RetrievalError(f"it answered {named}: {cure}")
    media_type = re.split("[;,]", response.headers.get("Content-Type", ""))[0].strip().lower()
    if media_type not in ("", *PAGE_TYPES):
        raise RetrievalError(f"it is {safe_text(media_type, 60)}, and only {', '.join(PAGE_TYPES)} are read")
    return media_type


def _guessed_type(content: bytes) -> str:
    start = content[:_SNIFFED_BYTES]
    if start.startswith(b"%PDF-"):
        return "application/pdf"
    if _MARKUP.match(start):
        return "text/html"
    if _UNPRINTABLE.search(start):
        raise RetrievalError("the server does not name its type, and it does not look like a page")
    return "text/plain"


async def _read_body(response: httpx2.Response, most: int) -> tuple[bytes, bool]:
    """Returns at most `most` bytes of the unpacked body, and whether these bytes are the whole body."""
    content = bytearray()
    try:
        async with aclosing(bounded.body_pieces(response, most)) as body:
            async for piece in body:
                content += piece
    except bounded.AnswerTooLongError:
        return bytes(content), False
    except bounded.UnreadableBodyError as error:
        raise RetrievalError(f"{error}: leave it out") from None
    return bytes(content), True
