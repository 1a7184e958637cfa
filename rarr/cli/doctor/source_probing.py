"""Sends one small, free request to a source on the web, with a short timeout."""

import asyncio
import time
from urllib.parse import urlsplit

import httpx2

from rarr.cli.doctor.diagnosis import Diagnosis, State
from rarr.retrievers.web.service_requests import Probe
from rarr.tools.guard.bounded_http_client import bounded_client
from rarr.tools.models.chat import CallFailure
from rarr.tools.models.failures import redacted
from rarr.tools.text.printable_text import shown

LIMIT_S = 3.0
"""Seconds until a source counts as not answering."""


async def reached(name: str, probe: Probe, *, default: bool = False) -> Diagnosis:
    """Sends the request of `probe`, and tells whether the source answers as it should.

    `default`: no setting names the source. Then it is missing rather than broken where it cannot be used: a
    run on documents does not need it.
    """
    failed: State = "missing" if default else "broken"
    host = urlsplit(probe.url).hostname
    started = time.monotonic()
    try:
        async with asyncio.timeout(LIMIT_S):
            status, kind = await _answer(probe)
    except TimeoutError:
        detail = f"{origin(default=default)}, but {host} gives no answer within {LIMIT_S:g} s"
        return Diagnosis(name, failed, detail, probe.cures[0])
    except (httpx2.HTTPError, httpx2.InvalidURL, CallFailure, OSError, ValueError) as error:
        why = shown(redacted(" ".join(str(error).split()))) or type(error).__name__
        detail = f"{origin(default=default)}, but {host} cannot be reached ({why})"
        return Diagnosis(name, failed, detail, probe.cures[0])
    if status not in probe.good:
        detail = f"{origin(default=default)}, but {host} answers with status {status}"
        return Diagnosis(name, failed, detail, probe.cures.get(status, probe.cures[0]))
    if "json" not in kind and status != 404:
        answer = shown(kind) or "without a type"
        detail = f"{origin(default=default)}, but {host} answers with something else ({answer})"
        return Diagnosis(name, failed, detail, probe.cures[0])
    took = time.monotonic() - started
    return Diagnosis(name, "ok", f"{origin(default=default)}; {host} answers in {took:.1f} s")


def origin(*, default: bool) -> str:
    """Tells why the source would be searched: a setting names it, or it is the default."""
    return "the default" if default else "configured"


async def _answer(probe: Probe) -> tuple[int, str]:
    """Returns the status and the content type of the answer. Its body is not read."""
    async with (
        bounded_client("it", timeout=None, follow_redirects=True) as client,  # the caller sets a timeout
        client.stream("GET", probe.url, params=dict(probe.params), headers=dict(probe.headers)) as response,
    ):
        return response.status_code, response.headers.get("content-type", "")
