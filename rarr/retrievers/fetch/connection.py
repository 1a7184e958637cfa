"""One request to one machine: the address that was vetted, under the name that was asked for."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import cache

import httpx2

from rarr.tools.guard.bounded_reader import ASKED

_ASKED = {
    "Accept": "text/html, application/xhtml+xml, application/pdf, text/markdown, text/plain;q=0.8, */*;q=0.1",
    **ASKED,
    "Connection": "close",
}


@asynccontextmanager
async def opened(
    url: httpx2.URL, address: str, headers: Mapping[str, str], connect_s: float
) -> AsyncIterator[httpx2.Response]:
    """The answer of the machine at `address` to a request for `url`, its body still to come.

    The certificate must be for the name in `url`. A transport without a client around it: no cookies, no
    passwords from files, no redirects, no proxies. It is for one request, because connections that are kept
    are found again by address, and one address may serve many names. Raises `httpx2.HTTPError` and `OSError`.
    """
    name = url.raw_host.decode("ascii")
    request = httpx2.Request(
        "GET",
        url.copy_with(host=address),
        headers={"Host": url.netloc.decode("ascii"), **_ASKED, **headers},
        extensions={"sni_hostname": name, "timeout": {"connect": connect_s}},
    )
    certified = await asyncio.to_thread(trusted)  # it reads files when it is first asked
    async with httpx2.AsyncHTTPTransport(verify=certified, trust_env=False) as transport:
        response = await transport.handle_async_request(request)
        try:
            yield response
        finally:
            await response.aclose()


@cache
def trusted() -> ssl.SSLContext:
    """Whose certificates are believed: those whom the system believes."""
    return httpx2.create_ssl_context(trust_env=False)
