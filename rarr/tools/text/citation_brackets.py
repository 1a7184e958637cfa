"""Reads the citations in brackets that a language model wrote behind its statements, in malformed forms too.

The form that was asked for is `[Q123, relation: value, relation: value]`, or `[NA]` (KaLMA, Li et al. 2023,
section 3.3). Models also write numbers, other brackets, half brackets, quotes, arrows, and lists of lists.
"""

import re
from typing import NamedTuple

from rarr.tools.text.blocks_and_sentences import sentences

_BRACKET = re.compile(
    r"""
      (?:\[+|【)(?P<square>[^\[\]【】\n]*)(?:\]+|】)                     # [...], [[...]], 【...】
    | \{(?P<brace>[^{}\n]*)\}                                          # {Q1, relation: value}
    | \((?P<round>\s*(?:Q\d+|NA|N/A)\b[^()\n]*)\)                     # (Q1, relation: value), (NA)
    | \[(?P<cut>[^\[\]\n]*)$                                         # [Q1, relation: value at the end
    """,
    re.VERBOSE | re.IGNORECASE | re.MULTILINE,
)
_NA = re.compile(
    r"\W*(?:n\.?\s*/?\s*a\.?|none|not\s+available|citation\s+needed|no\s+source)\W*", re.IGNORECASE
)
_LEAD = re.compile(
    r"\A\s*(?:sources?|citations?|cite|refs?|references?|triples?|facts?)\b\s*[:=]?\s*", re.IGNORECASE
)
_NUMBERS = re.compile(r"(?:(?:triple|source|no\.?|#|\^)?\s*\d{1,3}\s*(?:[,;&]|and|-|–)?\s*)+", re.IGNORECASE)
_RANGE = re.compile(r"(\d{1,3})\s*[-–]\s*(\d{1,3})")
_ID = re.compile(
    r"\s*[\"'“”‘’<]?\s*(?:qid|id|entity)?\s*[:=]?\s*(?P<id>[A-Za-z]{1,3}\d{1,12}|[a-z]+://\S+?(?!:\S))\s*[>\"'“”‘’]?\s*(?=$|[,;:|\s])",
    re.IGNORECASE,
)
_PAIR = re.compile(r"(?P<relation>[^:=|]+?)\s*(?::|=>|->|→|=|\|)\s*(?P<value>.*)", re.DOTALL)
_QUOTES = " \t\"'“”‘’`*_.;"
_MOST_OF_RANGE = 20


class BracketCitation(NamedTuple):
    """A citation as it was written: a number, or the id of an entity with a relation and a value."""

    number: int | None = None
    entity: str = ""
    relation: str = ""
    value: str = ""


class BracketStatement(NamedTuple):
    """A sentence without its brackets, with what they cite; `needs_support`: one of them says `[NA]`."""

    text: str
    citations: tuple[BracketCitation, ...]
    needs_support: bool


def bracket_statements(text: str) -> list[BracketStatement]:
    """Reads the sentences of `text`, each with the citations in it and right behind it.

    Citations before the first sentence belong to it. A bracket that cites nothing, such as an aside, stays in
    its sentence.
    """
    plain, marks = _without_brackets(text)
    spans = [span for span in sentences(plain) if span.of(plain).strip()]
    firsts = [0, *(span.start for span in spans[1:]), len(plain) + 1]
    statements = list[BracketStatement]()
    for span, first, limit in zip(spans, firsts, firsts[1:], strict=False):
        held = [content for place, content in marks if first <= place < limit]
        citations = tuple(dict.fromkeys(each for content in held for each in bracket_citations(content)))
        is_na = any(_is_na(content) for content in held)
        statements.append(BracketStatement(_tidy(span.of(plain)), citations, is_na))
    return statements


def bracket_citations(content: str) -> list[BracketCitation]:
    """Reads what stands within one bracket; [] for `NA`, and for words that cite nothing."""
    content = _LEAD.sub("", content.strip(), count=1)
    if _NA.fullmatch(content):
        return []
    if _NUMBERS.fullmatch(content):
        return [BracketCitation(number=number) for number in _numbers(content)]
    return _triples(content)


def _without_brackets(text: str) -> tuple[str, list[tuple[int, str]]]:
    """Returns the text without the brackets that cite, and where in it each of them stood."""
    plain, marks, position = "", list[tuple[int, str]](), 0
    for match in _BRACKET.finditer(text):
        content = next(group for group in match.groups() if group is not None)
        if _is_na(content) or bracket_citations(content):
            plain += text[position : match.start()]
            if text[match.end() : match.end() + 1] in (".", ",", "", "\n"):
                plain = plain.rstrip(" \t")
            marks.append((len(plain), content))
            position = match.end()
    return plain + text[position:], marks


def _is_na(content: str) -> bool:
    """Is it the mark of missing support, or a list with it, as in `Q1, relation: value, NA`?"""
    parts = (_LEAD.sub("", content, count=1), *content.split(","))
    return any(_NA.fullmatch(part) is not None for part in parts if part.strip())


def _numbers(content: str) -> list[int]:
    numbers = list[int]()
    for part in re.split(r"[,;&]|\band\b", content):
        if (span := _RANGE.search(part)) and 0 <= int(span[2]) - int(span[1]) <= _MOST_OF_RANGE:
            numbers += range(int(span[1]), int(span[2]) + 1)
        else:
            numbers += map(int, re.findall(r"\d+", part))
    return numbers


def _triples(content: str) -> list[BracketCitation]:
    """Reads `id, relation: value, relation: value`: pairs are split at the last comma before a colon."""
    head = _ID.match(content)
    entity = head["id"] if head else ""
    rest = content[head.end() :].lstrip(" ,;:|") if head else content
    if not entity and ":" not in rest and "=" not in rest:
        return []
    pieces = re.split(r"[,;|]\s*(?=[^,;|:=]{2,60}?\s*(?::|=>|->|→|=)\s*\S)", rest)
    citations = list[BracketCitation]()
    for piece in pieces:
        pair = _PAIR.fullmatch(piece.strip())
        if pair and pair["relation"].strip(_QUOTES) and pair["value"].strip(_QUOTES):
            relation, value = pair["relation"].strip(_QUOTES), pair["value"].strip(_QUOTES)
            citations.append(BracketCitation(entity=entity, relation=relation, value=value))
    return citations or ([BracketCitation(entity=entity)] if entity else [])


def _tidy(text: str) -> str:
    return re.sub(r"\s+([.,;!?])", r"\1", " ".join(text.split()))
