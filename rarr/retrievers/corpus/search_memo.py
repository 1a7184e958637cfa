"""Keeps the passages of the latest searches, since texts on the same topics repeat them."""

import threading
from collections.abc import Sequence
from typing import NamedTuple

from rarr.records import Passage

KEPT_SEARCHES = 512  # searches; each has up to about 60 kB of passages


class Search(NamedTuple):
    """A search of one state of an index, for at most `k` documents."""

    state: str
    query: str
    k: int


class SearchMemo:
    """Keeps the passages of the searches that were used last. Many threads may use it."""

    def __init__(self) -> None:
        self._kept: dict[Search, Sequence[Passage]] = {}
        self._changing = threading.Lock()

    def passages(self, search: Search) -> Sequence[Passage] | None:
        """Returns the passages of a kept search; None for another search."""
        with self._changing:
            if (passages := self._kept.pop(search, None)) is not None:
                self._kept[search] = passages  # the latest last
            return passages

    def keep(self, search: Search, passages: Sequence[Passage]) -> None:
        """Keeps the passages of a search; the search that was used least recently may go."""
        with self._changing:
            self._kept[search] = passages
            if len(self._kept) > KEPT_SEARCHES:
                del self._kept[next(iter(self._kept))]
