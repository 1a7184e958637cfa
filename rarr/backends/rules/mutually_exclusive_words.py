"""Finds words that exclude each other in one statement: opposites, ranks, kinship, roles, materials.

The list has classes, such as the directions. A class has members, such as north and south, of which only one
can be true, and a member may have several forms: "north/northern".
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from rarr.backends.rules.word_list_reader import word_list


class ExclusiveTerm(NamedTuple):
    """A word that excludes the others of its class, such as a direction or a rank, from `start` to `end`.

    `members` maps the number of each class that has the word to the number of its member there.
    """

    start: int
    end: int
    members: dict[int, int]

    @property
    def label(self) -> str:
        """The name of the word's first class, such as direction or rank."""
        return LABELS[min(self.members)]


def _classes() -> tuple[list[str], dict[str, dict[int, int]]]:
    """Reads the list of exclusive words: the name of each class, and the members of each written form.

    The members of a form are given by the number of the class.
    """
    labels: list[str] = []
    forms: dict[str, dict[int, int]] = {}
    for number, line in enumerate(word_list("exclusive_words")):
        label, _, members = line.partition(": ")
        labels.append(label)
        for member, written in enumerate(members.split(", ")):
            for form in written.split("/"):
                forms.setdefault(form.lower(), {})[number] = member
    return labels, forms


LABELS, _MEMBERS = _classes()
_WORD = re.compile(r"[\w-]+")
_LONGEST = max(form.count(" ") for form in _MEMBERS) + 1  # words of a form


def exclusive_terms(text: str) -> Iterator[ExclusiveTerm]:
    """Yields the words of `text` that exclude others of their class, such as ranks, in order.

    Of overlapping forms, the longest.
    """
    # A look-up word by word takes a fifth of the time of one pattern with all forms.
    words = [match.span() for match in _WORD.finditer(text)]
    done = 0
    for number, (start, _) in enumerate(words):
        if start < done:
            continue
        for _, end in reversed(words[number : number + _LONGEST]):
            if members := _MEMBERS.get(text[start:end].lower()):
                yield ExclusiveTerm(start, end, members)
                done = end
                break


def same_term(first: ExclusiveTerm, second: ExclusiveTerm) -> bool | None:
    """Are the two the same member of a class that they share? None where they share no class."""
    shared = first.members.keys() & second.members.keys()
    return any(first.members[c] == second.members[c] for c in shared) if shared else None
