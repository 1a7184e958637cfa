"""Answers without a language model: quotes the triples and sentences that have the words of the question.

The names in a part of the question give the subject of a quote, and its other words the statement; words
that no quote has are a gap, which needs support.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from itertools import pairwise
from typing import Any, NamedTuple

from rarr.backends.embedded.extractive_writing import quotable_sentences
from rarr.backends.embedded.items import Item, items_of
from rarr.backends.embedded.words import MOODS, PRESENT
from rarr.records.answers import AnswerSource, Statement
from rarr.retrievers.corpus.index_words import STOP_WORDS, telling_stems
from rarr.retrievers.graph.relations import sentence_of
from rarr.tools.text.blocks_and_sentences import Span

_OVERVIEW = 8  # triples of an entity, where a part of the question only names it
_CUT = re.compile(r"(?:[,;?] (?:and )?|\band )(?=(?:who|what|when|where|which|how|why)\b)", re.IGNORECASE)
_KIND = re.compile(
    r"\b(?:(?P<date>when)|(?P<count>how many)|(?P<number>how (?!do|did|is|are|was|were|can)\w+)"
    r"|(?P<name>who|where)|(?P<reason>why|how))\b",
    re.IGNORECASE,
)
_PAST = frozenset(("was", "had", "did", "war", "wurde", "hatte", "était", "avait"))  # forms of items
Ids = Mapping[str, Sequence[str]]
_WORD = re.compile(r"[^\W_][\w.-]*\w|[^\W_]")


def text_of(source: AnswerSource) -> str:
    """Returns the sentence of a triple alone, or the text of a passage."""
    if (triple := source.triple) is None:
        return source.passage.text
    return " ".join(sentence_of(triple.subject, triple.relation, [triple.value]).split())


class Subject(NamedTuple):
    """A name in the question, at `span`, with the entities of the graph that it may mean."""

    name: str
    span: Span
    ids: Sequence[str] = ()


class Line(NamedTuple):
    """A triple about the entity `id`, whose other end is `other`, or a sentence, which has no `id`.

    `words` are without those of the `relation`, which a triple as a line about its value has not. A sentence
    is about what its words and its title, together `about`, name.
    """

    number: int
    text: str
    words: frozenset[str]
    id: str = ""
    other: str = ""
    relation: tuple[str, ...] = ()
    about: frozenset[str] = frozenset()

    def is_about(self, subject: Subject) -> bool:
        names = frozenset(telling_stems(subject.name))
        return self.id in subject.ids if self.id else names <= self.about and bool(names & self.words)

    def names_relation(self, asked: Sequence[str]) -> bool:
        """Do the words `asked` name its whole relation? A part of the name is another relation."""
        return bool(self.relation) and f" {' '.join(self.relation)} " in f" {' '.join(asked)} "

    def answers(self, asked: Iterable[str]) -> frozenset[str]:
        """Returns the words of `asked` that it answers: a sentence answers all of them or none."""
        if self.names_relation(words := list(asked)):
            return frozenset(self.relation)
        shared = self.words.intersection(words)
        return shared if self.id or shared.issuperset(words) else frozenset()

    def fits(self, text: str) -> bool:
        """Has it a value of the kind and time that `text` asks for? Digits with a unit count nothing."""
        items, asked = items_of(self.text), _kinds(text)
        values = [it.value for it in items if it.value]
        numbers = [it for it in values if self.id or it.kind == "number"]
        names = [self.other] if self.id else [self.text[it.start : it.end] for it in items if it.is_name]
        has = {
            "date": any(it.kind == "date" for it in values),
            "count": any(self.id or (not it.unit and it.text[0].isdigit()) for it in numbers),
            "number": bool(numbers),
            "name": any(it[:1].isupper() and (self.id or it.lower() not in text.lower()) for it in names),
            "reason": bool(self.id) and len(asked) == 1,
        }
        return (not asked or any(has[kind] for kind in asked)) and (bool(self.id) or self.is_current(text))

    def is_current(self, question: str) -> bool:
        """Is a sentence of the present, if the question is? Then one that begins with a date is none."""
        asked, items = items_of(question), items_of(self.text)
        has_date = any(it.value and it.value.kind == "date" for it in asked)
        begins_with_date = items and items[0].value and items[0].value.kind == "date"
        is_past = any(not _PAST.isdisjoint(it.form.split()) for it in items) and not _is_present(items)
        return has_date or not _is_present(asked) or not (begins_with_date or is_past)


def _is_present(items: Sequence[Item]) -> bool:
    return any(it.form in PRESENT or it.stem in MOODS for it in items)


def _kinds(text: str) -> set[str]:
    return {str(match.lastgroup) for match in _KIND.finditer(text)}


def quoted_answer(question: str, sources: Iterable[AnswerSource], known: Ids) -> list[Statement]:
    """Returns quotes of the sources, and then gaps; `known` has the entities that each name may mean."""
    lines, subjects = list(_lines(sources)), _subjects(question, known)
    gaps = [f"The question does not tell which {it.name} is meant." for it in subjects if len(it.ids) > 1]
    cited: dict[str, dict[int, None]] = {}
    for text, asked, about, is_shared in _parts(question, subjects, lines):
        told, gap = _answered(text, asked, about, lines, is_shared=is_shared)
        gaps += [gap] * bool(gap)
        for line in told:
            cited.setdefault(line.text, {})[line.number] = None
    gaps = gaps or [f'No sentence of the sources nearly repeats this question: "{question}".'] * (not cited)
    facts: Iterable[Any] = (
        {"text": text, "citations": tuple(ids), "written": len(ids)} for text, ids in cited.items()
    )
    quotes = [Statement(status="supported", existing=each["written"], **each) for each in facts]
    missing = [Statement(text=it, status="no_evidence", needs_support=True) for it in dict.fromkeys(gaps)]
    return quotes + missing


def _parts(
    question: str, subjects: Sequence[Subject], lines: Sequence[Line]
) -> Iterator[tuple[str, list[str], list[Subject], bool]]:
    """Yields the parts of the question: the text, its words but those of names, and its subjects.

    A part without a name shares those of the part before it, else of the next; a mere question word, as in
    "When and where", has words and names of the part behind it. Parts about ambiguous names are left out.
    """
    cuts = (match.start() for match in _CUT.finditer(question))
    spans = [Span(*pair) for pair in pairwise([0, *cuts, len(question)])]
    own = [[it for it in subjects if it.span.overlaps(span)] for span in spans]
    about = [[it for it in named if any(line.is_about(it) for line in lines)] or named for named in own]
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
        is_open = whole != at and _kinds(text) <= {"reason"}
        yield text, [] if is_open else asked[whole], named, not about[at]


def _answered(
    text: str, asked: list[str], subjects: list[Subject], lines: Sequence[Line], *, is_shared: bool
) -> tuple[list[Line], str]:
    """Returns the lines that answer a part and name all its subjects, and a gap for what they lack."""
    told, left, silent = list[Line](), set(asked), list[str]()
    for subject in subjects:
        own = [it for it in lines if it.is_about(subject) and (it.id or all(map(it.is_about, subjects)))]
        is_open = text.lower().startswith(("who", "what"))
        first = [it for it in own if it.id or (is_open and it.text.startswith(subject.name))]
        overview = [it for it in first if it.relation][:_OVERVIEW] or first[:1]
        named = " ".join([text, *(it.name for it in subjects)])
        fitting = [line for line in own if line.names_relation(asked) or line.fits(named)]
        quotes = _covering(fitting, asked) if asked else overview * (not is_shared)
        silent += [] if quotes else [subject.name]
        told += quotes
    if not subjects and len(left) > 1 and _kinds(text):
        told = _covering([it for it in lines if not it.id and it.fits(text)], asked)
    left.difference_update(*(line.answers(asked) for line in told))
    if told and not (left or silent):
        return told, ""
    names = (silent or [subject.name for subject in subjects]) if is_shared or told else []
    about = f" about {', '.join(names)}" if names else ""
    lost = " ".join(it for it in _WORD.findall(text) if told and left.intersection(telling_stems(it)))
    part = f'"{lost}" in this part' if lost else "this part"
    return told, f'No sentence of the sources nearly repeats {part} of the question{about}: "{text}".'


def _covering(lines: Sequence[Line], asked: Sequence[str]) -> list[Line]:
    """Returns the lines with most of the words, then of the rest: of equal ones, triples, else sentences."""
    told, left = list[Line](), set(asked)
    while able := [(words, line) for line in lines if (words := line.answers(asked) & left)]:
        best = max((words for words, _ in able), key=len)
        equal = [line for words, line in able if words == best]
        told += [line for line in equal if line.id] or _differing(equal)
        left -= best
    return told


def _differing(lines: Sequence[Line]) -> list[Line]:
    """Returns the sentences that have values or names which those before lack: sources may disagree."""
    told, known = list[Line](), set[str]()
    for line in lines:
        new = {it.key for it in items_of(line.text) if it.value or it.is_name} - known
        told += [line] if new or not told else []
        known |= new
    return told


def _subjects(question: str, ids: Ids) -> list[Subject]:
    """Returns the names that the graph knows, and other words with a capital letter, in order."""
    found = list[Subject]()
    for name in sorted(ids, key=len, reverse=True):
        places = (Span(*match.span()) for match in re.finditer(re.escape(name), question))
        free = [it for it in places if not any(it.overlaps(other.span) for other in found)]
        found += [Subject(name, place, ids[name]) for place in free]
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
    """Yields the triples, and the sentences of the passages that stand alone."""
    for source in sources:
        number, title = source.number, telling_stems(source.passage.title)
        if (triple := source.triple) is None:
            for _, sentence, _ in quotable_sentences(source.passage):
                words = frozenset(telling_stems(sentence))
                yield Line(number, sentence, words, about=words.union(title))
            continue
        text, relation = text_of(source), tuple(telling_stems(triple.relation))
        words = frozenset(telling_stems(text)).difference(relation)
        yield Line(number, text, words, triple.subject_id, triple.value, relation or ("",))
        yield Line(number, text, words, triple.value_id, triple.subject)
