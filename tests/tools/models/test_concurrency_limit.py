"""Fewer requests at once on a slow server, by a clock that the tests set."""

import asyncio
import time
from contextlib import suppress

import pytest

from rarr.tools.models.chat import CallFailure
from rarr.tools.models.retries import FIRST_SLOW, Limiter

MOST, SLOW_S = 16, 10.0


class Server:
    """Answers all requests that are under way at once, after a second for each of them: it has one slot."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, slots: int = 1) -> None:
        self.now, self.waiting, self.at_once = 1.0, 0, list[int]()
        self._slots = slots
        monkeypatch.setattr(time, "monotonic", lambda: self.now)

    async def answer(self, limiter: Limiter, failure: CallFailure | None = None) -> None:
        with suppress(CallFailure):
            async with limiter():
                self.waiting += 1
                await asyncio.sleep(0)  # the others come
                if self.waiting:  # the first one answers for all
                    self.at_once.append(self.waiting)
                    self.now += self.waiting / self._slots
                    self.waiting = 0
                if failure is not None:
                    raise failure


async def asked(
    server: Server, limiter: Limiter, times: int, failure: CallFailure | None = None
) -> list[int]:
    await asyncio.gather(*(server.answer(limiter, failure) for _ in range(times)))
    return server.at_once


async def test_fast_server_gets_as_many_requests_as_the_settings_allow(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    at_once = await asked(Server(monkeypatch, slots=16), Limiter(MOST, SLOW_S), 64)
    assert at_once[0] == MOST


async def test_slow_server_gets_fewer_requests_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    at_once = await asked(Server(monkeypatch), Limiter(MOST, SLOW_S), 200)
    assert (at_once[0], at_once[1]) == (MOST, FIRST_SLOW)
    assert max(at_once[1:]) <= SLOW_S + 1
    assert max(at_once[-10:]) > FIRST_SLOW  # it rises again


@pytest.mark.parametrize("kind", ["timeout", "busy"])
async def test_overloaded_server_gets_fewer_requests(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    server, limiter = Server(monkeypatch, slots=16), Limiter(MOST, SLOW_S)
    await asked(server, limiter, MOST, CallFailure("timeout" if kind == "timeout" else "busy", "late"))
    server.at_once.clear()
    assert (await asked(server, limiter, MOST))[0] == FIRST_SLOW


async def test_number_of_requests_is_fixed_without_a_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    at_once = await asked(Server(monkeypatch), Limiter(MOST), 64)
    assert at_once[:3] == [MOST] * 3


async def test_one_request_is_always_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    server, limiter = Server(monkeypatch), Limiter(MOST, SLOW_S)
    for _ in range(20):
        await asked(server, limiter, 1, CallFailure("timeout", "late"))
        server.now += 1
    assert server.at_once == [1] * 20
