"""Answers without a language model: quotes the triples and sentences that have the words of the question.

Of each clause of the question, its names tell what a quote is about, and its other words what the quote
says; the words that no quote has are a gap, which needs support.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from rarr.agent.answer_sources import source_evidence, text_of, topic
from rarr.backends.embedded.items import items_of
from rarr.backends.embedded.words import is_pronoun
from rarr.backends.source_lines import labelled
from rarr.records.answers import AnswerSource, StatementDraft
from rarr.retrievers.corpus.index_words import STOP_WORDS
from rarr.tools.text.blocks_and_sentences import Span

_OVERVIEW = 8  # triples of an entity of which a clause asks nothing else
_LEAST = 0.5  # share of the words of a clause about a name that a sentence has; without a name, it has all
_ASKING = re.compile(r"\b(?:who|what|when|where|which|how|why)\b", re.IGNORECASE)
_CUT = re.compile(rf"[,;?]|\band (?={_ASKING.pattern})", re.IGNORECASE)
_KIND = re.compile(r"\b(?:(when)|(how (?!do|did|is|are|was|were|can)\w+)|(who|where))\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W_][\w.-]*\w|[^\W_]")


class Subject(NamedTuple):
    """A name in the question, at `span`, with the entities of the graph that it may mean."""

    name: str
    span: Span
    ids: Sequence[str] = ()


class Line(NamedTuple):
    """A triple or sentence that may be quoted: its own words, and those that tell what it is about.

    `id` is the entity that a triple is about, and `relation` the words of its relation, in order. A triple is
    a line about its value too, then without its relation: the father of a child is no child of the father.
    """

    source: AnswerSource
    text: str
    words: frozenset[str]
    about: frozenset[str] = frozenset()
    id: str = ""
    relation: tuple[str, ...] = ()

    def is_about(self, subject: Subject) -> bool:
        if self.id:
            return self.id in subject.ids
        names = frozenset(topic(subject.name))
        return names <= self.about and bool(names & self.words)

    def shares(self, asked: Sequence[str], left: Iterable[str]) -> tuple[bool, frozenset[str]]:
        """Tells whether the words `asked` name its whole relation, and which of those in `left` it has.

        A part of the name of a relation is another relation.
        """
        size = len(self.relation)
        whole = size > 0 and any(tuple(asked[at : at + size]) == self.relation for at in range(len(asked)))
        return whole, (frozenset(self.relation) if whole else self.words).intersection(left)


class Clause(NamedTuple):
    """A clause of the question: its words but those of names, and what it is about.

    `shared`: it has no name; its subjects are those of the clauses beside it, of which one answers for all.
    """

    text: str
    asked: Sequence[str]
    subjects: Sequence[Subject]
    shared: bool

    def answered(self, lines: Sequence[Line]) -> tuple[list[Line], str]:
        """Returns the lines that answer the clause, and a sentence for what none of them has."""
        told, left, silent = list[Line](), set(self.asked), list[str]()
        for subject in self.subjects:
            own = [line for line in lines if line.is_about(subject)]
            quotes = self._covering(own, _LEAST) if self.asked else self._overview(own)
            silent += [] if quotes else [subject.name]
            # A word that another line about it has is told, though not of what is asked.
            left.difference_update(*(line.words for line in own if quotes), *_covered(quotes, self.asked))
            told += quotes
        if not self.subjects:
            told = self._covering(lines, 1.0)
            left.difference_update(*_covered(told, self.asked))
        if told and not left and (self.shared or not silent):
            return told, ""
        names = ", ".join(silent or [subject.name for subject in self.subjects])
        of, words = f" of {names}" if names else "", self._words(left or set(self.asked))
        return told, f"The sources that were read do not tell{of}{f': {words}' if words else ''}."

    def _overview(self, lines: Sequence[Line]) -> list[Line]:
        """Returns the first lines about a subject of which the clause asks nothing else."""
        return [] if self.shared else [it for it in lines if it.relation][:_OVERVIEW] or list(lines[:1])

    def _covering(self, lines: Sequence[Line], least: float) -> list[Line]:
        """Returns the lines with most of the words, then those with most of the rest.

        A sentence needs the share `least` of the words; of equal ones the first is taken, and each triple.
        """
        fitting, told, left = [line for line in lines if self._fits(line)], list[Line](), list(self.asked)
        while left:
            shared = [(*line.shares(self.asked, left), line) for line in fitting]
            able = [it for it in shared if it[1] and (it[2].id or len(it[1]) >= least * len(set(left)))]
            if not able:
                break
            best = max(able, key=lambda it: (it[0], len(it[1])))
            equal = [line for whole, words, line in able if line.id and (whole, words) == best[:2]]
            told += equal if best[2].id else [best[2]]
            left = [word for word in left if word not in best[1]]
        return told

    def _fits(self, line: Line) -> bool:
        """Has the line a value of the kind that the clause asks for: a date, a number or another name?"""
        kinds = {number for match in _KIND.finditer(self.text) for number in (1, 2, 3) if match[number]}
        if not kinds or line.shares(self.asked, ())[0]:
            return True
        items, known = items_of(line.text), " ".join([self.text, *(it.name for it in self.subjects)]).lower()
        names = [line.text[it.start : it.end] for it in items if it.is_name]
        if line.id and (triple := line.source.triple):
            other = triple.value if line.relation else triple.subject
            names = [other] if other[:1].isupper() else []
        return (
            (1 in kinds and any(item.value and item.value.kind == "date" for item in items))
            or (2 in kinds and any(item.value for item in items))
            or (3 in kinds and any(name.lower() not in known for name in names))
        )

    def _words(self, left: set[str]) -> str:
        """Returns the words of the clause from the first to the last that is left; all where none is."""
        places = [match for match in _WORD.finditer(self.text) if left.intersection(topic(match[0]))]
        if left and places:
            return self.text[places[0].start() : places[-1].end()]
        return self.text if self.shared else ""


def quoted_answer(
    question: str, sources: Iterable[AnswerSource], known: Mapping[str, Sequence[str]]
) -> list[StatementDraft]:
    """Returns the statements of an answer, each a quote of its source; gaps come last.

    `known` has the ids of the entities that a name in the question may mean in the graph.
    """
    lines, subjects = list(_lines(sources)), _subjects(question, known)
    gaps = [f"The question does not tell which {it.name} is meant." for it in subjects if len(it.ids) > 1]
    by_text = dict[str, list[int]]()
    for clause in _clauses(question, subjects, lines):
        told, gap = clause.answered(lines)
        gaps += [gap] if gap else []
        for line in told:
            by_text.setdefault(line.text, []).append(line.source.number)
    if not by_text:
        gaps = gaps or ["The sources do not answer this question."]
    quotes = (StatementDraft(text=it, citations=tuple(dict.fromkeys(by_text[it]))) for it in by_text)
    marked = (StatementDraft(text=gap, needs_support=True, is_gap=True) for gap in dict.fromkeys(gaps))
    return [*quotes, *marked]


def _covered(lines: Iterable[Line], asked: Sequence[str]) -> list[frozenset[str]]:
    return [line.shares(asked, asked)[1] for line in lines]


def _clauses(question: str, subjects: Sequence[Subject], lines: Sequence[Line]) -> Iterator[Clause]:
    """Divides the question; leaves out clauses about a name that may mean several entities."""
    cuts = [
        match.start()
        for match in _CUT.finditer(question)
        if not any(it.span.start < match.start() < it.span.end for it in subjects)
    ]
    spans = list[Span]()
    for start, end in pairwise([0, *cuts, len(question)]):
        # "Where were NAME, NAME and NAME born?" is one clause.
        if spans and not (_asked(question, spans[-1], subjects) or _ASKING.search(question[start:end])):
            spans[-1] = Span(spans[-1].start, end)
        else:
            spans.append(Span(start, end))
    own = [[it for it in subjects if it.span.overlaps(span)] for span in spans]
    for at, span in enumerate(spans):
        about = [it for it in own[at] if any(line.is_about(it) for line in lines)] or own[at]
        asked, text = _asked(question, span, about), span.of(question).strip(" ,;?")
        before = next((group for group in reversed(own[:at]) if group), [])
        after = next((group for group in own[at + 1 :] if group), [])
        of = about or [*before, *after]
        if (asked or about or _ASKING.search(text)) and all(len(it.ids) < 2 for it in of):
            yield Clause(text, asked, of, shared=not about)


def _asked(question: str, span: Span, subjects: Sequence[Subject]) -> list[str]:
    """Returns the telling words of a part of the question, but for those of the names of its subjects."""
    text, at = "", span.start
    for subject in (it for it in subjects if it.span.overlaps(span)):
        text, at = f"{text} {question[at : subject.span.start]}", subject.span.end
    return topic(f"{text} {question[at : span.end]}")


def _subjects(question: str, ids: Mapping[str, Sequence[str]]) -> list[Subject]:
    """Returns the names that the graph knows, and other words with a capital letter, in order."""
    known = list[Subject]()
    for name in sorted(ids, key=len, reverse=True):
        places = [Span(*match.span()) for match in re.finditer(re.escape(name), question)]
        free = [span for span in places if not any(it.span.overlaps(span) for it in known)]
        known += (Subject(name, span, ids[name]) for span in free)
    others = list[Span]()
    for match in _WORD.finditer(question):
        span = Span(*match.span())
        is_small = not match[0][0].isupper() or match[0].lower() in STOP_WORDS
        if is_small or any(it.span.overlaps(span) for it in known):
            continue
        if others and question[others[-1].end : span.start].isspace():
            others[-1] = Span(others[-1].start, span.end)
        else:
            others.append(span)
    return sorted([*known, *(Subject(it.of(question), it) for it in others)], key=lambda it: it.span.start)


def _lines(sources: Iterable[AnswerSource]) -> Iterator[Line]:
    """Yields the triples, and the sentences of the passages; none that begins with a pronoun."""
    for source in sources:
        if (triple := source.triple) is not None:
            relation = tuple(topic(triple.relation))
            said = frozenset(topic(text_of(source))).difference(relation)
            yield Line(source, text_of(source), said, id=triple.subject_id, relation=relation or ("",))
            yield Line(source, text_of(source), said, id=triple.value_id)
            continue
        for line in labelled([source_evidence(source)])[0].lines:
            text = " ".join(line.text.split())
            words = frozenset(topic(text))
            if text.endswith((".", "!")) and not is_pronoun(text.partition(" ")[0].lower()):
                yield Line(source, text, words, words.union(topic(source.passage.title)))
