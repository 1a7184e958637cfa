"""One thread for what only computes, so that the event loop goes on meanwhile.

One and not several: Python runs one thread at a time, and threads that fight for it cost more than they
give.
"""

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Result = TypeVar("Result")

_worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="rarr-worker")


async def work(compute: Callable[..., Result], *args: object) -> Result:
    """`compute(*args)`, once the worker has come to it."""
    return await asyncio.get_running_loop().run_in_executor(_worker, compute, *args)


def _renew() -> None:
    global _worker
    _worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="rarr-worker")


os.register_at_fork(after_in_child=_renew)  # a fork has no threads of its parent
