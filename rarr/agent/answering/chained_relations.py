"""Answers questions over two steps of a graph: "the height of the successor of NAME"."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from rarr.agent.answering.answer_gaps import name_of, untold
from rarr.agent.answering.answer_sources import GivenSource, QuestionSources
from rarr.agent.answering.question_parts import QuestionPart
from rarr.backends.rules.asked_relations import AskedRelation, answers, asked_relations

_INNER = r"(?P<inner>(?:(?!of\b)[\w'’-]+\s+){1,4})of\s+(?:the\s+)?Xx+\.?"
_CHAIN = re.compile(
    rf"(?P<outer>.*?)\s+of\s+the\s+{_INNER}"
    r"|(?P<asks>(?:when|where|how)\b[^?]*?\b(?:is|was|are|were|did|does))\s+the\s+"
    rf"{_INNER.replace('inner', 'whose')}"
    r"\s+(?P<rest>\w.*)",
    re.IGNORECASE,
)
_OPENING = re.compile(r"^\W*(?:and\s+)?(?:who|what|which)\s+(?:is|are|was|were)\s+(?:the\s+)?", re.IGNORECASE)
_NO_FACT = frozenset({"name", "names", "identity", "list", "number"})


class Chain(NamedTuple):
    """What is asked of the values of `inner`, the triples of the first step, and not of their subject.

    `entities` are the ids of these values, `asked` the relations that are asked of them, and `open` the words
    that name no relation. Without an inner triple, `gap` tells what is missing.
    """

    inner: Sequence[GivenSource]
    entities: tuple[str, ...]
    asked: Sequence[AskedRelation]
    open: tuple[str, ...]
    gap: str = ""


def chain_of(part: QuestionPart, found: QuestionSources) -> Chain | None:
    """Reads a part over two steps; None for a part over one, such as "the date of the birth of NAME"."""
    match = _CHAIN.match(part.text)
    if match is None or not part.subjects:
        return None
    outer = match["outer"] or f"{match['asks']} {match['rest']}"
    words = _OPENING.sub("", outer).strip()
    if words.lower() in _NO_FACT:
        return None
    first = _single(match["inner"] or match["whose"], _triples(part.subjects, found))
    if first is None:
        return None
    inner = [
        source
        for source in _triples(part.subjects, found)
        if source.triple and answers(source.triple.relation, first)
    ]
    if not inner:
        gap = untold(first.words, [name_of(id_, found) for id_ in part.subjects])
        return Chain((), (), (), (), gap)
    entities = tuple(dict.fromkeys(source.triple.object_id for source in inner if source.triple))
    relations = {source.triple.relation for source in _triples(entities, found) if source.triple}
    asked = asked_relations(outer, relations)
    return Chain(inner, entities, asked, () if asked else (words,))


def chained(chain: Chain, found: QuestionSources) -> tuple[list[GivenSource], list[str]]:
    """Returns the triples of both steps, and the gaps of what the second step lacks."""
    chosen, gaps = list(chain.inner), [chain.gap] if chain.gap else []
    for entity in chain.entities:
        for asked in chain.asked:
            told = [
                source
                for source in _triples((entity,), found)
                if source.triple and answers(source.triple.relation, asked)
            ]
            chosen += told
            gaps += [] if told else [untold(asked.words, [name_of(entity, found)])]
    return chosen, gaps


def _single(words: str, triples: Sequence[GivenSource]) -> AskedRelation | None:
    """Returns the one relation that words name; None for a theme, and for words that name none."""
    asked = asked_relations(words, {source.triple.relation for source in triples if source.triple})
    single = [each for each in asked if each.own or len(each.relations) == 1]
    return single[0] if len(asked) == len(single) == 1 else None


def _triples(ids: Sequence[str], found: QuestionSources) -> list[GivenSource]:
    return [source for source in found.sources if source.triple and source.triple.subject_id in ids]
