from collections.abc import Sequence
from ipaddress import ip_address
from itertools import chain, repeat
from unittest.mock import AsyncMock

import pytest

from rarr.errors import RetrievalError
from rarr.retrievers.fetch.public_ip_addresses import Resolve, UnreachableError, canonical_host, public_ips
from retrievers.fetches import refusal
from retrievers.makers import words

PRIVATE = words("""
    0.0.0.0 10.0.0.1 100.64.0.1 100.100.100.200 127.0.0.1 168.63.129.16 169.254.169.254 172.16.0.1
    192.0.0.192 192.0.2.1 192.88.99.1 192.168.1.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1
    240.0.0.1 255.255.255.255 :: ::1 ::127.0.0.1 ::ffff:10.0.0.1 ::ffff:169.254.169.254
    ::ffff:0:10.0.0.1 64:ff9b::10.0.0.1 64:ff9b::169.254.169.254 64:ff9b:1::8.8.8.8 100::1 2001::1
    2001:0:a00:1::f7f7:f7f7 2001:0:808:808::f5ff:fffe 2001:20::1 2001:db8::1 2002:7f00:1:: 2002:a00:1::1
    3fff::1 5f00::1 fc00::1 fd00:ec2::254 fe80::1 fe80::1%1 fec0::1 ff02::1
""")
PUBLIC = words("8.8.8.8 93.184.215.14 2606:4700::1111 ::ffff:8.8.8.8 64:ff9b::8.8.8.8 2002:808:808::1")


def resolver(*answers: Sequence[str] | Exception) -> Resolve:
    """Makes a resolver that returns one answer after another, and repeats the last answer."""
    return AsyncMock(side_effect=chain(answers, repeat(answers[-1])))


MIXED = [["8.8.8.8", "10.0.0.1"], ["10.0.0.1", "8.8.8.8"], ["8.8.8.8", "::1"]]


@pytest.mark.parametrize("addresses", [*([address] for address in PRIVATE), *MIXED])
async def test_name_with_a_private_address_is_refused(addresses: list[str]) -> None:
    with pytest.raises(UnreachableError, match="is not a public one"):
        await public_ips("site.org", 80, resolver(addresses))


async def test_public_addresses_keep_their_order_and_loopback_needs_permission() -> None:
    assert await public_ips("site.org", 80, resolver(PUBLIC)) == [str(ip_address(it)) for it in PUBLIC]
    assert await public_ips("127.0.0.1", 80, resolver([]), allow_loopback=True) == ["127.0.0.1"]
    with pytest.raises(UnreachableError):
        await public_ips("10.0.0.1", 80, resolver([]), allow_loopback=True)


@pytest.mark.parametrize("addresses", [[], ["nonsense"], OSError("no such name"), OSError("\x1b[31m" * 1000)])
async def test_name_without_an_address_is_an_error(addresses: Sequence[str] | OSError) -> None:
    with pytest.raises(UnreachableError, match=r"'site\.org' is not asked") as caught:
        await public_ips("site.org", 80, resolver(addresses))
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 300


NAMES = {host: host for host in words("8.8.8.8 xn--mnchen-3ya.de a_b.site.org homeland.org")}
NAMES |= {"Site.ORG": "site.org", "site.org.": "site.org", "8.8.8.8.": "8.8.8.8"}
NAMES |= {"2606:4700:0::1111": "2606:4700::1111"}


def test_host_name_is_normalised() -> None:
    assert {host: canonical_host(host) for host in NAMES} == NAMES


MALFORMED = ["", "a b.org", "a\x00.org", f"{'a' * 64}.org", "a." * 127 + "org"]
MALFORMED += words(". .. a..b site.org.. -a.org a-.org 127%2e0%2e0%2e1 a/b.org fe80::1%1 [::1] münchen.de")
NUMBERS = words("2130706433 0177.0.0.1 0x7f.1 127.1 010.0.0.1 1.2.3.4.5 127.0.0.01 256.1.1.1 0x a.0x 0x1.")
LOCAL = words("""
    localhost LOCALHOST. a.localhost router printer.local nas.lan metadata.google.internal db.corp x.home.arpa
""")


@pytest.mark.parametrize(
    ("hosts", "why"),
    [(MALFORMED, "is not asked"), (NUMBERS, "four decimal numbers"), (LOCAL, "local network")],
)
def test_host_that_is_no_public_name_is_refused(hosts: list[str], why: str) -> None:
    for host in hosts:
        with pytest.raises(RetrievalError, match=why):
            canonical_host(host)


# Ways to write an address, each once: `PRIVATE`, `NUMBERS` and `LOCAL` have the addresses themselves.
HOSTS = words("""
    127.0.0.1 127.0.0.1. 2130706433 127%2e0%2e0%2e1 %31%32%37.0.0.1 １２７.0.0.1 127。0。0。1 ①②⑦.0.0.1
    127.0.0.1%00.site.org [::1] [::ffff:7f00:1] [fe80::1%25eth0] localhost 127.0.0.1:80:80 [::1 ..
    user@127.0.0.1 site.org@127.0.0.1 site.org\\@127.0.0.1
""")
URLS = words("""
    /page site.org //site.org/ http: http:// http:site.org http:///page FILE:/etc/passwd ftp://site.org/
    data:text/html,x javascript:alert(1) blob:http://site.org/ http://me:secret@site.org/ http://u@site.org/
    http://site.org:0/ http://site.org:99999/ http://site.org:-1/ http://site.org:x/
""")
URLS += ["", "http://site.org/\r\nX: y", "http://si\tte.org/", "http://site.org/\x00"]
URLS += [f"http://site.org/{'x' * 5000}", f"http://site.org/{'x' * 100_000}"]


@pytest.mark.parametrize("url", [*(f"http://{host}/" for host in ["", *HOSTS]), *URLS])
async def test_fetch_of_a_private_address_or_of_no_page_is_refused(url: str) -> None:
    assert "secret" not in await refusal(url, find=resolver(AssertionError("asked")), allow_loopback=False)
