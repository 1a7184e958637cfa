"""Answers are computed once while they are among the latest."""

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError

import pytest

from rarr.tools.concurrency import thread_safe_cache as remembering
from rarr.tools.concurrency.thread_safe_cache import Remembered


class Doubling(Remembered[int, int]):
    """Doubles, and notes of what."""

    def __init__(self, size: int) -> None:
        self.computed: list[int] = []
        super().__init__(self._double, size)

    def _double(self, number: int) -> int:
        self.computed.append(number)
        return 2 * number


def test_each_item_is_computed_once() -> None:
    doubled = Doubling(size=10)
    assert doubled([3, 1, 3]) == [6, 2, 6]
    assert doubled([1, 2, 1]) == [2, 4, 2]
    assert sorted(doubled.computed) == [1, 2, 3]
    assert doubled([]) == []


def test_least_recently_used_item_is_forgotten() -> None:
    doubled = Doubling(size=2)
    for number in (1, 2, 1, 3, 1, 2):
        doubled([number])
    assert doubled.computed == [1, 2, 3, 2]


def test_call_with_more_items_than_the_size_is_answered() -> None:
    assert Doubling(size=1)([1, 2, 3]) == [2, 4, 6]


def test_threads_that_ask_for_the_same_item_share_one_computation() -> None:
    asked, computed = threading.Barrier(2, timeout=5), list[int]()

    def slow(number: int) -> int:
        computed.append(number)
        asked.wait()  # for the other thread, which is about to ask
        time.sleep(0.05)
        return number

    remembered = Remembered(slow, size=10)
    first = threading.Thread(target=remembered, args=([7],))
    first.start()
    asked.wait()
    assert remembered([7]) == [7]
    first.join()
    assert computed == [7]


def test_failed_item_raises_and_is_computed_again_next_time() -> None:
    tries = iter("no")

    def once(number: int) -> int:
        if next(tries, ""):
            raise ValueError("no")
        return number

    remembered = Remembered(once, size=10)
    for _ in range(2):
        with pytest.raises(ValueError, match="no"):
            remembered([1])
    assert remembered([1]) == [1]


def waits_for(remembered: Remembered[int, int], given: int) -> list[int]:
    """What another thread gets that asks; nothing where it waits for good."""
    answers: list[int] = []
    asking = threading.Thread(target=lambda: answers.extend(remembered([given])), daemon=True)
    asking.start()
    asking.join(5)
    return answers


@pytest.mark.parametrize(
    "error", [KeyboardInterrupt, CancelledError, RuntimeError], ids=lambda error: error.__name__
)
def test_interrupted_caller_does_not_block_later_callers(
    error: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An error comes before, among or after those that are computed, as when threads can no longer begin."""
    doubled = Doubling(size=10)

    for computed in range(3):

        def interrupted(compute: Callable[[int], int], given: Sequence[int], most: int = computed) -> None:
            for number in given[:most]:
                compute(number)
            raise error

        with monkeypatch.context() as patched, pytest.raises(error):
            patched.setattr(remembering, "side_by_side", interrupted)
            doubled([10 * computed, 10 * computed + 1])
        assert waits_for(doubled, 10 * computed + 1) == [20 * computed + 2]


def test_thread_waiting_for_an_interrupted_caller_computes_the_item(monkeypatch: pytest.MonkeyPatch) -> None:
    doubled, asked = Doubling(size=10), threading.Event()
    answers: list[int] = []

    def ask() -> None:
        asked.set()
        answers.extend(doubled([1]))

    asking = threading.Thread(target=ask, daemon=True)

    def interrupted(compute: Callable[[int], int], given: Sequence[int]) -> None:
        monkeypatch.undo()
        asking.start()
        asked.wait(5)
        raise KeyboardInterrupt

    monkeypatch.setattr(remembering, "side_by_side", interrupted)
    with pytest.raises(KeyboardInterrupt):
        doubled([1])
    asking.join(5)
    assert answers == [2]
