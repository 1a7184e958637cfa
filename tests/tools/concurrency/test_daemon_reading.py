"""Items are read on a daemon thread, one for each that is asked for."""

from collections.abc import Iterator

import pytest

from rarr.tools.concurrency.daemon_reading import on_daemon_thread


async def test_items_are_read_when_they_are_asked_for() -> None:
    read: list[int] = []

    def numbers() -> Iterator[int]:
        for number in range(3):
            read.append(number)
            yield number

    items = on_daemon_thread(numbers())
    assert (await anext(items), read) == (0, [0])
    assert [item async for item in items] == [1, 2]


async def test_error_of_an_item_is_raised() -> None:
    def numbers() -> Iterator[int]:
        yield 1
        raise ValueError("torn")

    items = on_daemon_thread(numbers())
    assert await anext(items) == 1
    with pytest.raises(ValueError, match="torn"):
        await anext(items)
