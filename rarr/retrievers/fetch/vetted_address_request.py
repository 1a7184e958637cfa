"""Sends one request to one IP address that was vetted, with the name of the site."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import cache

import httpx2

from rarr.tools.guard.bounded_http_client import REQUEST_HEADERS

_REQUEST_HEADERS = {
    "Accept": "text/html, application/xhtml+xml, application/pdf, text/markdown, text/plain;q=0.8, */*;q=0.1",
    **REQUEST_HEADERS,
    "Connection": "close",
}


@asynccontextmanager
async def opened(
    url: httpx2.URL, address: str, headers: Mapping[str, str], connect_s: float
) -> AsyncIterator[httpx2.Response]:
    """Asks the machine at `address` for `url`. Yields its response, whose body is still to be read.

    The certificate must be for the name in `url`. This is a transport without a client: no cookies, no
    passwords from files, no redirects, no proxies. It serves one request, because kept connections are found
    again by address, and one address may serve many names. Raises `httpx2.HTTPError` and `OSError`.
    """
    name = url.raw_host.decode("ascii")
    request = httpx2.Request(
        "GET",
        url.copy_with(host=address),
        headers={"Host": url.netloc.decode("ascii"), **_REQUEST_HEADERS, **headers},
        extensions={"sni_hostname": name, "timeout": {"connect": connect_s}},
    )
    certified = await asyncio.to_thread(trusted)  # the first call reads files
    async with httpx2.AsyncHTTPTransport(verify=certified, trust_env=False) as transport:
        response = await transport.handle_async_request(request)
        try:
            yield response
        finally:
            await response.aclose()


@cache
def trusted() -> ssl.SSLContext:
    """Builds, once, the TLS context with the certificates that the system trusts."""
    return httpx2.create_ssl_context(trust_env=False)
