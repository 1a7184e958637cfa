"""Answers that are computed once for as long as they are among the latest."""

import threading
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Future
from typing import Generic, TypeVar

from rarr.tools.worker import side_by_side

Given = TypeVar("Given", bound=Hashable)
Answer = TypeVar("Answer")


class Remembered(Generic[Given, Answer]):
    """Answers by `compute`, several at a time; the last `size` of them are kept.

    Threads may share it: who asks for what another is computing waits for that. `compute` must not ask it.
    """

    def __init__(self, compute: Callable[[Given], Answer], size: int) -> None:
        self._compute, self._size = compute, size
        self._kept: dict[Given, Future[Answer]] = {}
        self._changing = threading.Lock()

    def __call__(self, given: Sequence[Given]) -> list[Answer]:
        """One answer for each. Raises what `compute` raises, which is not kept."""
        with self._changing:
            missing = [one for one in dict.fromkeys(given) if one not in self._kept]
            self._kept |= {one: Future() for one in missing}
            asked = {one: self._kept.pop(one) for one in dict.fromkeys(given)}
            self._kept |= asked  # the latest last
            while len(self._kept) > self._size:
                del self._kept[next(iter(self._kept))]
        side_by_side(lambda one: self._fill(one, asked[one]), missing)
        return [asked[one].result() for one in given]

    def _fill(self, one: Given, answer: "Future[Answer]") -> None:
        try:
            answer.set_result(self._compute(one))
        except BaseException as error:
            with self._changing:
                self._kept.pop(one, None)
            answer.set_exception(error)
