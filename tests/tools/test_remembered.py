"""Answers are computed once while they are among the latest."""

import threading
import time

import pytest

from rarr.tools.remembered import Remembered


class Doubling(Remembered[int, int]):
    """Doubles, and notes of what."""

    def __init__(self, size: int) -> None:
        self.computed: list[int] = []
        super().__init__(self._double, size)

    def _double(self, one: int) -> int:
        self.computed.append(one)
        return 2 * one


def test_each_is_answered_and_computed_once() -> None:
    doubled = Doubling(size=10)
    assert doubled([3, 1, 3]) == [6, 2, 6]
    assert doubled([1, 2, 1]) == [2, 4, 2]
    assert sorted(doubled.computed) == [1, 2, 3]
    assert doubled([]) == []


def test_what_was_asked_longest_ago_is_forgotten() -> None:
    doubled = Doubling(size=2)
    for one in (1, 2, 1, 3, 1, 2):
        doubled([one])
    assert doubled.computed == [1, 2, 3, 2]


def test_more_than_are_kept_are_answered() -> None:
    assert Doubling(size=1)([1, 2, 3]) == [2, 4, 6]


def test_threads_that_ask_for_the_same_share_one_answer() -> None:
    asked, computed = threading.Barrier(2, timeout=5), list[int]()

    def slow(one: int) -> int:
        computed.append(one)
        asked.wait()  # for the other thread, which is about to ask
        time.sleep(0.05)
        return one

    remembered = Remembered(slow, size=10)
    first = threading.Thread(target=remembered, args=([7],))
    first.start()
    asked.wait()
    assert remembered([7]) == [7]
    first.join()
    assert computed == [7]


def test_what_fails_fails_for_all_and_is_tried_again() -> None:
    tries = iter("no")

    def once(one: int) -> int:
        if next(tries, ""):
            raise ValueError("no")
        return one

    remembered = Remembered(once, size=10)
    for _ in range(2):
        with pytest.raises(ValueError, match="no"):
            remembered([1])
    assert remembered([1]) == [1]
