"""Sends one small, free request to a source on the web, with a short timeout."""

import asyncio
import time
from urllib.parse import urlsplit

import httpx2

from rarr.cli.doctor.findings import Finding
from rarr.retrievers.fetch.web_addresses import shown
from rarr.retrievers.web.probes import Probe
from rarr.tools.guard.bounded_reader import bounded_client
from rarr.tools.models.chat import CallFailure
from rarr.tools.models.client_failures import redacted

LIMIT_S = 3.0
"""Seconds until a source counts as not answering."""


async def reached(name: str, probe: Probe) -> Finding:
    """Sends the request of `probe`, and tells whether the source answers as it should."""
    host = urlsplit(probe.url).hostname
    started = time.monotonic()
    try:
        async with asyncio.timeout(LIMIT_S):
            status, kind = await _answer(probe)
    except TimeoutError:
        detail = f"configured, but {host} gives no answer within {LIMIT_S:g} s"
        return Finding(name, "broken", detail, probe.cures[0])
    except (httpx2.HTTPError, httpx2.InvalidURL, CallFailure, OSError, ValueError) as error:
        why = shown(redacted(" ".join(str(error).split()))) or type(error).__name__
        return Finding(name, "broken", f"configured, but {host} cannot be reached ({why})", probe.cures[0])
    if status not in probe.good:
        detail = f"configured, but {host} answers with status {status}"
        return Finding(name, "broken", detail, probe.cures.get(status, probe.cures[0]))
    if "json" not in kind and status != 404:
        detail = f"configured, but {host} answers with something else ({shown(kind) or 'without a type'})"
        return Finding(name, "broken", detail, probe.cures[0])
    return Finding(name, "ok", f"configured; {host} answers in {time.monotonic() - started:.1f} s")


async def _answer(probe: Probe) -> tuple[int, str]:
    """Returns the status and the content type of the answer. Its body is not read."""
    async with (
        bounded_client("it", timeout=None, follow_redirects=True) as client,  # the caller sets a timeout
        client.stream("GET", probe.url, params=dict(probe.params), headers=dict(probe.headers)) as response,
    ):
        return response.status_code, response.headers.get("content-type", "")
