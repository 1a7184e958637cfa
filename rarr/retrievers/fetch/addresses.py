"""Which machines may be asked for a page: public ones, however the address of another is written or hidden.

A page's address comes from a search engine, a page that redirects, or a text of unknown origin. Whoever
wrote it may mean the router, the cloud's metadata service or a server on this very machine, which all
trust what comes from inside.
"""

import asyncio
import re
import socket
from collections.abc import Awaitable, Callable, Iterator, Sequence
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network

from rarr.errors import RetrievalError
from rarr.retrievers.fetch.links import shown

Address = IPv4Address | IPv6Address
Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
"""A name and a port -> the addresses of the machines that have the name, as text."""


class UnreachableError(Exception):
    """Nobody may or can be asked at a host, whichever of its pages is wanted. Its message is the reason."""


_LABEL = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")  # browsers take a host that ends in one for an IPv4 address
_LONGEST_NAME = 253
_INSIDE = ("localhost", "localdomain", "local", "internal", "intranet", "lan", "home", "corp", "home.arpa")

_NAT64 = IPv6Network("64:ff9b::/96")
_GLOBAL_UNICAST = IPv6Network("2000::/3")  # all that has been given out
# What `is_global` of some Python from 3.11 on takes for public.
_SPECIAL = tuple(
    ip_network(network)
    for network in (
        "192.0.0.0/24",  # protocols; Oracle's metadata
        "192.88.99.0/24",  # relays of 6to4
        "168.63.129.16/32",  # Azure's metadata, on a public address
        "2001::/23",  # protocols
        "2001:db8::/32",  # examples
        "3fff::/20",  # examples
    )
)


async def resolve(name: str, port: int) -> Sequence[str]:
    """The addresses that the system finds. Raises `OSError`."""
    found = await asyncio.get_running_loop().getaddrinfo(name, port, type=socket.SOCK_STREAM)
    return [str(entry[4][0]) for entry in found]


async def vetted(host: str, port: int, find: Resolve, *, allow_loopback: bool = False) -> list[str]:
    """The addresses of `host`, a name or an address, in order.

    Raises `UnreachableError` if it has none, or one that is not public.

    Whoever connects to one of these, and not to the name, cannot be sent elsewhere by a later answer.
    """
    literal = _literal(host)
    found = [literal] if literal else await _found(host, port, find)
    for address in found:
        if not (is_public(address) or (allow_loopback and address.is_loopback)):
            raise _unreachable(host, f"its address {address} is not a public one")
    return [str(address) for address in found]


def is_public(address: Address) -> bool:
    """Whether anybody on the internet can reach the machine, as far as its address tells."""
    inner = list(_inside(address))
    if inner:
        return all(map(is_public, inner))
    if isinstance(address, IPv6Address) and address not in _GLOBAL_UNICAST:
        return False
    return (
        address.is_global
        and not (address.is_multicast or address.is_reserved)
        and not any(address in network for network in _SPECIAL)
    )


def host_name(host: str) -> str:
    """`host` of an address, a name or IP address, in the one way to write it. Raises `RetrievalError`."""
    name = host.lower().removesuffix(".")
    literal = _literal(name)
    if literal:
        return str(literal)
    labels = name.split(".")
    if _NUMBER.fullmatch(labels[-1]):
        raise _refused(host, "write an IP address as four decimal numbers")
    if len(name) > _LONGEST_NAME or not all(map(_LABEL.fullmatch, labels)):
        raise _refused(host, "it is no name of a machine")
    if len(labels) == 1 or any(f".{name}".endswith(f".{inside}") for inside in _INSIDE):
        raise _refused(host, "it names a machine of a local network")
    return name


def _literal(host: str) -> Address | None:
    try:
        address = ip_address(host)
    except ValueError:
        return None
    # A zone names a network card of this machine.
    return None if isinstance(address, IPv6Address) and address.scope_id else address


def _inside(address: Address) -> Iterator[IPv4Address]:
    """The IPv4 addresses that packets for `address` may end up at."""
    if isinstance(address, IPv4Address):
        return
    if address.ipv4_mapped:
        yield address.ipv4_mapped
    if address.sixtofour:
        yield address.sixtofour
    if address.teredo:
        yield from address.teredo
    if address in _NAT64:
        yield IPv4Address(int(address) & 0xFFFF_FFFF)


async def _found(name: str, port: int, find: Resolve) -> list[Address]:
    try:
        found = [ip_address(text) for text in await find(name, port)]
    except (OSError, ValueError) as error:
        why = f"its name cannot be looked up ({shown(str(error))}): check the address and the connection"
        raise _unreachable(name, why) from None
    if not found:
        raise _unreachable(name, "it has no address: check how it is written")
    return found


def _unreachable(host: str, why: str) -> UnreachableError:
    return UnreachableError(f"the host {shown(host)!r} is not asked: {why}")


def _refused(host: str, why: str) -> RetrievalError:
    return RetrievalError(str(_unreachable(host, why)))
