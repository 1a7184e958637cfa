"""One small request to a source on the web, which costs nothing and is not waited for long."""

import asyncio
import time
from urllib.parse import urlsplit

import httpx2

from rarr.cli.doctor.findings import Finding
from rarr.retrievers.fetch.links import shown
from rarr.retrievers.web.probes import Probe
from rarr.tools.guard.bounded_reader import bounded_client
from rarr.tools.models.chat import CallFailure
from rarr.tools.models.client_failures import redacted

LIMIT_S = 3.0
"""Seconds until a source counts as one that does not answer."""


async def reached(name: str, asked: Probe) -> Finding:
    """Whether it answers, and as what it should be."""
    host = urlsplit(asked.url).hostname
    started = time.monotonic()
    try:
        async with asyncio.timeout(LIMIT_S):
            status, kind = await _answer(asked)
    except TimeoutError:
        said = f"configured, but {host} gives no answer within {LIMIT_S:g} s"
        return Finding(name, "broken", said, asked.cures[0])
    except (httpx2.HTTPError, httpx2.InvalidURL, CallFailure, OSError, ValueError) as error:
        why = shown(redacted(" ".join(str(error).split()))) or type(error).__name__
        return Finding(name, "broken", f"configured, but {host} cannot be reached ({why})", asked.cures[0])
    if status not in asked.good:
        said = f"configured, but {host} answers with status {status}"
        return Finding(name, "broken", said, asked.cures.get(status, asked.cures[0]))
    if "json" not in kind and status != 404:
        said = f"configured, but what answers at {host} is something else ({shown(kind) or 'of no kind'})"
        return Finding(name, "broken", said, asked.cures[0])
    return Finding(name, "ok", f"configured; {host} answers in {time.monotonic() - started:.1f} s")


async def _answer(asked: Probe) -> tuple[int, str]:
    """The status and the content type of the answer, whose body is not waited for."""
    async with (
        bounded_client("it", timeout=None, follow_redirects=True) as client,  # the caller has a time limit
        client.stream("GET", asked.url, params=dict(asked.params), headers=dict(asked.headers)) as response,
    ):
        return response.status_code, response.headers.get("content-type", "")
