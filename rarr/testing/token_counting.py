"""Counts the tokens of scripted models by one rule, over a socket and in process."""

import threading
from collections.abc import Sequence

from rarr.tools.models.chat import Tokens, estimated_tokens

NO_TOKENS = Tokens()
BLOCK = 64  # characters; a prefix is cached in whole blocks, as servers do


class TokenCounter:
    """Counts the tokens of messages and answers, with `estimated_tokens`.

    `cached` counts the longest prefix of all messages together that an earlier request had, in blocks of
    `BLOCK` characters; 0 without `prefix_cache`.
    """

    def __init__(self, prefix_cache: bool = True) -> None:
        self._seen: set[int] | None = set() if prefix_cache else None
        self._lock = threading.Lock()

    def count(self, contents: Sequence[str], texts: Sequence[str]) -> Tokens:
        """Counts the tokens of one request, and remembers its messages as cached for later requests."""
        whole = "".join(contents)
        cached = whole[: self._seen_length(whole)]
        return Tokens(estimated_tokens(contents), estimated_tokens(texts), estimated_tokens([cached]))

    def _seen_length(self, text: str) -> int:
        if self._seen is None:
            return 0
        chain, last = [], 0
        for start in range(0, len(text) - BLOCK + 1, BLOCK):
            last = hash((last, text[start : start + BLOCK]))  # hash of the block and all blocks before it
            chain.append(last)
        with self._lock:
            count = next((index for index, block in enumerate(chain) if block not in self._seen), len(chain))
            self._seen.update(chain)
        return count * BLOCK
