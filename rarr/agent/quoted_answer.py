"""Answers from a graph without a language model: quotes the triples that have the words of the question.

The names in a part of the question give the subject of a quote, and its other words the statement; words
that no quote has are a gap, which needs support.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from itertools import pairwise
from typing import NamedTuple

from rarr.backends.embedded.items import items_of
from rarr.records.answers import AnswerSource, CitedTriple, Statement
from rarr.retrievers.corpus.index_words import STOP_WORDS, telling_stems
from rarr.retrievers.graph.relations import sentence_of
from rarr.tools.text.blocks_and_sentences import Span

_OVERVIEW = 8  # triples of an entity, where a part of the question only names it
_CUT = re.compile(r"(?:[,;?] (?:and )?|\band )(?=(?:who|what|when|where|which|how|why)\b)", re.IGNORECASE)
_KIND = re.compile(
    r"\b(?:(?P<date>when)|(?P<number>how (?!do|did|is|are|was|were|can)\w+)|(?P<name>who|where))\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_][\w.-]*\w|[^\W_]")


def sentence_of_triple(triple: CitedTriple) -> str:
    """Returns the sentence of a triple alone."""
    return " ".join(sentence_of(triple.subject, triple.relation, [triple.value]).split())


class Subject(NamedTuple):
    """A name in the question, at `span`, with the entities of the graph that it may mean."""

    name: str
    span: Span
    ids: Sequence[str] = ()


class Line(NamedTuple):
    """A triple as a line about the entity `id`, with the sentence of the triple; `other` is its other end.

    `words` are those of the sentence, without those of the `relation`. Each triple is a line about its value
    too, then without its relation: the father of a child is no child of the father.
    """

    number: int
    text: str
    words: frozenset[str]
    id: str
    other: str
    relation: tuple[str, ...] = ()

    def names_relation(self, asked: Sequence[str]) -> bool:
        """Do the words `asked` name its whole relation? A part of the name is another relation."""
        return bool(self.relation) and f" {' '.join(self.relation)} " in f" {' '.join(asked)} "

    def answers(self, asked: Sequence[str]) -> frozenset[str]:
        """Returns the words of `asked` that it answers."""
        return frozenset(self.relation) if self.names_relation(asked) else self.words.intersection(asked)

    def fits(self, text: str) -> bool:
        """Has it a value of the kind that `text` asks for: a date, a number, or a name?"""
        kinds = {item.value.kind for item in items_of(self.text) if item.value}
        has = {"date": "date" in kinds, "number": bool(kinds), "name": self.other[:1].isupper()}
        asked = {str(match.lastgroup) for match in _KIND.finditer(text)}
        return not asked or any(has[kind] for kind in asked)


def quoted_answer(
    question: str, sources: Iterable[AnswerSource], known: Mapping[str, Sequence[str]]
) -> list[Statement]:
    """Returns the statements of an answer, each the sentence of a triple; gaps come last.

    `known` has the ids of the entities that a name in the question may mean in the graph.
    """
    lines, subjects = list(_lines(sources)), _subjects(question, known)
    gaps = [f"The question does not tell which {it.name} is meant." for it in subjects if len(it.ids) > 1]
    cited: dict[str, dict[int, None]] = {}
    for text, asked, about, is_shared in _parts(question, subjects, lines):
        told, gap = _answered(text, asked, about, lines, is_shared=is_shared)
        gaps += [gap] * bool(gap)
        for line in told:
            cited.setdefault(line.text, {})[line.number] = None
    if not cited:
        gaps = gaps or ["The sources do not answer this question."]
    return [
        *(
            Statement(
                text=text, status="supported", citations=tuple(ids), written=len(ids), existing=len(ids)
            )
            for text, ids in cited.items()
        ),
        *(Statement(text=gap, status="no_evidence", needs_support=True) for gap in dict.fromkeys(gaps)),
    ]


def _parts(
    question: str, subjects: Sequence[Subject], lines: Sequence[Line]
) -> Iterator[tuple[str, list[str], list[Subject], bool]]:
    """Yields the parts of the question: the text, its words but those of names, and its subjects.

    A part without a name of its own shares those of the part before it, else of the next; a mere question
    word, as in "When and where was NAME born?", has the words and names of the part behind it. Parts about a
    name that may mean several entities are left out.
    """
    cuts = (match.start() for match in _CUT.finditer(question))
    spans = [Span(*pair) for pair in pairwise([0, *cuts, len(question)])]
    own = [[it for it in subjects if it.span.overlaps(span)] for span in spans]
    about = [[it for it in named if any(line.id in it.ids for line in lines)] or named for named in own]
    asked = [
        telling_stems(reduce(lambda text, it: text.replace(it.name, " "), named, span.of(question)))
        for span, named in zip(spans, about, strict=True)
    ]
    for at, span in enumerate(spans):
        whole = next((it for it in range(at, len(spans)) if asked[it] or own[it]), at)
        near = next((group for group in (*reversed(own[:at]), *own[at + 1 :]) if group), [])
        named = about[at] or about[whole] or near
        if (whole != at and not asked[whole]) or any(len(it.ids) > 1 for it in named):
            continue
        text = span.of(question).strip(" ,;?").removeprefix("and ")
        # No kind of value tells whether a triple answers a mere "how" or "why".
        is_open = whole != at and not _KIND.search(text)
        yield text, [] if is_open else asked[whole], named, not about[at]


def _answered(
    text: str, asked: list[str], subjects: list[Subject], lines: Sequence[Line], *, is_shared: bool
) -> tuple[list[Line], str]:
    """Returns the lines that answer a part, and a sentence for what none of them has."""
    told, left, silent = list[Line](), set(asked), list[str]()
    for subject in subjects:
        own = [line for line in lines if line.id in subject.ids]
        overview = [it for it in own if it.relation][:_OVERVIEW] or own[:1]
        fitting = [line for line in own if line.names_relation(asked) or line.fits(text)]
        quotes = _covering(fitting, asked) if asked else overview * (not is_shared)
        silent += [] if quotes else [subject.name]
        told += quotes
    left.difference_update(*(line.answers(asked) for line in told))
    if told and not (left or silent):
        return told, ""
    about = ", ".join(silent or [subject.name for subject in subjects])
    missing = left or set(asked)
    places = [match for match in _WORD.finditer(text) if missing.intersection(telling_stems(match[0]))]
    words = f": {text[places[0].start() : places[-1].end()]}" if places else f": {text}" * is_shared
    return told, f"The sources that were read do not tell{f' of {about}' if about else ''}{words}."


def _covering(lines: Sequence[Line], asked: Sequence[str]) -> list[Line]:
    """Returns the lines with most of the words, then those with most of the rest; of equal ones, all."""
    told, left = list[Line](), set(asked)
    while able := [(words, line) for line in lines if (words := line.answers(asked) & left)]:
        best = max((words for words, _ in able), key=len)
        told += [line for words, line in able if words == best]
        left -= best
    return told


def _subjects(question: str, ids: Mapping[str, Sequence[str]]) -> list[Subject]:
    """Returns the names that the graph knows, and other words with a capital letter, in order."""
    found = list[Subject]()
    for name in sorted(ids, key=len, reverse=True):
        places = (Span(*match.span()) for match in re.finditer(re.escape(name), question))
        found += [
            Subject(name, it, ids[name]) for it in places if not any(it.overlaps(o.span) for o in found)
        ]
    known, after = [it.span for it in found], None
    for match in _WORD.finditer(question):
        span = Span(*match.span())
        is_small = not match[0][0].isupper() or match[0].lower() in STOP_WORDS
        if is_small or any(span.overlaps(it) for it in known):
            continue
        if after and question[after.end : span.start].isspace():
            span = Span(found.pop().span.start, span.end)
        found.append(Subject(span.of(question), after := span))
    return sorted(found, key=lambda it: it.span.start)


def _lines(sources: Iterable[AnswerSource]) -> Iterator[Line]:
    for number, triple in ((source.number, source.triple) for source in sources if source.triple):
        text, relation = sentence_of_triple(triple), tuple(telling_stems(triple.relation))
        words = frozenset(telling_stems(text)).difference(relation)
        yield Line(number, text, words, triple.subject_id, triple.value, relation or ("",))
        yield Line(number, text, words, triple.value_id, triple.subject)
