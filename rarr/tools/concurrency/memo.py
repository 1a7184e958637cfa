"""A cache of the latest answers, shared by threads."""

import threading
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from typing import Generic, TypeVar

from rarr.tools.concurrency.worker import side_by_side

Given = TypeVar("Given", bound=Hashable)
Answer = TypeVar("Answer")


class Remembered(Generic[Given, Answer]):
    """Answers by `compute`, several at a time; the last `size` of them are kept.

    A thread that asks for an answer that another thread is computing waits for it. `compute` must not ask
    for an answer itself.
    """

    def __init__(self, compute: Callable[[Given], Answer], size: int) -> None:
        self._compute, self._size = compute, size
        self._kept: dict[Given, Future[Answer]] = {}
        self._changing = threading.Lock()

    def __call__(self, given: Sequence[Given]) -> list[Answer]:
        """One answer for each. Raises what `compute` raises, which is not kept."""
        answers: dict[Given, Answer] = {}
        while missing := [one for one in dict.fromkeys(given) if one not in answers]:
            for one, answer in self._asked(missing).items():
                with suppress(CancelledError):  # whoever was to compute it was interrupted
                    answers[one] = answer.result()
        return [answers[one] for one in given]

    def _asked(self, given: Sequence[Given]) -> "dict[Given, Future[Answer]]":
        """The answer to each, which is there or which another thread computes."""
        mine: dict[Given, Future[Answer]] = {}
        try:
            with self._changing:
                mine.update({one: Future() for one in given if one not in self._kept})
                asked = {one: mine.get(one) or self._kept.pop(one) for one in given}
                self._kept |= asked  # the latest last
                while len(self._kept) > self._size:
                    del self._kept[next(iter(self._kept))]
            side_by_side(lambda one: self._fill(one, mine[one]), list(mine))
        finally:  # an answer that nobody computes must not be waited for
            for one, answer in mine.items():
                if answer.cancel():
                    self._forget(one, answer)
        return asked

    def _fill(self, one: Given, answer: "Future[Answer]") -> None:
        if not answer.set_running_or_notify_cancel():
            return
        try:
            answer.set_result(self._compute(one))
        except BaseException as error:
            self._forget(one, answer)
            answer.set_exception(error)

    def _forget(self, one: Given, answer: "Future[Answer]") -> None:
        with self._changing:
            if self._kept.get(one) is answer:
                del self._kept[one]
