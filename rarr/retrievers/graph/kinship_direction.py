"""Decides whether a statement makes a child of a graph the parent, or a parent the child."""

import re
from collections.abc import Iterator

from rarr.retrievers.graph.relations import common_relation
from rarr.retrievers.graph.triples import Triple, name_key

_PARENT = r"(?:father|mother|parents?)"
_CHILD = r"(?:sons?|daughters?|child|children)"
_OF = rf"\b(?:(?P<parent>{_PARENT})|(?P<child>{_CHILD}))\s+of\s+(?P<name>.+)"
_POSSESSIVE = rf"(?P<name>.+)['’]s?\s+(?:(?P<parent>{_PARENT})|(?P<child>{_CHILD}))\b"


def is_reversed_kinship(statement: str, triple: Triple) -> bool:
    """Does the statement exchange the parent and the child of the triple?

    "The mother of Ann was Bea" and "Ann's mother was Bea" do so for Bea with the mother Ann.
    """
    known = common_relation(triple.relation)
    name = known.names[0] if known else ""
    if name not in ("father", "mother", "child"):
        return False
    parent, child = (triple.subject, triple.object) if name == "child" else (triple.object, triple.subject)
    return any(
        _is_name(words, child if is_parents else parent, at_end=at_end)
        for words, is_parents, at_end in _named_relatives(statement)
    )


def _named_relatives(statement: str) -> Iterator[tuple[str, bool, bool]]:
    """Yields the words with a name, whether it is that of a parent, and whether it stands at their end."""
    for match in re.finditer(rf"(?={_OF})", statement, re.IGNORECASE):
        yield match["name"], match["child"] is not None, False
    for match in re.finditer(_POSSESSIVE, statement, re.IGNORECASE):
        yield match["name"], match["child"] is not None, True


def _is_name(words: str, name: str, *, at_end: bool) -> bool:
    key, wanted = name_key(words).split(), name_key(name).split()
    return bool(wanted) and (key[-len(wanted) :] if at_end else key[: len(wanted)]) == wanted
