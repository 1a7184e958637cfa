"""The rule by which the scripted models count tokens, the same over a socket and in process."""

import threading
from collections.abc import Sequence

from rarr.tools.models.chat import Tokens, estimated_tokens

NO_TOKENS = Tokens()
BLOCK = 64  # characters; a prefix is cached in whole blocks, as a server does it


class TokenCounter:
    """Counts `estimated_tokens` of the messages and of the answers.

    `cached` are those of the longest prefix, of all messages' contents in a row, that an earlier request had.
    """

    def __init__(self, prefix_cache: bool = True) -> None:
        self._seen: set[int] | None = set() if prefix_cache else None
        self._lock = threading.Lock()

    def count(self, contents: Sequence[str], texts: Sequence[str]) -> Tokens:
        """What one request costs; its prefix counts as cached for later ones."""
        whole = "".join(contents)
        cached = whole[: self._known(whole)]
        return Tokens(estimated_tokens(contents), estimated_tokens(texts), estimated_tokens([cached]))

    def _known(self, text: str) -> int:
        if self._seen is None:
            return 0
        chain, last = [], 0
        for start in range(0, len(text) - BLOCK + 1, BLOCK):
            last = hash((last, text[start : start + BLOCK]))  # of the block and all before it
            chain.append(last)
        with self._lock:
            known = next((index for index, one in enumerate(chain) if one not in self._seen), len(chain))
            self._seen.update(chain)
        return known * BLOCK
