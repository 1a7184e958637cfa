"""Divides a question to documents into clauses, each a question of its own with its subject."""

import re
from typing import NamedTuple

from rarr.backends.rules.asked_relations import clause_spans
from rarr.backends.rules.values import checkable_values

_AUXILIARIES = "is|are|was|were|did|does|do|has|have|had|can|could|will|would|should|may|might|must"
_ASKS = re.compile(
    rf"^(?:(?:and|or|but|so|then)\s+)?(?:(?:in|on|at|by|for|from|to|with|of|since|until)\s+)?"
    rf"(?:who|whom|whose|what|which|when|where|why|how|tell|describe|give|name|list|{_AUXILIARIES})\b",
    re.IGNORECASE,
)
_BARE = re.compile(
    r"^(?:(?:and|or)\s+)?(?P<word>when|where|why|who|by whom|in (?:what|which) year)\s*$", re.IGNORECASE
)
_INTERROGATIVE = re.compile(
    r"\b(?:who|whom|what|which|when|where|why|how(?:\s+(?:many|much))?)\b", re.IGNORECASE
)
_PRONOUN = re.compile(r"\b(?:he|she|it|they|him|his|her|hers|its|them|their|theirs)\b", re.IGNORECASE)
_CHUNK = re.compile(
    r"\bthe\s+(?:[a-z][\w'’-]*\s+){1,3}?(?:(?:of|in|at|on)\s+(?:the\s+)?)?(?=[A-Z])"
    rf"|\b(?:{_AUXILIARIES})\s+(?P<plain>the\s+(?:[a-z][\w'’-]*\s+){{1,3}}?)(?=[\w'’-]+\s*$)"
)
_PARTICIPLES = (
    "built|born|made|found|held|sold|won|taken|bought|led|lost|begun|cut|hit|shot|sunk|torn|written"
)
_WHOLE = re.compile(
    rf"\b(?:how\s+\w+\s+(?:is|are|was|were)\s+(?P<measured>the\s.+)$"
    rf"|(?:when|where|why|how)\s+(?:is|are|was|were)\s+(?P<passive>the\s.+?)\s+(?:\w+ed|{_PARTICIPLES})\s*$)",
    re.IGNORECASE,
)
"""Questions whose whole middle is the subject: "how heavy is ...", "when was ... built"."""


class AskedClause(NamedTuple):
    """A part of a question as it was `written`, in `words` of its own, and the `subject` that it takes over.

    The subject is that of the part before, where this part has a pronoun for it; otherwise it is empty.
    """

    written: str
    words: str
    subject: str = ""


def asked_clauses(question: str) -> list[AskedClause]:
    """Divides a question at what it asks next.

    A fragment, such as "In 2020" or the second half of a name, stays with its clause. A bare "and when?" asks
    the clause before it anew.
    """
    found = list[AskedClause]()
    for written in _joined(question):
        if found and (bare := _BARE.match(written)):
            asks_anew = _INTERROGATIVE.sub(bare["word"].lower(), found[-1].words, count=1)
            found.append(AskedClause(written, asks_anew, found[-1].subject))
            continue
        takes_over = found and _PRONOUN.search(written) and not names_in(written)
        subject = (subject_of(found[-1].words) or found[-1].subject) if takes_over else ""
        found.append(AskedClause(written, written, subject))
    return found


def names_in(text: str) -> list[str]:
    """Returns the names in a text as they are written."""
    return [text[value.start : value.end] for value in checkable_values(text) if value.kind == "name"]


def subject_of(question: str) -> str:
    """Returns the noun phrase of a question which it asks about, such as "the lighthouse of Tessmark".

    A name alone counts as well. Of "who is the mayor of Tessmark", the phrase is the name: the mayor is what
    is asked.
    """
    chunk = chunk_of(question)
    return f"{chunk} {' '.join(names_in(question))}".strip()


def chunk_of(question: str) -> str:
    """Returns the nouns before a name, or before the last verb, which tell what kind of thing it is."""
    if whole := _WHOLE.search(question):
        return str(whole[whole.lastgroup or 0]).strip()
    asked = re.match(
        rf"\s*(?:who|what|which)\s+(?:{_AUXILIARIES})\s+", question, re.IGNORECASE
    )  # the noun behind it is what is asked
    match = _CHUNK.search(question, max(0, asked.end() + len("the ") if asked else 0))
    return (match["plain"] or match[0]).strip() if match else ""


def _joined(question: str) -> list[str]:
    """Returns the clauses as texts; a piece that asks nothing by itself stays with its neighbour."""
    pieces = list[tuple[int, int]]()
    for span in clause_spans(question):
        asks = _ASKS.match(span.of(question)) is not None
        if pieces and (not asks or not _asks(question, pieces[-1])):
            pieces[-1] = (pieces[-1][0], span.end)
        else:
            pieces.append((span.start, span.end))
    return [question[start:end] for start, end in pieces]


def _asks(question: str, piece: tuple[int, int]) -> bool:
    text = question[slice(*piece)]
    return _ASKS.match(text) is not None or _INTERROGATIVE.search(text) is not None
