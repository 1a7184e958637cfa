"""The threads that compute: beside the event loop and beside each other."""

import asyncio
import threading
import time

from rarr.tools.worker import CORES, infer, side_by_side, work


async def test_models_compute_beside_the_rules() -> None:
    meeting = threading.Barrier(2, timeout=5)
    assert sorted(await asyncio.gather(work(meeting.wait), infer(meeting.wait))) == [0, 1]


async def test_models_compute_one_after_another() -> None:
    threads = await asyncio.gather(*(infer(threading.get_ident) for _ in range(20)))
    assert len(set(threads)) == 1


async def test_what_is_cancelled_while_it_waits_never_runs() -> None:
    ran: list[int] = []
    first = asyncio.ensure_future(infer(time.sleep, 0.05))
    second = asyncio.ensure_future(infer(ran.append, 1))
    await asyncio.sleep(0)
    second.cancel()
    await first
    await infer(int)
    assert ran == []


def test_side_by_side_computes_at_the_same_time_and_answers_in_order() -> None:
    meeting = threading.Barrier(min(2, CORES), timeout=5)

    def met(one: int) -> int:
        meeting.wait()
        return one

    assert side_by_side(met, range(2)) == [0, 1]
    assert side_by_side(met, []) == []
