"""Refuses requests to machines without a public IP address, in whatever form the address is written.

The address of a page comes from a search engine, from a redirect, or from a text of unknown origin. Its
author may want to reach the router, the cloud's metadata service or a server on this machine. These machines
trust requests from the local network.
"""

import asyncio
import re
import socket
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network

import httpx2

from rarr.errors import RetrievalError
from rarr.tools.text.wording import safe_text

Address = IPv4Address | IPv6Address
Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
"""A function that takes a host name and a port, and returns the IP addresses of the host as texts."""


_LABEL = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)")
_NUMERIC_LABEL = re.compile(r"[0-9]+|0x[0-9a-f]*")  # browsers read a host that ends in a number as IPv4
_LONGEST_NAME = 253
_LOCAL = ("localhost", "localdomain", "local", "internal", "intranet", "lan", "home", "corp", "home.arpa")
_LONGEST_URL = 4096  # characters: real pages need fewer, and more would be slow to match with robots.txt

_NAT64 = IPv6Network("64:ff9b::/96")
_GLOBAL_UNICAST = IPv6Network("2000::/3")  # all public addresses of IPv6
# Networks that are not public, though `is_global` says so in some Python versions from 3.11 on.
_SPECIAL_NETWORKS = (
    ip_network("192.0.0.0/24"),  # protocols; Oracle's metadata
    ip_network("192.88.99.0/24"),  # relays of 6to4
    ip_network("168.63.129.16/32"),  # Azure's metadata, on a public address
    ip_network("2001::/23"),  # protocols
    ip_network("2001:db8::/32"),  # examples
    ip_network("3fff::/20"),  # examples
)


class UnreachableError(Exception):
    """No page of a host may be requested, or the host cannot be reached. The message tells the reason."""


async def ask_system_resolver(name: str, port: int) -> Sequence[str]:
    """Asks the resolver of the operating system for the IP addresses of `name`. Raises `OSError`."""
    entries = await asyncio.get_running_loop().getaddrinfo(name, port, type=socket.SOCK_STREAM)
    return [str(entry[4][0]) for entry in entries]


async def public_ips(
    host: str, port: int, find: Resolve = ask_system_resolver, *, allow_loopback: bool = False
) -> list[str]:
    """Returns the IP addresses of `host`, a name or an IP address, in the resolver's order.

    Raises `UnreachableError` if the host has no address, or an address that is not public (`allow_loopback`
    allows this machine). Connect to a returned address: the next look-up of the name may give another.
    """
    literal = _ip_of_literal(host)
    try:
        addresses = [literal] if literal else [ip_address(text) for text in await find(host, port)]
    except (OSError, ValueError) as error:
        why = f"its name cannot be looked up ({safe_text(str(error))}): check the address and the connection"
        raise _host_refusal(host, why, UnreachableError) from None
    if not addresses:
        raise _host_refusal(host, "it has no address: check how it is written", UnreachableError)
    for address in addresses:
        if not (is_public(address) or (allow_loopback and address.is_loopback)):
            raise _host_refusal(host, f"its address {address} is not a public one", UnreachableError)
    return [str(address) for address in addresses]


def is_public(address: Address) -> bool:
    """Tells whether `address` is public, so that every machine on the internet may reach it."""
    if isinstance(address, IPv6Address):
        # An IPv6 address may hold IPv4 addresses, to which its packets are delivered.
        inner = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
        inner += [IPv4Address(int(address) & 0xFFFF_FFFF)] if address in _NAT64 else []
        if any(inner):
            return all(map(is_public, filter(None, inner)))
        if address not in _GLOBAL_UNICAST:
            return False
    is_special = any(address in network for network in _SPECIAL_NETWORKS)
    return address.is_global and not (address.is_multicast or address.is_reserved or is_special)


def page_url(text: str, base: httpx2.URL | None = None) -> httpx2.URL:
    """Parses `text` as the address of a page, and drops its fragment. `text` may be relative to `base`.

    Raises `RetrievalError` if `text` is no http or https address, holds a password, or has a host that
    `canonical_host` refuses. Does not look up the host: `public_ips` does this.
    """
    text = text.strip()
    try:
        url = (base.join(text) if base else httpx2.URL(text)).copy_with(fragment=None)
    except (httpx2.InvalidURL, ValueError) as error:
        raise _url_refusal(text, f"it is not the address of a page ({safe_text(str(error))})") from None
    if url.scheme not in ("", "http", "https"):
        raise _url_refusal(text, "only http and https are fetched")
    if not url.scheme or not url.host:
        raise _url_refusal(text, "write it in full, as in https://example.org/page")
    if url.userinfo:
        raise _url_refusal(url.host, "it holds a user name or password: leave out the part before the @")
    if url.port is not None and not 0 < url.port < 65_536:
        raise _url_refusal(text, f"there is no port {url.port}")
    if len(str(url)) > _LONGEST_URL:
        raise _url_refusal(text, f"it is longer than {_LONGEST_URL} characters")
    return url.copy_with(host=canonical_host(url.raw_host.decode("ascii")))


def canonical_host(host: str) -> str:
    """Returns a host name or IP address in its usual form.

    Raises `RetrievalError` for a host that is no name, an IP address in an unusual form, or a name in a local
    network. Does not check whether an IP address is public: `public_ips` does this.
    """
    name = host.lower().removesuffix(".")
    literal = _ip_of_literal(name)
    if literal:
        return str(literal)
    labels = name.split(".")
    if _NUMERIC_LABEL.fullmatch(labels[-1]):
        raise _host_refusal(host, "write an IP address as four decimal numbers")
    if len(name) > _LONGEST_NAME or not all(map(_LABEL.fullmatch, labels)):
        raise _host_refusal(host, "it is not the name of a machine")
    if len(labels) == 1 or any(f".{name}".endswith(f".{local}") for local in _LOCAL):
        raise _host_refusal(host, "it names a machine of a local network")
    return name


def _ip_of_literal(host: str) -> Address | None:
    with suppress(ValueError):
        return None if "%" in host else ip_address(host)  # "%" begins a zone: a network card of this machine
    return None


def _host_refusal(host: str, why: str, error: type[Exception] = RetrievalError) -> Exception:
    return error(f"the host {safe_text(host)!r} is not asked: {why}")


def _url_refusal(text: str, why: str) -> RetrievalError:
    return RetrievalError(f"{safe_text(text)} is not fetched: {why}")
