import pytest

from retrievers.fetches import here, refusal
from retrievers.makers import words

HOSTS = words("""
    127.0.0.1 127.0.0.1. 2130706433 0177.0.0.1 0x7f.1 0x7f000001 127.1 0 0.0.0.0 127%2e0%2e0%2e1
    %31%32%37.0.0.1 １２７.0.0.1 127。0。0。1 ①②⑦.0.0.1 127.0.0.1%00.site.org [::1] [::] [::ffff:127.0.0.1]
    [::ffff:7f00:1] [::127.0.0.1] [64:ff9b::7f00:1] [2002:7f00:1::] [2001:0:7f00:1::1] [fe80::1%25eth0]
    [fd00:ec2::254] [fec0::1] 10.0.0.1 172.16.0.1 192.168.0.1 169.254.169.254 100.100.100.200
    168.63.129.16 localhost LOCALHOST. a.localhost metadata.google.internal printer.local intranet
    127.0.0.1:80:80 [::1 .. user@127.0.0.1 site.org@127.0.0.1 site.org\\@127.0.0.1
""")
URLS = words("""
    /page site.org //site.org/ http: http:// http:site.org http:///page https:/x file:///etc/passwd
    FILE:/etc/passwd gopher://site.org/ ftp://site.org/ data:text/html,x javascript:alert(1)
    unix:/var/run/docker.sock blob:http://site.org/ ws://site.org/ http://u:p@site.org/
    http://u@site.org/ http://site.org:0/ http://site.org:99999/ http://site.org:-1/ http://site.org:x/
""")
URLS += ["", "http://site.org/\r\nX: y", "http://si\tte.org/", "http://site.org/\x00"]
URLS += [f"http://site.org/{'x' * 5000}", f"http://site.org/{'x' * 100_000}"]


@pytest.mark.parametrize("host", ["", *HOSTS])
async def test_fetch_of_a_private_address_is_refused(host: str) -> None:
    await refusal(f"http://{host}/", allow_loopback=False)


@pytest.mark.parametrize("url", URLS)
async def test_fetch_of_an_address_that_is_not_a_page_is_refused(url: str) -> None:
    await refusal(url, find=here, allow_loopback=False)


async def test_fetch_keeps_a_password_out_of_its_error() -> None:
    assert "secret" not in await refusal("http://me:secret@site.org/")
