"""Finds the sentences of a passage that can be read alone in an article about a topic.

"The town has a harbour." speaks of the town that the sentences before it name. Such a sentence is kept only
if that is the topic. In "In 2020 it had a harbour.", the topic takes the place of the pronoun.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rarr.backends.rules.proper_names import ProperName, is_person, proper_names
from rarr.backends.rules.subjects import is_subject_between
from rarr.backends.rules.words import is_common, word_tokens
from rarr.records import Evidence
from rarr.tools.text.blocks_and_sentences import Block, Span, blocks, split_sentences

_PRONOUN = r"(?P<pronoun>(?i:it|he|she|they|its|his|her|their))"
# An opening that has no subject for the pronoun: "In 2020 it", "During the First World War she".
_PLAIN_OPENING = re.compile(
    rf"(?P<opening>(?:(?:In|On|At|By|After|Since|Before|During|From|Around|Until|As of)"
    rf"(?:\s+(?:the|an?))?(?:\s+(?:of\s+)?[A-Z\d][\w’'-]*)+|Today|Later),?)\s+{_PRONOUN}\b"
)
_LATER_PRONOUN = re.compile(
    rf"(?:In|On|At|By|After|Since|Before|During|From|Around|Until|As|When|While|Although|Though|Because|If)\b"
    rf"[^.;:]{{0,80}}?\b{_PRONOUN}\b"
)
_POSSESSIVE = frozenset({"its", "his", "her", "their"})
_OF_PERSONS, _OF_THINGS = frozenset({"he", "she", "his", "her"}), frozenset({"it", "its"})
_SAYS = re.compile(r"\s+(?:said|says|told|reported|reports|wrote|added|announced|stated)\b")
_ARTICLE = re.compile(r"\bthe\s+$", re.IGNORECASE)
_COMPARED = re.compile(r"(?:Unlike|Like)\s[^,]{1,60},\s+")
_JOINED = re.compile(r"\s*(?:,|and|or)\s+[A-Z]")  # "Orvelle and Tessmark": neither alone is the subject


class Standalone(NamedTuple):
    """A sentence that can be read alone: its place in the passage, its text, and the heading above it."""

    span: Span
    text: str
    heading: str


def standalone_sentences(topic: str, passage: Evidence) -> Iterator[Standalone]:
    """Yields the sentences of `passage` that name what they are about, or are about `topic` by those before.

    A passage from the middle of a document is about an unknown thing until a sentence or heading names it.
    """
    text = passage.text
    reader = _Reader(topic, text, passage.title, from_start=passage.start == 0)
    headings = [block for block in blocks(text) if block.kind == "heading"]
    above = ""
    for span in split_sentences(text):
        while headings and headings[0].start < span.start:
            above = _words_of(text, headings.pop(0))
            reader.see_heading(above)
        sentence = reader.read(" ".join(span.of(text).split()))
        if sentence:
            yield Standalone(span, sentence, above)


def readable_in_order(topic: str, sentences: Sequence[str]) -> list[bool]:
    """Tells for each sentence whether it can be read behind the others, under the title of an article.

    Sentences of several sources stand together there: "The town" behind a sentence about another town would
    be that town.
    """
    reader = _Reader(topic, " ".join(sentences), topic, from_start=True)
    return [bool(reader.read(sentence)) for sentence in sentences]


def _words_of(text: str, heading: Block) -> str:
    return " ".join(text[heading.start : heading.end].strip().strip("#=-*_").split())


class _Reader:
    """Reads the sentences of a passage in order, and remembers what the last of them are about.

    `last` is the last subject, `thing` the last that "the town" may stand for: neither a person nor someone
    who only says something. Empty: unknown.
    """

    def __init__(self, topic: str, text: str, title: str, *, from_start: bool) -> None:
        self._topic = " ".join(topic.split())
        self._stems = stems(topic)
        self._home = self._topic if shares_topic(self._stems, title) else ""
        self.last = self.thing = self._home if from_start else ""
        names = [name for name in proper_names(text) if self._is_topic(name.text)]
        self._of_person = any(is_person(text, name) for name in names)
        self._has_article = any(_has_article(text, name) for name in names)

    def see_heading(self, heading: str) -> None:
        """Notes the name in a heading; a heading without a name is about the topic of the document."""
        words = stems(heading)
        name = next(iter(proper_names(heading)), None)
        if words and words & self._stems:
            self.last = self.thing = self._topic
        elif name is None or all(map(is_common, name.text.lower().split())):
            self.last = self.thing = self._home
        elif name.start == 0:
            self.last = self.thing = name.text

    def read(self, sentence: str) -> str:
        """Returns the sentence so that it can be read alone, or "" if it cannot."""
        alone = self._alone(sentence)
        if (subject := subject_name(sentence)) is not None:
            self._see(sentence, subject)
        return alone

    def _alone(self, sentence: str) -> str:
        pronoun = _PLAIN_OPENING.match(sentence)
        if pronoun:
            return self._replaced(sentence, pronoun) if self._stands_for_topic(pronoun["pronoun"]) else ""
        names_topic = shares_topic(self._stems, sentence)
        names = proper_names(sentence)
        if (later := _LATER_PRONOUN.match(sentence)) and not any(n.start < later.end() for n in names):
            return ""
        if names_topic or subject_name(sentence) is not None:
            return sentence
        return sentence if self._is_topic(self.thing) else ""

    def _stands_for_topic(self, pronoun: str) -> bool:
        fits = pronoun.lower() in (_OF_PERSONS if self._of_person else _OF_THINGS)
        return fits and self._is_topic(self.last)

    def _replaced(self, sentence: str, pronoun: re.Match[str]) -> str:
        owner = "'s" if pronoun["pronoun"].lower() in _POSSESSIVE else ""
        return f"{pronoun['opening']} {self._topic}{owner}{sentence[pronoun.end() :]}"

    def _see(self, sentence: str, subject: ProperName) -> None:
        if _JOINED.match(sentence, subject.end):
            self.last = self.thing = ""
            return
        name = self._topic if self._is_topic(subject.text) else subject.text
        self.last = name
        is_side = is_person(sentence, subject) and not self._of_person
        # "The Sarn Bridge" is a thing of the town; Tessmark, without an article, may be another town.
        is_part = _has_article(sentence, subject) and not self._has_article
        if name == self._topic or not (is_side or is_part or _SAYS.match(sentence, subject.end)):
            self.thing = name

    def _is_topic(self, name: str) -> bool:
        words = stems(name)
        return bool(words) and words <= self._stems


def _has_article(text: str, name: ProperName) -> bool:
    return _ARTICLE.search(text, max(0, name.start - 5), name.start) is not None


def subject_name(sentence: str) -> ProperName | None:
    """Returns the name that the sentence is about: it opens the sentence, at most behind a description."""
    compared = _COMPARED.match(sentence)
    begin = compared.end() if compared else 0
    for name in proper_names(sentence):
        before, after = sentence[begin : name.start], sentence[name.end :]
        opens = before.strip(" \"'“‘*_(").lower() in ("", "the")
        if name.start >= begin and (opens or is_subject_between(before, after)):
            return name
    return None


def shares_topic(topic: frozenset[str], text: str) -> bool:
    """Does the text have at least half of the topic's words?"""
    return 2 * len(topic & stems(text)) >= len(topic) > 0


def stems(text: str) -> frozenset[str]:
    """Returns the stems of the words of a text that have a meaning of their own."""
    return frozenset(token.stem for token in word_tokens(text) if token.stem)
