"""Whom a fetch connects to: the machine that was vetted, under the name that was asked for."""

import shutil
import ssl
import subprocess
from pathlib import Path

import httpx2
import pytest

from rarr.retrievers.fetch import fetching as connecting
from retrievers.fetch.test_public_ip_addresses import finding
from retrievers.fetches import PAGE, fetch, here, make, refusal
from retrievers.hostile import Hostile, answer

loopback = pytest.mark.loopback


class Internet(httpx2.AsyncBaseTransport):
    """Every machine of the world; those in `dead` do not answer. `asked`: who was asked for what."""

    def __init__(self) -> None:
        self.asked: list[httpx2.Request] = []
        self.dead: set[str] = set()
        self.moved: dict[str, str] = {}

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        self.asked.append(request)
        if request.url.host in self.dead:
            raise httpx2.ConnectError("nobody is there", request=request)
        there = self.moved.get(request.headers["Host"])
        if there:
            return httpx2.Response(302, headers={"Location": there})
        return httpx2.Response(200, headers={"Content-Type": "text/html"}, stream=httpx2.ByteStream(PAGE))

    @property
    def addresses(self) -> list[str]:
        return [request.url.host for request in self.asked]


@pytest.fixture
def internet(monkeypatch: pytest.MonkeyPatch) -> Internet:
    world = Internet()
    monkeypatch.setattr(httpx2, "AsyncHTTPTransport", lambda **_: world)
    return world


async def test_fetch_connects_to_the_vetted_address(internet: Internet) -> None:
    await fetch("https://Site.ORG:8443/a", find=finding(["8.8.8.8"], ["10.0.0.1"]))
    (request,) = internet.asked
    assert str(request.url) == "https://8.8.8.8:8443/a"
    assert request.headers["Host"] == "site.org:8443"
    assert request.extensions["sni_hostname"] == "site.org"


async def test_fetch_vets_a_changed_answer_again(internet: Internet) -> None:
    fetcher = make(find=finding(["8.8.8.8"], ["10.0.0.1"]))
    await fetcher.fetch("http://site.org/")
    with pytest.raises(Exception, match="not a public one"):
        await fetcher.fetch("http://site.org/")
    assert internet.addresses == ["8.8.8.8"]


@pytest.mark.parametrize(
    "there", ["http://127.0.0.1/", "http://localhost/", "http://[::1]:80/", "http://2130706433"]
)
async def test_fetch_refuses_a_redirect_to_this_machine(internet: Internet, there: str) -> None:
    internet.moved["site.org"] = there
    await refusal("http://site.org/", find=finding(["8.8.8.8"]), allow_loopback=False)
    assert internet.addresses == ["8.8.8.8"]


async def test_fetch_follows_a_redirect_to_another_site(internet: Internet) -> None:
    internet.moved["site.org"] = "http://xn--mnchen-3ya.de"
    page = await fetch("https://site.org/", find=finding(["8.8.8.8"], ["2606:4700::1111"]))
    assert page.url == "http://xn--mnchen-3ya.de"
    assert internet.addresses == ["8.8.8.8", "2606:4700::1111"]
    assert internet.asked[1].headers["Host"] == "xn--mnchen-3ya.de"


async def test_fetch_tries_the_next_address_after_a_failed_connection(internet: Internet) -> None:
    internet.dead = {"8.8.8.8"}
    await fetch("http://site.org/", find=finding(["8.8.8.8", "8.8.4.4"]))
    assert internet.addresses == ["8.8.8.8", "8.8.4.4"]


async def test_fetch_tries_a_limited_number_of_addresses(internet: Internet) -> None:
    addresses = [f"8.8.8.{number}" for number in range(200)]
    internet.dead = set(addresses)
    assert "no connection (nobody is there)" in await refusal("http://site.org/", find=finding(addresses))
    assert len(internet.asked) == 3


@loopback
async def test_fetch_uses_no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    async with Hostile({"/": answer(PAGE)}) as server:
        await fetch(server.url())


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A certificate for site.org, and its key."""
    openssl = shutil.which("openssl")
    if not openssl:
        pytest.skip("needs openssl")
    place = tmp_path_factory.mktemp("tls")
    made = place / "certificate.pem", place / "key.pem"
    subprocess.run(
        [
            *(openssl, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"),
            *("-days", "2", "-subj", "/CN=site.org", "-addext", "subjectAltName=DNS:site.org"),
            *("-out", str(made[0]), "-keyout", str(made[1])),
        ],
        check=True,
        capture_output=True,
    )
    return made


@pytest.fixture
def secure(certificate: tuple[Path, Path]) -> Hostile:
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(*certificate)
    return Hostile({"/": answer(PAGE)}, tls)


@loopback
async def test_fetch_accepts_a_certificate_for_the_host_name(
    secure: Hostile, certificate: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    trusted = ssl.create_default_context(cafile=certificate[0])
    monkeypatch.setattr(connecting, "trusted", lambda: trusted)
    async with secure as server:
        page = await fetch(server.url(host="site.org", scheme="https"), find=here)
        assert page.content == PAGE
        for other in ("other.org", "127.0.0.1"):
            message = await refusal(server.url(host=other, scheme="https"), find=here)
            assert "certificate" in message.lower()


@loopback
async def test_fetch_refuses_an_untrusted_certificate(secure: Hostile) -> None:
    async with secure as server:
        message = await refusal(server.url(host="site.org", scheme="https"), find=here)
    assert "CERTIFICATE_VERIFY_FAILED" in message
