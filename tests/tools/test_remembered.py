"""Answers are computed once while they are among the latest."""

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
    assert doubled([1, 2]) == [2, 4]
    assert sorted(doubled.computed) == [1, 2, 3]
    assert doubled([]) == []


def test_what_was_asked_longest_ago_is_forgotten() -> None:
    doubled = Doubling(size=2)
    for one in (1, 2, 1, 3, 1, 2):
        doubled([one])
    assert doubled.computed == [1, 2, 3, 2]


def test_more_than_are_kept_are_answered() -> None:
    assert Doubling(size=1)([1, 2, 3]) == [2, 4, 6]
