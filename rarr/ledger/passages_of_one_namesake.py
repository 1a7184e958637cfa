"""Chooses, of pages about several things of the topic's name, those about one of them.

A town and a band of one name make no article together. A page with the name and a qualifier as its title,
such as "Northlight (band)", is about the thing of its qualifier, and any other page about the thing of the
plain name.
"""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from rarr.backends.rules.name_matching import key_words
from rarr.backends.rules.namesakes import name_in_title
from rarr.records import Evidence, Notice


class OneNamesake(NamedTuple):
    """The passages about one thing of the topic's name, its name, and the titles that were left out."""

    passages: list[Evidence]
    name: str
    left_out: tuple[str, ...]

    def notices(self) -> list[Notice]:
        """Returns a warning that names the other things; none if there is none."""
        if not self.left_out:
            return []
        others = " and ".join(self.left_out)
        message = (
            f"the sources have several things of this name: the article is about {self.name}, and leaves out"
            f" {others}; to write about another, give its title as topic"
        )
        return [Notice(code="ambiguous_name", message=message, node="plan")]


def of_one_namesake(topic: str, passages: Sequence[Evidence]) -> OneNamesake:
    """Returns the passages about the thing that the topic means.

    That is the thing whose qualifier the topic has; else that without a qualifier, if another page has the
    name; else that with the most passages.
    """
    words = {*key_words(topic)}
    told = [p.title for p in passages if _is_qualified(p.title) and {*key_words(p.title)} == words]
    name = {*key_words(name_in_title(told[0] if told else topic))}
    bearers = Counter(p.title for p in passages if _is_qualified(p.title) and _name_words(p.title) == name)
    others = [passage for passage in passages if passage.title not in bearers]
    has_plain_title = any({*key_words(passage.title)} == name for passage in others)
    if not bearers or (len(bearers) == 1 and not has_plain_title and not told):
        return OneNamesake(list(passages), topic, ())  # all may be about one thing
    has_plain = any(name <= _words(passage) for passage in others)
    meant = told[0] if told else topic if has_plain else bearers.most_common(1)[0][0]
    left_out = {*bearers} - {meant}
    if meant in bearers:  # a page with the name and without the qualifier is about another thing
        told_in = {*key_words(meant)}
        left_out |= {p.title for p in others if name <= (found := _words(p)) and not told_in <= found}
    kept = [passage for passage in passages if passage.title not in left_out]
    return OneNamesake(kept, meant, tuple(sorted(left_out)))


def _words(passage: Evidence) -> set[str]:
    return {*key_words(f"{passage.title}\n{passage.text}")}


def _is_qualified(title: str) -> bool:
    """Has the title a qualifier with a word? A year alone is mostly that of the page, or of an event."""
    return any(not word.isdigit() for word in {*key_words(title)} - _name_words(title))


def _name_words(title: str) -> set[str]:
    return {*key_words(name_in_title(title))}
