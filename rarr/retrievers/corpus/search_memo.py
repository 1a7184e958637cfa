"""Keeps the passages of the latest searches, since texts on the same topics repeat them."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import NamedTuple

from rarr.records import Passage

KEPT_SEARCHES = 512  # searches; each has up to about 60 kB of passages


class Search(NamedTuple):
    """A search of one state of an index, for at most `k` documents."""

    state: str
    query: str
    k: int


class SearchMemo:
    """Keeps the passages of the searches that were used last. Many threads may use it.

    A search that another thread is making is not made again: its passages are waited for.
    """

    def __init__(self) -> None:
        self._kept: dict[Search, Future[Sequence[Passage]]] = {}
        self._changing = threading.Lock()

    def passages(
        self, search: Search, make: Callable[[], Sequence[Passage]]
    ) -> tuple[Sequence[Passage], bool]:
        """Returns the passages of a search, and whether they were kept; otherwise `make` finds them.

        Raises what `make` raises. Such a search is not kept.
        """
        with self._changing:
            kept = self._kept.pop(search, None)
            coming = Future[Sequence[Passage]]() if kept is None else kept
            self._kept[search] = coming  # the latest last
            if len(self._kept) > KEPT_SEARCHES:
                del self._kept[next(iter(self._kept))]
        if kept is not None:
            return kept.result(), True
        try:
            coming.set_result(passages := make())
        except BaseException as error:
            with self._changing:
                self._kept.pop(search, None)
            coming.set_exception(error)
            raise
        return passages, False
