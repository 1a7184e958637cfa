"""Caches the latest results of a function, for several threads."""

import threading
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from typing import Generic, TypeVar

from rarr.tools.concurrency.worker_threads import side_by_side

Key = TypeVar("Key", bound=Hashable)
Result = TypeVar("Result")


class Remembered(Generic[Key, Result]):
    """Computes results with `compute`, several at a time, and caches the `size` that were used last.

    A thread that asks for a result that another thread is computing waits for it. `compute` must not ask for
    a result itself.
    """

    def __init__(self, compute: Callable[[Key], Result], size: int) -> None:
        self._compute, self._size = compute, size
        self._kept: dict[Key, Result] = {}
        self._computing: dict[Key, Future[Result]] = {}
        self._changing = threading.Lock()

    def __call__(self, keys: Sequence[Key]) -> list[Result]:
        """Returns one result for each key, cached or computed. Errors of `compute` are not cached."""
        results: dict[Key, Result] = {}
        while missing := [key for key in dict.fromkeys(keys) if key not in results]:
            kept, computed = self._known(missing)
            results |= kept
            for key, result in computed.items():
                with suppress(CancelledError):  # the thread that was to compute it was interrupted
                    results[key] = result.result()
        return [results[key] for key in keys]

    def _known(self, keys: Sequence[Key]) -> "tuple[dict[Key, Result], dict[Key, Future[Result]]]":
        """Returns the cached results, and futures of the others, which this or another thread computes."""
        own: dict[Key, Future[Result]] = {}
        try:
            with self._changing:
                kept = {key: self._kept.pop(key) for key in keys if key in self._kept}
                self._kept |= kept  # the latest last
                rest = [key for key in keys if key not in kept]
                own.update({key: Future() for key in rest if key not in self._computing})
                self._computing |= own
                futures = {key: self._computing[key] for key in rest}
            side_by_side(lambda key: self._fill(key, own[key]), list(own))
        finally:  # nobody may wait for a result that no thread computes
            for key, result in own.items():
                if result.cancel():
                    self._forget(key, result)
        return kept, futures

    def _fill(self, key: Key, result: "Future[Result]") -> None:
        if not result.set_running_or_notify_cancel():
            return
        try:
            computed = self._compute(key)
            self._keep(key, computed)
            result.set_result(computed)
        except BaseException as error:
            self._forget(key, result)
            result.set_exception(error)

    def _keep(self, key: Key, computed: Result) -> None:
        with self._changing:
            self._kept[key] = computed  # a future takes 2 kB more
            self._computing.pop(key, None)
            while len(self._kept) > self._size:
                del self._kept[next(iter(self._kept))]

    def _forget(self, key: Key, result: "Future[Result]") -> None:
        with self._changing:
            if self._computing.get(key) is result:
                del self._computing[key]
