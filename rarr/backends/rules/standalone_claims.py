"""Makes claims: the sentences of a text, each with its subject put in where a pronoun or nothing stands.

"It opened in 1937." becomes "Golden Gate Bridge opened in 1937.", which can be searched for and compared
alone. Places in a claim map back to places in the text.
"""

import re
from collections import deque
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from rarr.backends.rules.name_matching import same_name
from rarr.backends.rules.parsed_sentence import ParsedSentence, parsed_sentence
from rarr.backends.rules.proper_names import ProperName, is_person, proper_names
from rarr.tools.text.blocks_and_sentences import Span, Tables, blocks, protected, sentences_of, table_cells
from rarr.tools.text.markdown_tables import Cell

# A bold label is like a heading: it states nothing, and only a name in it is a subject.
_LABEL = re.compile(
    r"\s*(?P<bold>\*\*|__)(?P<words>[^*_\n]{1,80}?)(?:[:.]\s*(?P=bold)|(?P=bold)\s*:)(?=\s*\S)"
)
_PRONOUN = re.compile(r"(?:\s*\W{0,3})\b(?P<word>He|She|It|They|His|Her|Its|Their|This|These)\b(?!['’])")
_LINK = re.compile(r"\[(?P<label>[^\]]{2,500})\](?=[(\[])")
_REFERS = re.compile(r"\b(?:he|she|it|they|him|her|them|his|its|their)\b", re.IGNORECASE)
_PERSON = {"he", "she", "his", "her"}
_POSSESSIVE = {"his", "her", "its", "their"}
_DETERMINERS = {"This", "These"}  # a noun may follow, so the subject cannot replace them
# Column headers that say nothing: the header of the row alone names what the cell holds.
_TELLS_NOTHING = (
    "answer", "answers", "data", "description", "detail", "details", "fact", "facts", "figure", "figures",
    "information", "value", "values",
)  # fmt: skip
# A subject stands early, at most behind an adverbial. A later name belongs to the predicate.
_EARLY_WORDS = 3
_ADVERBIAL = re.compile(r"(?:In|On|At|By|After|Since|Before|During|From|Around|As of)\b[^,]{1,40},\s")


class Claim(NamedTuple):
    """A sentence of a text (`span`), as a claim that stands alone (`sentence`).

    The first `put_in` characters of the claim are a subject that replaces the first `left_out` characters
    of the text's sentence. `about` is a possible subject that the sentence does not name: it helps to
    search, and proves nothing. `topic` is the subject of the text or section, which a put-in subject may
    stand for. The claim of a table cell begins with its headers: they are the last `headers` characters of
    `put_in`.
    """

    span: Span
    sentence: ParsedSentence
    about: str = ""
    put_in: int = 0
    left_out: int = 0
    topic: str = ""
    headers: int = 0

    def in_text(self, start: int, end: int) -> Span | None:
        """Returns the place in the text of a place in the claim; None for a place in a put-in subject."""
        if start < self.put_in:
            return None
        shift = self.span.start + self.left_out - self.put_in
        return Span(start + shift, end + shift)


@lru_cache(maxsize=64)  # texts; every step of a run uses the same text
def claims(text: str, context: str | None) -> tuple[Claim, ...]:
    """Makes the claims of `text`, in order; `context` gives a subject to first sentences without one."""
    return tuple(claims_of(text, context or "", tables="cells"))


def claims_of(text: str, context: str, *, tables: Tables) -> Iterator[Claim]:
    """Makes the claims of `text` without a cache; `tables`: a claim for each of their cells or rows."""
    subjects = _Subjects(text)
    subjects.see_all(context)
    parsed = blocks(text)
    headings = deque(block for block in parsed if block.kind == "heading")
    cells = table_cells(text) if tables == "cells" else {}
    for span in sentences_of(text, parsed, tables=tables):
        while headings and headings[0].start < span.start:
            heading = headings.popleft()
            subjects.see_heading(text[heading.start : heading.end].strip("# \r\n\t"))
        own = masked(text, span)
        if cell := cells.get(span):
            yield _of_cell(text, cell, own, subjects)
            continue
        if tables == "rows" and own.lstrip().startswith("|"):
            # Each row names its own subject. It is not that of the row before, nor of the text behind.
            yield _of_topic(span, own, subjects.topic)
            continue
        if label := _LABEL.match(own):
            subjects.see_label(label["words"])
            own = own[label.end() :].rjust(len(own))
        claim = _claim(span, own, subjects)
        if not claim.put_in or claim.left_out:  # a subject that was put in before the sentence adds no name
            subjects.see(claim.sentence.text)
        yield claim._replace(topic=subjects.topic)


class _Subjects:
    """Remembers the names that the next sentence may be about, while the sentences are read in order.

    These are the last person, the last thing, and the last of either. `topic` is the name in the last
    heading, or else in the question that the text answers.
    """

    def __init__(self, text: str) -> None:
        self.person = self.thing = self.last = self.topic = ""
        self._text = text

    def see(self, claim: str) -> None:
        """Notes the subject of a claim: its first name, if that stands early. A person may stand later."""
        claim_names = proper_names(claim)
        persons = [name for name in claim_names if is_person(claim, name)]
        if persons:
            self.person = persons[0 if _is_early(claim, persons[0]) else -1].text
        if claim_names and _is_early(claim, claim_names[0]):
            self.last = claim_names[0].text
            if claim_names[0] not in persons:
                self.thing = claim_names[0].text

    def see_heading(self, heading: str) -> None:
        """Notes the name in a heading as subject until a sentence names one.

        A possessive name is skipped, because such a heading is about the thing possessed. So is a first word
        that the text also writes small: "Overdrafts" is no name where "an overdraft costs 9.8 percent".
        """
        name = next(iter(proper_names(heading)), None)
        if name is None or heading.startswith(("'s", "’s"), name.end) or self._is_written_small(name):
            return
        self.thing = self.last = self.topic = name.text

    def see_label(self, label: str) -> None:
        """Notes a bold label: the name in it, or else the topic as the subject of a new section."""
        before = self.last
        self.see_heading(label)
        if self.last == before and self.topic:
            self.person, self.thing, self.last = "", "", self.topic

    def _is_written_small(self, name: ProperName) -> bool:
        small = re.escape(name.text.lower().removesuffix("s"))
        return name.start == 0 and re.search(rf"\b{small}s?\b", self._text) is not None

    def see_all(self, context: str) -> None:
        """Notes each name of the context (a question or dialogue) in turn, so that the last becomes topic.

        "Dishwasher?" has no name where the text writes of "the dishwasher".
        """
        for name in proper_names(context):
            if self._is_written_small(name):
                continue
            if name.start == 0 and " " not in name.text and len(context.split()) > 1:
                continue  # "Tell me about ..."
            self.last = self.topic = name.text
            if is_person(context, name):
                self.person = name.text
            else:
                self.thing = name.text

    def of(self, pronoun: str) -> str:
        """Returns the name that a pronoun at the start of the next sentence stands for; empty for none."""
        if pronoun in _PERSON:
            return self.person or self.last
        return (self.thing or self.last) if pronoun in ("it", "its") else self.last


def _claim(span: Span, own: str, subjects: _Subjects) -> Claim:
    pronoun = _PRONOUN.match(own)
    if pronoun and (subject := subjects.of(pronoun["word"].lower())):
        if pronoun["word"] in _DETERMINERS:
            return _under(subject, span, own)
        resolved = subject + ("'s" if pronoun["word"].lower() in _POSSESSIVE else "")
        return Claim(span, parsed_sentence(resolved + own[pronoun.end() :]), "", len(resolved), pronoun.end())
    named = proper_names(own)
    if not subjects.last or any(same_name(name.text, subjects.last) for name in named):
        return Claim(span, parsed_sentence(own))
    if not named:
        subject = subjects.last if _REFERS.search(own) else subjects.topic or subjects.last
        return _under(subject, span, own)
    return Claim(span, parsed_sentence(own), "" if _is_early(own, named[0]) else subjects.last)


def _of_cell(text: str, cell: Cell, own: str, subjects: _Subjects) -> Claim:
    """Makes the claim of a table cell: its headers, then the cell.

    The subject of the text comes first, unless a header has a name.
    """
    row, column = (_header(masked(text, header)) for header in (cell.row, cell.column))
    headers = f"{row} is " if column.lower() in ("", *_TELLS_NOTHING) else f"{row}: {column} is "
    named = bool(proper_names(headers))
    subject = "" if named else subjects.topic or subjects.last
    before = f"{subject}: {headers}" if subject else headers
    topic = "" if named else subjects.topic
    return Claim(cell.span, parsed_sentence(before + own), "", len(before), topic=topic, headers=len(headers))


def _header(words: str) -> str:
    """Returns a header without asterisks and underscores, its first letter small unless it has a name."""
    plain = " ".join(words.strip(" *_").split())
    return plain if proper_names(plain) else plain[:1].lower() + plain[1:]


def _of_topic(span: Span, own: str, topic: str) -> Claim:
    named = any(same_name(name.text, topic) for name in proper_names(own))
    claim = Claim(span, parsed_sentence(own)) if named or not topic else _under(topic, span, own)
    return claim._replace(topic=topic)


def _under(subject: str, span: Span, own: str) -> Claim:
    return Claim(span, parsed_sentence(f"{subject}: {own}"), "", len(subject) + 2)


def masked(text: str, span: Span) -> str:
    """Returns the sentence with citations, code and link targets replaced by spaces of the same length."""
    parts = []
    begin = span.start
    for fixed in protected(text, *span):
        label = _LINK.match(text, fixed.start, fixed.end)
        blank = f" {label['label']}" if label else ""
        parts += [text[begin : fixed.start], blank.ljust(fixed.end - fixed.start)]
        begin = fixed.end
    return "".join([*parts, text[begin : span.end]])


def _is_early(text: str, name: ProperName) -> bool:
    adverbial = _ADVERBIAL.match(text)
    start = adverbial.end() if adverbial and adverbial.end() <= name.start else 0
    return len(text[start : name.start].split()) < _EARLY_WORDS
