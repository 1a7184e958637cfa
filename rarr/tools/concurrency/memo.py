"""A cache of the latest results of a function, shared by threads."""

import threading
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from typing import Generic, TypeVar

from rarr.tools.concurrency.worker import side_by_side

Key = TypeVar("Key", bound=Hashable)
Result = TypeVar("Result")


class Remembered(Generic[Key, Result]):
    """Results of `compute`, several at a time. The last `size` results are kept.

    A thread that asks for a result that another thread is computing waits for it. `compute` must not ask for
    a result itself.
    """

    def __init__(self, compute: Callable[[Key], Result], size: int) -> None:
        self._compute, self._size = compute, size
        self._kept: dict[Key, Future[Result]] = {}
        self._changing = threading.Lock()

    def __call__(self, keys: Sequence[Key]) -> list[Result]:
        """One result for each key. Raises the error of `compute`, which is not kept."""
        results: dict[Key, Result] = {}
        while missing := [key for key in dict.fromkeys(keys) if key not in results]:
            for key, result in self._futures(missing).items():
                with suppress(CancelledError):  # the thread that was to compute it was interrupted
                    results[key] = result.result()
        return [results[key] for key in keys]

    def _futures(self, keys: Sequence[Key]) -> "dict[Key, Future[Result]]":
        """The future of each key, which is done or which a thread computes."""
        own: dict[Key, Future[Result]] = {}
        try:
            with self._changing:
                own.update({key: Future() for key in keys if key not in self._kept})
                futures = {key: own.get(key) or self._kept.pop(key) for key in keys}
                self._kept |= futures  # the latest last
                while len(self._kept) > self._size:
                    del self._kept[next(iter(self._kept))]
            side_by_side(lambda key: self._fill(key, own[key]), list(own))
        finally:  # nobody may wait for a result that no thread computes
            for key, result in own.items():
                if result.cancel():
                    self._forget(key, result)
        return futures

    def _fill(self, key: Key, result: "Future[Result]") -> None:
        if not result.set_running_or_notify_cancel():
            return
        try:
            result.set_result(self._compute(key))
        except BaseException as error:
            self._forget(key, result)
            result.set_exception(error)

    def _forget(self, key: Key, result: "Future[Result]") -> None:
        with self._changing:
            if self._kept.get(key) is result:
                del self._kept[key]
