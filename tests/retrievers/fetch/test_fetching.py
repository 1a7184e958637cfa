import pytest

from rarr.errors import SettingsError
from retrievers.fetches import PAGE, fetch, make, refusal, refused
from retrievers.hostile import Hostile, Script, answer, forever, moved

loopback = pytest.mark.loopback


@loopback
async def test_fetch_gives_a_page_as_it_was_sent() -> None:
    async with Hostile({"/": answer(PAGE, kind="Text/HTML; Charset=ISO-8859-1")}) as server:
        page = await fetch(server.url("/#part"))
        assert page[:4] == (server.url("/"), PAGE, "text/html", "iso-8859-1")


@loopback
async def test_fetch_sends_its_user_agent_and_no_other_identifying_header() -> None:
    async with Hostile({"/a?b=c": answer(PAGE)}) as server:
        await fetch(server.url("/a?b=c#d"))
    first, *head = server.heads[0].split("\r\n")
    assert first == "GET /a?b=c HTTP/1.1"
    assert {line.partition(":")[0].lower() for line in head if line} == {
        *("host", "accept", "accept-encoding", "connection", "user-agent"),
    }
    assert {"User-Agent: rarr-test/1.0", "Accept-Encoding: gzip"} <= set(head)


@pytest.mark.parametrize("agent", ["", "/1.0", "rärr/1.0", "rarr\r\nX: y"])
def test_fetcher_with_an_invalid_user_agent_is_refused(agent: str) -> None:
    with pytest.raises(SettingsError, match="write a name"):
        make(user_agent=agent)


@pytest.mark.parametrize("status", ["301 x", "302 x", "303 x", "307 x", "308 x"])
@loopback
async def test_fetch_follows_every_kind_of_redirect(status: str) -> None:
    async with Hostile({"/": moved("page?q#f", status), "/page?q": answer(PAGE)}) as server:
        assert (await fetch(server.url())).url == server.url("/page?q")


@pytest.mark.parametrize(
    ("there", "why"),
    [
        ("http://10.0.0.1/", "not a public one"),
        ("//169.254.169.254/latest/meta-data", "not a public one"),
        ("http://[::ffff:10.0.0.1]/", "not a public one"),
        ("http://0x0a.1/", "four decimal numbers"),
        ("http://metadata.google.internal/", "local network"),
        ("http://u:p@site.org/", "password"),
        ("file:///etc/passwd", "only http and https"),
        ("gopher://127.0.0.1:6379/_FLUSHALL", "only http and https"),
        ("javascript:alert(1)", "only http and https"),
        ("https://", "in full"),
        ("http://site.org:0/", "no port 0"),
        ("http://[", ""),
        ("\x1b[2J\xff" * 50, ""),
        ("", "more than 5 times"),
        ("/", "more than 5 times"),
    ],
)
@loopback
async def test_fetch_refuses_a_redirect_to_a_forbidden_address(there: str, why: str) -> None:
    assert why in await refused(moved(there))


@loopback
async def test_fetch_gives_up_after_five_redirects() -> None:
    hops: dict[str, Script] = {f"/{i}": moved(f"/{i + 1}") for i in range(6)}
    async with Hostile({**hops, "/6": answer(PAGE)}) as server:
        assert "redirected more than 5 times" in await refusal(server.url("/0"))
        assert len(server.heads) == 6


@loopback
async def test_fetch_reads_no_body_of_a_redirect() -> None:
    endless = forever(b"HTTP/1.1 302 Found\r\nLocation: /page\r\n\r\n", b"x" * 10_000)
    async with Hostile({"/": endless, "/page": answer(PAGE)}) as server:
        assert (await fetch(server.url())).content == PAGE


@loopback
async def test_fetch_sends_no_cookie_after_a_redirect() -> None:
    start = answer(b"", "Location: /page", "Set-Cookie: a=b", status="302 Found")
    async with Hostile({"/": start, "/page": answer(PAGE)}) as server:
        await fetch(server.url())
    assert "cookie" not in "".join(server.heads).lower()
