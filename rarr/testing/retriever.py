"""A retriever for tests, which searches the passages that a test gives, and records all calls."""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from rarr.errors import InputError
from rarr.records import Passage

RETRIEVED_AT = datetime(2026, 1, 1, tzinfo=UTC)
"""The value of `retrieved_at` of passages that a test gives as strings."""

SearchResult = Sequence[Passage | str] | Exception


class InMemoryRetriever:
    """Searches the given passages. `calls` has a pair (query, k) for each search.

        InMemoryRetriever(["The library opened in 1976.", passage])
        InMemoryRetriever({"When did it open?": ["It opened in 1976."], "Who built it?": OSError("down")})

    In a list, a search finds the passages that share a word with the query. A mapping gives, for a query, the
    passages to find or the exception to raise. A string becomes a passage whose source no other text has.
    """

    offline = True  # the setting `offline` allows this retriever

    def __init__(self, passages: Mapping[str, SearchResult] | SearchResult = ()) -> None:
        if isinstance(passages, str):
            raise InputError("passages is one text: give a list, such as [text]")
        self.calls: list[tuple[str, int]] = []
        self._passages = passages

    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        """Returns the matching passages of the `k` best sources, the best passage first."""
        self.calls.append((query, k))
        script = self._passages
        given = script.get(query, ()) if isinstance(script, Mapping) else script
        if isinstance(given, Exception):
            raise given
        found = [_as_passage(entry) for entry in given]
        if not isinstance(script, Mapping):
            shared = [(len(lower_words(query) & lower_words(passage.text)), passage) for passage in found]
            found = [passage for count, passage in sorted(shared, key=lambda pair: -pair[0]) if count]
        sources = list(dict.fromkeys(passage.source for passage in found))[:k]
        return [passage for passage in found if passage.source in sources]


def lower_words(text: str) -> set[str]:
    """Returns the words of a text in lower case."""
    return set(re.findall(r"\w+", text.lower()))


def _as_passage(entry: Passage | str) -> Passage:
    if isinstance(entry, Passage):
        return entry
    return Passage(text=entry, source=f"memory:{entry}", start=0, end=len(entry), retrieved_at=RETRIEVED_AT)
