"""Reads the citations in brackets that a draft has behind its statements.

The form is `[Q123, relation: value, relation: value]`, a number, or `[NA]` (KaLMA, Li et al. 2023, 3.3).
"""

import re
from collections.abc import Iterator

from rarr.records.answers import CitedStatement, NamedTriple
from rarr.tools.text.blocks_and_sentences import sentences

_BRACKET = re.compile(
    r"\[+([^\[\]\n]*)\]+ | \{([^{}\n]*)\} | \((\s*(?:[A-Z]{1,3}\d+\s*,|NA\b|N/A\b)[^()\n]*)\)",
    re.VERBOSE | re.IGNORECASE,
)
_NA = re.compile(r"\W*(?:n/?a|citation\s+needed)\W*", re.IGNORECASE)
_NUMBERS = re.compile(r"\d{1,3}(?:\s*[,;]\s*\d{1,3})*")
_ID = re.compile(
    r"[\"'<\s]*(?:q?id\s*:\s*)?(?P<id>[A-Z]{1,3}\d{1,12}|[a-z]+://\S+?(?!:\S))[\"'>\s]*(?:$|[,;:|\s])",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"[,;|]\s*(?=[^,;|:=]{2,60}?\s*[:=]\s*\S)")
_PAIR = re.compile(r"(?P<relation>[^:=]+?)\s*[:=]\s*(?P<value>.*)", re.DOTALL)
_AROUND = " \t\"'“”‘’`*_.,;:|"


def bracket_statements(text: str) -> list[CitedStatement]:
    """Reads the sentences of `text`, each without its brackets, with the triples that these name.

    Citations before the first sentence belong to it. A bracket that cites nothing, such as an aside, stays in
    its sentence.
    """
    plain, marks, position = "", list[tuple[int, str]](), 0
    for match in _BRACKET.finditer(text):
        content = next(group for group in match.groups() if group is not None)
        if _NA.fullmatch(content) or any(_named(content)):
            plain += text[position : match.start()]
            if text[match.end() : match.end() + 1] in (".", ",", "", "\n"):
                plain = plain.rstrip(" \t")
            marks.append((len(plain), content))
            position = match.end()
    plain += text[position:]
    spans = [span for span in sentences(plain) if span.of(plain).strip()]
    ends = [*(span.start for span in spans[1:]), len(plain) + 1]
    statements = list[CitedStatement]()
    for first, span, end in zip([0, *ends], spans, ends, strict=False):
        held = [content for place, content in marks if first <= place < end]
        statements.append(
            CitedStatement(
                text=re.sub(r"\s+([.,;!?])", r"\1", " ".join(span.of(plain).split())),
                needs_support=any(_NA.fullmatch(content) for content in held),
                named=tuple(dict.fromkeys(named for content in held for named in _named(content))),
            )
        )
    return statements


def _named(content: str) -> Iterator[NamedTriple]:
    """Reads what stands in a bracket: numbers, or `id, relation: value, ...`, split at the last comma."""
    content = content.strip()
    if _NUMBERS.fullmatch(content):
        yield from (NamedTriple(entity=number) for number in re.findall(r"\d+", content))
        return
    head = _ID.match(content)
    entity, rest = (head["id"], content[head.end() :]) if head else ("", content)
    pairs = (_PAIR.fullmatch(piece.strip(_AROUND)) for piece in _BETWEEN.split(rest))
    named = [[part.strip(_AROUND) for part in pair.groups()] for pair in pairs if pair]
    triples = [
        NamedTriple(entity=entity, relation=relation, value=value)
        for relation, value in named
        if relation and value
    ]
    yield from triples or ([NamedTriple(entity=entity)] if entity else [])
