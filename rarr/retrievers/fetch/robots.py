"""What a site lets robots fetch: its robots.txt, read as RFC 9309 says.

The standard library's parser takes the first rule that fits, where the longest counts, and knows no `*`.
"""

import asyncio
import re
from asyncio import CancelledError, Timeout
from collections.abc import Awaitable, Callable, Iterator
from time import monotonic
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

import httpx2

from rarr.errors import RetrievalError
from rarr.retrievers.fetch.addresses import UnreachableError
from rarr.retrievers.fetch.host_limits import Turns
from rarr.retrievers.fetch.links import shown

Read = Callable[[httpx2.URL], Awaitable[tuple[int, bytes]]]
"""The address of a robots.txt -> the status of the answer and at most `MOST_BYTES` of its content."""

MOST_BYTES = 512_000  # RFC 9309, 2.5: at least 500 KiB; what comes after is not read
_SITES = 128  # whose rules are kept
_KEPT_S = 86_400.0  # RFC 9309, 2.4: at most a day
_REST_S = 30.0
_CURE = "leave it out, or fetch without respect for robots.txt where you may"
_LINE = re.compile(r"\s*(user-agent|allow|disallow)\s*:\s*([^#]*)", re.I)
_PRODUCT = re.compile(r"[a-z_-]+", re.I)


class Rule(NamedTuple):
    """The longest rule that fits a path decides; of two that are as long, the one that allows."""

    length: int
    allows: bool
    pieces: tuple[bytes, ...]  # with anything in between
    ends: bool  # the path ends where the last piece does

    def fits(self, path: bytes) -> bool:
        """Whether the rule is about `path`; takes time in proportion to its length."""
        head, *middle = self.pieces
        tail = middle.pop() if self.ends and middle else b""
        place, end = len(head), len(path) - len(tail)
        if not (path.startswith(head) and path.endswith(tail) and place <= end):
            return False
        for piece in middle:
            found = path.find(piece, place, end)
            if found < 0:
                return False
            place = found + len(piece)
        return not self.ends or len(self.pieces) > 1 or place == end


Known = tuple[Rule, ...] | str
"""The rules of a site, or why none of its pages is fetched, with the cure."""


def product(user_agent: str) -> str:
    """The name in a user agent by which a robots.txt calls it; empty where there is none."""
    name = _PRODUCT.match(user_agent)
    return name[0].lower() if name else ""


def rules(content: bytes, name: str) -> tuple[Rule, ...]:
    """Those for the robot `name`, else those for all; the first that fits a path decides."""
    own: list[Rule] = []
    everyones: list[Rule] = []
    named = False
    for names, found in _groups(content.decode("utf-8-sig", errors="replace")):
        if name in names:
            named = True
            own += found
        if "*" in names:
            everyones += found
    return tuple(sorted(own if named else everyones, reverse=True))


def allowed(found: tuple[Rule, ...], path: str) -> bool:
    """Whether `found` let a robot fetch `path`, which includes the query."""
    plain = unquote_to_bytes(path)
    return next((rule.allows for rule in found if rule.fits(plain)), True)


class Robots:
    """The rules of sites, each asked for once; a site that could not be asked is left alone for a while.

    Else all that wait for the rules of a dead site would find out for themselves, one after the other.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._turns = Turns(1)
        self._known: dict[str, tuple[float, Known]] = {}

    async def require(self, url: httpx2.URL, limit: Timeout, read: Read) -> None:
        """Raises `RetrievalError` where the site's rules forbid `url` to this robot, or cannot be read."""
        site = url.copy_with(raw_path=b"/robots.txt")
        async with self._turns.taken(str(site), limit):
            until, known = self._known.get(str(site), (0.0, ()))
            if until < monotonic():
                known = await self._asked(site, limit, read)
        if isinstance(known, str):
            raise RetrievalError(f"{shown(str(url))}: {known}")
        # In a thread: half a megabyte of rules takes a while, and others go on meanwhile.
        if not await asyncio.to_thread(allowed, known, url.raw_path.decode("ascii")):
            raise RetrievalError(f"{shown(str(url))} is not fetched: {shown(str(site))} forbids it; {_CURE}")

    def forget(self) -> None:
        """All rules."""
        self._known.clear()

    async def _asked(self, site: httpx2.URL, limit: Timeout, read: Read) -> Known:
        try:
            answer = await read(site)
            return self._keep(site, await asyncio.to_thread(self._answered, site, *answer))
        except UnreachableError as error:  # which its rules have nothing to do with
            return self._keep(site, str(error))
        except RetrievalError as error:
            return self._keep(site, f"the site's rules cannot be read: {error}; {_CURE}")
        except CancelledError:
            if limit.expired():
                self._keep(site, f"{shown(str(site))} was not sent in time; {_CURE}")
            raise

    def _answered(self, site: httpx2.URL, status: int, content: bytes) -> Known:
        if 400 <= status < 500:  # RFC 9309, 2.3.1.3: there are none
            return ()
        if 200 <= status < 300:
            return rules(content, self._name)
        # RFC 9309, 2.3.1.4: they may forbid everything
        return f"{shown(str(site))} answered {status}, so that nothing may be fetched; {_CURE}"

    def _keep(self, site: httpx2.URL, known: Known) -> Known:
        if len(self._known) >= _SITES:
            del self._known[next(iter(self._known))]
        self._known[str(site)] = monotonic() + (_REST_S if isinstance(known, str) else _KEPT_S), known
        return known


def _groups(text: str) -> Iterator[tuple[set[str], list[Rule]]]:
    """The names that each group is for, and its rules; lines that are neither end no group."""
    names: set[str] = set()
    found: list[Rule] = []
    for line in filter(None, map(_LINE.match, text.splitlines())):
        key, value = line[1].lower(), line[2].strip()
        if key != "user-agent":
            found += [_rule(key, value)]
        else:
            if found:
                yield names, [rule for rule in found if rule.length]
                names, found = set(), []
            names.add("*" if value == "*" else product(value))
    yield names, [rule for rule in found if rule.length]


def _rule(key: str, value: str) -> Rule:
    ends = value.endswith("$")
    pieces = tuple(map(unquote_to_bytes, value.removesuffix("$").split("*")))
    return Rule(len(value), key == "allow", pieces, ends)
