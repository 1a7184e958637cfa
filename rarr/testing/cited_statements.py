"""Answers a question as a language model is asked to: in statements with the numbers of their sources."""

import re
from typing import Any

from rarr.retrievers.corpus.index_words import stems, telling

_SOURCE = re.compile(r"^\[(?P<number>\d+)\] (?P<text>.+)$", re.MULTILINE)


def cited_statements(question: str, sources: str) -> list[dict[str, Any]]:
    """Copies the sources that have most words of the question, each with its number.

    Without such a source, one statement says so, and needs support.
    """
    wanted = {stem for word in telling(question) for stem in stems(word)}
    listed = [(match["text"], int(match["number"])) for match in _SOURCE.finditer(sources)]
    shared = [len(wanted.intersection(stems(text))) for text, _ in listed]
    best = max(shared, default=0)
    if not best:
        return [{"text": "The sources do not say it.", "citations": [], "needs_support": True}]
    return [
        {"text": text, "citations": [number], "needs_support": False}
        for (text, number), count in zip(listed, shared, strict=True)
        if count == best
    ]
