"""How a fetcher asks: whom, under which name, with which headers, and how much at once."""

import asyncio
import shutil
import ssl
import subprocess
from asyncio import StreamWriter
from pathlib import Path

import httpx2
import pytest

from rarr.retrievers.fetch import fetching
from retrievers.fetch.test_public_ip_addresses import finding
from retrievers.fetches import PAGE, PATIENCE_S, fetch, here, make, refusal
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


@pytest.mark.parametrize("there", ["http://127.0.0.1/", "http://localhost/", "http://2130706433"])
async def test_redirect_to_this_machine_is_refused(internet: Internet, there: str) -> None:
    internet.moved["site.org"] = there
    await refusal("http://site.org/", find=finding(["8.8.8.8"]), allow_loopback=False)
    assert internet.addresses == ["8.8.8.8"]


@loopback
async def test_fetch_sends_its_user_agent_and_no_other_identifying_header(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    async with Hostile({"/a?b=c": answer(PAGE)}) as server:
        await fetch(server.url("/a?b=c#d"))
    first, *head = server.heads[0].split("\r\n")
    assert first == "GET /a?b=c HTTP/1.1"
    assert {line.partition(":")[0].lower() for line in head if line} == {
        *("host", "accept", "accept-encoding", "connection", "user-agent")
    }
    assert {"User-Agent: rarr-test/1.0", "Accept-Encoding: gzip"} <= set(head)


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


@loopback
async def test_certificate_must_be_trusted_and_for_the_name(
    certificate: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(*certificate)
    async with Hostile({"/": answer(PAGE)}, tls) as server:
        message = await refusal(server.url(host="site.org", scheme="https"), find=here)
        assert "CERTIFICATE_VERIFY_FAILED" in message
        trusted = ssl.create_default_context(cafile=certificate[0])
        monkeypatch.setattr(fetching, "certificates", lambda: trusted)
        assert (await fetch(server.url(host="site.org", scheme="https"), find=here)).content == PAGE
        for other in ("other.org", "127.0.0.1"):
            message = await refusal(server.url(host=other, scheme="https"), find=here)
            assert "certificate" in message.lower()


async def slow(writer: StreamWriter) -> None:
    await asyncio.sleep(0.05)
    writer.write(answer(PAGE))


@loopback
async def test_fetches_from_one_host_take_turns() -> None:
    fetcher = make()
    async with Hostile({"/": slow}) as server, asyncio.timeout(PATIENCE_S):
        await asyncio.gather(*(fetcher.fetch(server.url()) for _ in range(8)))
    assert server.most == fetching.AT_ONCE_PER_HOST
