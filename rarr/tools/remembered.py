"""Answers that are computed once for as long as they are among the latest."""

import threading
from collections.abc import Callable, Hashable, Sequence
from typing import Generic, TypeVar

from rarr.tools.worker import side_by_side

Given = TypeVar("Given", bound=Hashable)
Answer = TypeVar("Answer")


class Remembered(Generic[Given, Answer]):
    """Answers by `compute`, several at a time; the last `size` of them are kept. Threads may share it."""

    def __init__(self, compute: Callable[[Given], Answer], size: int) -> None:
        self._compute, self._size = compute, size
        self._kept: dict[Given, Answer] = {}
        self._changing = threading.Lock()

    def __call__(self, given: Sequence[Given]) -> list[Answer]:
        """One answer for each."""
        with self._changing:
            found = {one: self._kept[one] for one in given if one in self._kept}
        missing = [one for one in dict.fromkeys(given) if one not in found]
        found |= dict(zip(missing, side_by_side(self._compute, missing), strict=True))
        with self._changing:
            for one in found:  # the latest last
                self._kept.pop(one, None)
            self._kept |= found
            while len(self._kept) > self._size:
                del self._kept[next(iter(self._kept))]
        return [found[one] for one in given]
