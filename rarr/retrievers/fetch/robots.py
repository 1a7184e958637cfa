"""Keeps to what sites ask: few requests at once, and robots.txt as RFC 9309 says."""

import asyncio
import re
from asyncio import Semaphore
from collections.abc import Awaitable, Callable, Iterator
from time import monotonic
from weakref import WeakValueDictionary

import httpx2
from protego import Protego

from rarr.errors import RetrievalError
from rarr.retrievers.fetch.public_ip_addresses import UnreachableError
from rarr.tools.concurrency import PerLoop
from rarr.tools.text.wording import shown

Read = Callable[[httpx2.URL], Awaitable[tuple[int, bytes]]]
"""Takes the address of a robots.txt; returns the status of the answer and at most `MOST_BYTES` of content."""

MOST_BYTES = 512_000  # RFC 9309, 2.5: at least 500 KiB; the rest is not read
_SITES = 128  # sites whose rules are kept
_KEPT_S = 86_400.0  # RFC 9309, 2.4: at most a day
_REST_S = 30.0
_CURE = "leave it out, or fetch without respect for robots.txt where you may"
_LINE = re.compile(r"\s*(user-agent|allow|disallow)\s*:\s*([^#]*)", re.I)
_PRODUCT = re.compile(r"[a-z_-]+", re.I)
_OTHER_ROBOT = "0"  # no product name holds a digit

Rules = Protego | str
"""The rules of a site, or the reason why none of its pages is fetched, with the cure."""


class Turns:
    """Lets at most `most` tasks work at once for each key, in each event loop."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._gates: PerLoop[WeakValueDictionary[str, Semaphore]] = PerLoop(WeakValueDictionary)

    def __call__(self, key: str = "") -> Semaphore:
        """Returns a context manager that waits until fewer than `most` tasks work for `key`."""
        return self._gates.get().setdefault(key, Semaphore(self._most))


def product(user_agent: str) -> str:
    """Returns the product name in a user agent, by which a robots.txt names the robot; "" if none."""
    name = _PRODUCT.match(user_agent)
    return name[0].lower() if name else ""


def rules(content: bytes, name: str) -> Protego:
    """Parses a robots.txt into the rules for the robot `name`; for all robots if it does not name it."""
    return Protego.parse("\n".join(_lines(content.decode("utf-8-sig", errors="replace"), name)))


def _lines(text: str, name: str) -> Iterator[str]:
    """Yields the lines for the parser, changed in two places where it does not follow RFC 9309.

    It lets other lines, such as Crawl-delay, end a group of user agents, so these are left out. It compares
    names by their beginning and with their version, so that "rarr/2.0" would not be the robot `rarr` and "ra"
    would be: every name is written as this robot's, as "*", or as that of another robot.
    """
    for line in filter(None, map(_LINE.match, text.splitlines())):
        key, value = line[1].lower(), line[2].strip()
        if key == "user-agent" and value != "*":
            value = name if product(value) == name else _OTHER_ROBOT
        yield f"{key}: {value}"


class Robots:
    """Keeps the rules of sites: one fetch asks a site once a day, and again 30 s after a failure."""

    def __init__(self, name: str, timeout_s: float) -> None:
        """`timeout_s`: the seconds for a page; its site's rules may take four fifths of them."""
        self._name, self._timeout_s = name, timeout_s * 0.8
        self._turns = Turns(1)
        self._kept: dict[str, tuple[float, Rules]] = {}

    async def require(self, url: httpx2.URL, read: Read) -> None:
        """Raises `RetrievalError` if the site's rules forbid `url` to this robot, or cannot be read."""
        site = str(url.copy_with(raw_path=b"/robots.txt"))
        async with self._turns(site):
            until, site_rules = self._kept.get(site, (0.0, ""))
            if until < monotonic():
                site_rules = await self._fetched(httpx2.URL(site), read)
                if len(self._kept) >= _SITES:
                    del self._kept[next(iter(self._kept))]
                kept_s = _REST_S if isinstance(site_rules, str) else _KEPT_S
                self._kept[site] = (monotonic() + kept_s, site_rules)
        if isinstance(site_rules, str):
            raise RetrievalError(f"{shown(str(url))}: {site_rules}")
        # In a thread, since matching half a megabyte of rules takes a while and would stop other runs.
        if not await asyncio.to_thread(site_rules.can_fetch, str(url), self._name):
            raise RetrievalError(f"{shown(str(url))} is not fetched: {shown(site)} forbids it; {_CURE}")

    async def _fetched(self, site: httpx2.URL, read: Read) -> Rules:
        try:
            async with asyncio.timeout(self._timeout_s):
                status, content = await read(site)
        except UnreachableError as error:  # the machine cannot be asked: its rules are not the reason
            return str(error)
        except RetrievalError as error:
            return f"the site's rules cannot be read: {error}; {_CURE}"
        except TimeoutError:
            return f"{shown(str(site))} was not sent in time; {_CURE}"
        if not (200 <= status < 300 or 400 <= status < 500):
            # RFC 9309, 2.3.1.4: the rules may forbid everything
            return f"{shown(str(site))} answered {status}, so that nothing may be fetched; {_CURE}"
        # RFC 9309, 2.3.1.3: with a status from 400 to 499 there are no rules.
        return await asyncio.to_thread(rules, content if status < 300 else b"", self._name)
