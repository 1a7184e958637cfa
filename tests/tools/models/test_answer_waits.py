"""How long the first token and the next ones are waited for, as the server's speed becomes known."""

import asyncio
from contextlib import suppress

import pytest

from rarr.tools.models.answer_waits import LONGEST, AnswerWaits, stream_requested, token_arrived
from rarr.tools.models.chat import CallFailure

S = 60.0  # seconds between tokens, at most


class Clock:
    """The time of the running event loop. It stands still, and jumps where every task waits."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1000.0
        monkeypatch.setattr(asyncio.get_running_loop(), "time", lambda: self.now)

    async def passes(self, seconds: float) -> None:
        """Time passes, in steps in which timers are noticed."""
        until = self.now + seconds
        while self.now < until:
            self.now = min(until, self.now + 1)
            await asyncio.sleep(0)
            await asyncio.sleep(0)


@pytest.fixture
async def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


async def answered(waits: AnswerWaits, clock: Clock, tokens: int, seconds: float) -> None:
    """An answer whose first token comes after `seconds`."""
    async with waits.bounded(tokens):
        stream_requested()
        clock.now += seconds
        token_arrived()


async def waited(waits: AnswerWaits, clock: Clock, *prompts: int, streams: bool = True) -> list[float]:
    """For how long requests with these prompts, sent at once, wait for a token that does not come."""
    ended = []

    async def request(tokens: int) -> None:
        with pytest.raises(CallFailure) as caught:
            async with waits.bounded(tokens):
                if streams:
                    stream_requested()
                await asyncio.Event().wait()
        assert caught.value.kind == "timeout"
        ended.append(float(str(caught.value).split()[-2]))

    tasks = [asyncio.create_task(request(tokens)) for tokens in prompts]
    await asyncio.sleep(0)
    await clock.passes(LONGEST * S + 5)
    await asyncio.gather(*tasks)
    return ended


async def test_server_of_unknown_speed_has_the_limit_of_the_settings(clock: Clock) -> None:
    assert await waited(AnswerWaits("it", S), clock, 100_000) == [S]


async def test_server_of_unknown_speed_may_read_three_prompts_together(clock: Clock) -> None:
    assert await waited(AnswerWaits("it", S), clock, *[100] * 5) == [S, 2 * S, 3 * S, 3 * S, 3 * S]


async def test_answer_in_one_piece_has_the_limit_of_the_settings(clock: Clock) -> None:
    waits = AnswerWaits("it", S)
    await answered(waits, clock, 1000, 50.0)
    assert await waited(waits, clock, 2000, 2000, streams=False) == [S, S]


@pytest.mark.parametrize(
    ("tokens", "seconds"), [(100, S), (1000, 120.0), (2000, 240.0), (90_000, LONGEST * S)]
)
async def test_slow_server_gets_longer_for_longer_prompts(clock: Clock, tokens: int, seconds: float) -> None:
    waits = AnswerWaits("it", S)
    await answered(waits, clock, 1000, 40.0)
    assert await waited(waits, clock, tokens) == [pytest.approx(seconds)]


async def test_prompts_under_way_extend_the_wait_of_the_next(clock: Clock) -> None:
    waits = AnswerWaits("it", S)
    await answered(waits, clock, 1000, 40.0)
    assert await waited(waits, clock, 1000, 1000) == pytest.approx([120.0, 240.0])


@pytest.mark.parametrize(("since", "seconds"), [(19, 120.0), (20, S)])
async def test_slowest_wait_of_late_counts(clock: Clock, since: int, seconds: float) -> None:
    waits = AnswerWaits("it", S)
    await answered(waits, clock, 1000, 40.0)
    for _ in range(since):
        await answered(waits, clock, 1000, 1.0)
    assert await waited(waits, clock, 1000) == [pytest.approx(seconds)]


async def test_request_waits_while_the_server_answers_others(clock: Clock) -> None:
    waits = AnswerWaits("it", S)

    async def slow() -> None:
        async with waits.bounded(1):
            stream_requested()
            for _ in range(4):
                await asyncio.sleep(0.75 * S)
                token_arrived()

    other = asyncio.create_task(slow())
    await asyncio.sleep(0)
    waiting = asyncio.create_task(waited(waits, clock, 1))
    await other
    assert await waiting == [pytest.approx(4 * 0.75 * S + 2 * S, abs=8)]


async def test_answer_that_keeps_coming_is_not_cut(clock: Clock) -> None:
    async with AnswerWaits("it", S).bounded(10):
        stream_requested()
        for _ in range(2 * LONGEST):
            await clock.passes(0.9 * S)
            token_arrived()


async def test_stall_is_told_from_an_answer_that_never_began(clock: Clock) -> None:
    async def stall() -> None:
        async with AnswerWaits("it", S).bounded(10):
            stream_requested()
            token_arrived()
            await asyncio.Event().wait()

    stalled = asyncio.create_task(stall())
    await asyncio.sleep(0)
    await clock.passes(S + 1)
    with pytest.raises(CallFailure, match="it stalled in its answer: no token came for 60 s") as caught:
        await stalled
    assert caught.value.kind == "timeout"


async def test_stall_after_a_late_first_token_is_noticed_in_time(clock: Clock) -> None:
    waits = AnswerWaits("it", S)
    await answered(waits, clock, 100, 5 * S)  # from then on, a first token may come late
    token_at = 0.0

    async def stall() -> None:
        nonlocal token_at
        async with waits.bounded(100):
            stream_requested()
            await clock.passes(2 * S)
            token_arrived()
            token_at = clock.now
            await asyncio.Event().wait()

    stalled = asyncio.create_task(stall())
    while not stalled.done():
        await clock.passes(1)
    with pytest.raises(CallFailure, match="no token came for 60 s"):
        await stalled
    assert clock.now - token_at <= S + 2


async def test_timeout_of_the_caller_is_its_own() -> None:
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01), AnswerWaits("it", S).bounded(10):
            await asyncio.Event().wait()


def test_token_outside_of_a_request_changes_nothing() -> None:
    stream_requested()
    token_arrived()


async def test_failed_requests_are_not_under_way(clock: Clock) -> None:
    waits = AnswerWaits("it", S)
    for _ in range(3):
        with suppress(ZeroDivisionError):
            async with waits.bounded(1_000_000):
                raise ZeroDivisionError
    assert await waited(waits, clock, 100) == [S]
