"""Finds the names above a sentence that names no subject, so that pages about other things are left out."""

import re
from collections.abc import Iterator, Sequence, Set
from functools import lru_cache

from rarr.backends.embedded.antecedents import names_subject
from rarr.backends.embedded.items import (
    ASKS,
    SENTENCE_END,
    WORD,
    Line,
    heading_keys,
    is_heading,
    items_of,
    lines_of,
)
from rarr.backends.embedded.words import FUNCTION_WORDS, LIMITING, OPENERS, language_of
from rarr.backends.phrases import values_and_names
from rarr.components import Excerpt

_HEADING = re.compile(r"\s*(#{1,6})\s")
_CASES = frozenset(("for", "für", "pour"))
_NO_NAME = OPENERS.union(LIMITING, *FUNCTION_WORDS.values())


class NamesAbove:
    """The names above a sentence: in the headings, and in the last paragraph that has names.

    A name is a set of keys (`Item.key`) of its words.
    """

    def __init__(self, text: str) -> None:
        self.headings = dict[int, str]()  # by level
        self.last, self.starts_paragraph = frozenset[str](), True
        self.add_text(text)

    def add_text(self, text: str) -> None:
        for number, line in enumerate(text.split("\n")):
            self.starts_paragraph |= number > 0
            if heading := _HEADING.match(line):
                level, self.last = len(heading[1]), frozenset()
                self.headings = {at: it for at, it in self.headings.items() if at < level} | {level: line}
            elif names := name_keys(line) if "|" not in line else ():  # a table row is no sentence
                self.last = names if self.starts_paragraph else names | self.last
                self.starts_paragraph = False

    def headings_differ(self, line: Line, known: Set[str]) -> bool:
        """Tells whether the headings of the text and of a source line each have words that the other lacks.

        A dose below "Adults" is not the dose below "Children". Titles count only if the two titles share a
        word, as "Model A" and "Model B" do. `known`: the words of the text so far.
        """
        title, said = heading_keys(line.title), {item.key for item in line.items}
        own_title, told = heading_keys(self.headings.get(1, "")), line.all_keys | line.heading_keys | title
        own = {key for level, it in self.headings.items() if level > 1 for key in heading_keys(it)}
        differ = bool(own - told) and not line.heading_keys - known <= said
        return differ or bool(own_title & title and own_title - told and title - known - said)

    def without_pages_about_others(
        self, pages: Sequence[Excerpt], sentence: str, known: Set[str]
    ) -> list[Excerpt]:
        """Returns `pages` without the pages about other names than the names above the sentence.

        Keeps a page with all names above the sentence, and a page whose names are all `known`, the keys of
        the text so far. Keeps all pages if no name is above, or if `sentence` names a subject.
        """
        named = (name_keys(it, is_title=level == 1) for level, it in self.headings.items())
        wanted = self.last.union(*named)
        if not wanted or names_subject(sentence):
            return [*pages]
        return [it for it in pages if wanted <= lines_of(it)[0].excerpt_keys or _page_names(it) <= known]


@lru_cache(maxsize=1024)
def _page_names(page: Excerpt) -> frozenset[str]:
    title = name_keys(lines_of(page)[0].title, is_title=True)
    return title.union(*(name_keys(it.text, is_title=is_heading(it.text)) for it in page.lines))


@lru_cache(maxsize=4096)
def name_keys(text: str, *, is_title: bool = False) -> frozenset[str]:
    """Returns the keys of names in a text ("Pump 12"), and of phrases that limit a text ("For adults,")."""
    return frozenset(it for each in SENTENCE_END.split(text) for it in _names_in_sentence(each, is_title))


def _names_in_sentence(sentence: str, is_title: bool) -> Iterator[str]:
    items, words = items_of(sentence), [it.casefold() for it in WORD.findall(sentence)]
    is_german = language_of(words) == "de"  # German nouns look like names
    for found in (it.items for it in values_and_names(sentence)):  # a title has values too: "Release 2.1"
        if is_title or (found[0].is_name and (len(found) > 1 or not is_german)):
            yield from (item.key for item in found)
    is_first = bool(items) and sentence[items[0].start].isupper() and items[0].word not in _NO_NAME
    if is_first and not ASKS.match(sentence) and (is_title or (not is_german and len(items) > 1)):
        yield items[0].key
    # Words that limit the sentence: "For adults," and "In winter,", but not "In the evening,".
    if words[:1] and (words[0] in _CASES or (words[0] in OPENERS and not _NO_NAME.intersection(words[1:2]))):
        limiting = [it for it in items if it.stem and it.word not in _NO_NAME]
        comma = sentence.find(",", 0, 40)
        yield from (it.key for it in limiting if it is limiting[0] or it.start < comma)
