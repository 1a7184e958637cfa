"""Renders the Markdown of a revised text, and marks its edits, sentences and deciding words.

Markdown and marks may overlap, so the text is cut into runs that have one mark each. The tags of Markdown,
by markdown-it, stand between the runs. Templates draw the runs.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, takewhile
from typing import NamedTuple, TypeAlias

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markupsafe import Markup

from rarr.records import Edit, Part, Sentence, Status
from rarr.tools.pages.html_rendering import clipped, is_web
from rarr.tools.text.edit_segments import Kind, by_sentence, traced

_LINE_END = re.compile(r"\r\n?|\n")
_LONGEST_TITLE, _LONGEST_ENTITY = 100, 40


class MarkedRun(NamedTuple):
    """Characters with the same mark: kind of change, id of the edit, and part of the sentence.

    They are `linked` if they are within a link of the text.
    A `deleted` run is not in the revised text. The run of an edit that was not accepted is empty.
    """

    kind: Kind
    text: str
    edit: str = ""
    part: Part | None = None
    linked: bool = False


class Group(NamedTuple):
    """The runs and tags of a sentence, with its number from 1. `first`: its first group in the text."""

    number: int
    sentence: Sentence
    first: bool
    nodes: "list[Markup | MarkedRun]"


Node: TypeAlias = Markup | MarkedRun | Group


class _PlacedRun(NamedTuple):
    """A marked run, its place in the revised text, and the number of its sentence (0: none)."""

    run: MarkedRun
    start: int
    end: int
    number: int


class _RunOrTag(NamedTuple):
    """A marked run with its sentence's number, or a tag, which opens (1) or closes (-1) an element."""

    node: Markup | MarkedRun
    number: int = 0
    nesting: int = 0


@dataclass(frozen=True)
class Marked:
    """The text as nodes, its first line as `title`, and the nodes of each sentence, by number (`shown`).

    A sentence in a definition of links is missing in `shown`, because Markdown does not show it.
    """

    nodes: list[Node]
    title: str
    shown: dict[int, list[Markup | MarkedRun]]


def marked(original: str, edits: Sequence[Edit], sentences: Sequence[Sentence]) -> Marked:
    """Returns the revised text as nodes for the template: Markdown tags, and runs with edit and part."""
    drawing = _Drawing(list(_pieces(original, edits, sentences)), sentences)
    return Marked(list(drawing.nodes()), drawing.title, drawing.shown)


def _pieces(original: str, edits: Sequence[Edit], sentences: Sequence[Sentence]) -> Iterator[_PlacedRun]:
    at = count = 0
    for sentence, run in by_sentence(traced(original, edits), sentences):
        count += sentence is not None
        number = count if sentence else 0
        parts = sorted(sentence.parts, key=lambda part: part.start) if sentence else []
        for kind, text, edit in run:
            if kind == "deleted":
                yield _PlacedRun(MarkedRun(kind, text, edit), at, at, number)
                continue
            for start, end, part in _cut(at, at + len(text), parts):
                yield _PlacedRun(MarkedRun(kind, text[start - at : end - at], edit, part), start, end, number)
            at += len(text)


def _cut(start: int, end: int, parts: Sequence[Part]) -> Iterator[tuple[int, int, Part | None]]:
    """Yields the range in pieces, cut at the parts, with their part or None. Earlier parts win overlaps."""
    for part in parts:
        begin, stop = max(part.start, start), min(part.end, end)
        if begin < stop:
            if start < begin:
                yield start, begin, None
            yield begin, stop, part
            start = stop
    if start < end:
        yield start, end, None


@cache
def _parser() -> MarkdownIt:
    """Makes a parser that reads raw HTML as text, images as links, and links only to web addresses."""
    parser = MarkdownIt("commonmark", {"html": False, "breaks": True}).enable(["table", "strikethrough"])
    parser.disable("image")
    parser.validateLink = is_web  # type: ignore[assignment] # the documented way to narrow it
    parser.parse("x")  # compiles its rules now: on first use it would not be safe in threads
    return parser


def _tag(tokens: Sequence[Token], number: int) -> Markup:
    """Renders a token other than text as HTML, with lower headings and without styles, for a page."""
    parser, token = _parser(), tokens[number]
    token.attrs.pop("style", None)
    if token.type == "link_open":
        token.attrSet("rel", "noopener noreferrer")
    if token.type.startswith("heading"):
        token.tag = f"h{min(int(token.tag[1]) + 2, 6)}"
    renderer = RendererHTML(parser)  # it escapes everything except its own tags
    return Markup(renderer.render([*tokens[number : number + 1]], parser.options, {}))


class _Drawing:
    """Walks through the tokens of Markdown and the pieces of the text at once."""

    def __init__(self, pieces: Sequence[_PlacedRun], sentences: Sequence[Sentence]) -> None:
        self._text = "".join(piece.run.text for piece in pieces if piece.run.kind != "deleted")
        self._pieces, self._next = pieces, 0
        self._lines = [0, *(match.end() for match in _LINE_END.finditer(self._text)), len(self._text)]
        self._sentences = sorted(sentences, key=lambda sentence: sentence.start)
        self._at, self._linked = 0, False
        self.title = ""
        self.shown: dict[int, list[Markup | MarkedRun]] = {}

    def nodes(self) -> Iterator[Node]:
        """Yields the whole text in order, and collects `title` and `shown`."""
        tokens = _parser().parse(self._text)
        for number, token in enumerate(tokens):
            if token.type == "inline":
                items = list(self._inline(token))
                self.title = self.title or _title(items)
                yield from self._grouped(items)
            else:
                yield _tag(tokens, number)
        yield from self._grouped(list(self._passed(len(self._text))))

    def _inline(self, token: Token) -> Iterator[_RunOrTag]:
        first, last = token.map or (0, len(self._lines) - 1)
        self._at, end = max(self._at, self._lines[first]), self._lines[min(last, len(self._lines) - 1)]
        children = token.children or []
        for number, child in enumerate(children):
            if child.type == "code_inline":
                yield _RunOrTag(Markup("<code>"), nesting=1)
                yield from self._runs(child.content, end)
                yield _RunOrTag(Markup("</code>"), nesting=-1)
            elif child.type == "text":
                yield from self._runs(child.content, end)
            else:
                self._linked = child.type == "link_open" or (self._linked and child.type != "link_close")
                yield _RunOrTag(_tag(children, number), nesting=child.nesting)
        yield from self._passed(self._at)

    def _runs(self, content: str, end: int) -> Iterator[_RunOrTag]:
        """Yields the characters of a token, cut where the pieces of the text are cut."""
        begin = 0
        for number, place in enumerate(self._places(content, end)):
            if self._next < len(self._pieces) and self._pieces[self._next].end <= place:
                yield from self._part(content[begin:number])
                yield from self._passed(place)
                begin = number
            self._at = place + 1
        yield from self._part(content[begin:])

    def _part(self, text: str) -> Iterator[_RunOrTag]:
        if text:
            run, _, _, number = self._pieces[self._next]
            yield _RunOrTag(run._replace(text=text, linked=self._linked), number)

    def _passed(self, place: int) -> Iterator[_RunOrTag]:
        """Moves on to the piece at `place`, and yields the deleted pieces before it."""
        while self._next < len(self._pieces) and self._pieces[self._next].end <= place:
            run, _, _, number = self._pieces[self._next]
            self._next += 1
            if run.kind == "deleted":
                yield _RunOrTag(run._replace(linked=self._linked), number)

    def _places(self, content: str, end: int) -> Sequence[int]:
        """Finds the places of a token's characters in the text. Markdown drops escapes: `&amp;` is &."""
        begin = self._text.find(content, self._at, end)
        if begin >= 0:
            return range(begin, begin + len(content))
        places, at = [], self._at
        for character in content:
            place = self._text.find(character, at, min(at + _LONGEST_ENTITY, end))
            places.append(place if place >= 0 else min(at, end - 1))
            at = place + 1 if place >= 0 else at
        return places

    def _grouped(self, items: Sequence[_RunOrTag]) -> Iterator[Node]:
        """Yields the nodes. Those of a sentence become a group, with the tags around and between them."""
        end = 0
        for number, first, last in _ranges(items):
            yield from (item.node for item in items[end:first])
            nodes = [item.node for item in items[first:last]]
            end = last
            if isinstance(nodes[0], MarkedRun) and nodes[0].linked:  # a group has links itself
                yield from nodes
                continue
            yield Group(number, self._sentences[number - 1], number not in self.shown, nodes)
            self.shown.setdefault(number, []).extend(nodes)
        yield from (item.node for item in items[end:])


def _ranges(items: Sequence[_RunOrTag]) -> Iterator[tuple[int, int, int]]:
    """Yields each sentence's number with a range of its items, in which as many tags open as close.

    A sentence that begins within an element and ends outside of it has a range for each of its runs.
    """
    places: dict[int, list[int]] = {}
    for place, item in enumerate(items):
        if item.number:
            places.setdefault(item.number, []).append(place)
    end = 0
    for number, own in places.items():
        first, last = own[0], own[-1] + 1
        depths = list(accumulate((item.nesting for item in items[first:last]), initial=0))
        closed, left_open = -min(depths), depths[-1] - min(depths)
        before, after = items[max(first - closed, end) : first], items[last : last + left_open]
        if [item.nesting for item in (*before, *after)] != [1] * closed + [-1] * left_open:
            yield from ((number, place, place + 1) for place in own)
            end = last
            continue
        first, last = first - closed, last + left_open
        around = zip(reversed(items[end:first]), items[last:], strict=False)
        wider = len(list(takewhile(lambda pair: (pair[0].nesting, pair[1].nesting) == (1, -1), around)))
        first, last = first - wider, last + wider
        yield number, first, last
        end = last


def _title(items: Sequence[_RunOrTag]) -> str:
    """Returns the words of the first line, without tags and deleted words, at most 100 characters."""
    words = ""
    for node in (item.node for item in items):
        if isinstance(node, Markup):
            if node.startswith("<br"):
                break
        elif node.kind != "deleted":
            words += node.text
    return clipped(" ".join(words.split()), _LONGEST_TITLE)


def with_status(sentences: Sequence[Sentence], *statuses: Status) -> list[tuple[int, Sentence]]:
    """Returns the sentences of these statuses with their numbers from 1, ordered by status."""
    numbered = [(n, sentence) for n, sentence in enumerate(sentences, start=1) if sentence.status in statuses]
    return sorted(numbered, key=lambda pair: statuses.index(pair[1].status))


def quoted(text: str, says: Iterable[str], most: int = 600) -> list[tuple[bool, str]]:
    """Quotes at most `most` characters of a passage, from its start or around the first phrase of `says`.

    Returns the quote in pieces; True marks a piece that is such a phrase.
    """
    words = sorted({phrase for phrase in says if phrase in text}, key=len, reverse=True)
    first = min((text.find(phrase) for phrase in words), default=0)
    start = max(0, first - most // 3) if first > most // 2 else 0
    shown = f"{'… ' if start else ''}{clipped(text[start:], most)}"
    cut = re.split(f"({'|'.join(map(re.escape, words))})", shown) if words else [shown]
    return [(n % 2 == 1, piece) for n, piece in enumerate(cut) if piece]
