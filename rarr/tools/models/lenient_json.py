"""Finds the JSON objects and lists in a text that a language model wrote.

It also reads comments, trailing and missing commas, single and typographic quotes, keys and words without
quotes, and line ends and unescaped quotes in strings. A value that the end of the text cut off is left out,
never guessed. Every pattern is bounded or possessive, so that hostile text takes linear time.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from rarr.valid_unicode import valid


class Bare(str):
    """A value without quotes, as it was written: a number, `true`, `null` or a word."""

    __slots__ = ()


@dataclass
class Object:
    """A JSON object: its members in order. `cut`: the end is missing.

    `lost` is the key, as far as it was written, of a member that was cut off and left out.
    """

    members: list[tuple[str, "Value"]] = field(default_factory=list)
    cut: bool = True
    lost: str | None = None


@dataclass
class Array:
    """A JSON list: its items in order. `cut`: the end is missing, and the last item may be cut off, too."""

    items: list["Value"] = field(default_factory=list)
    cut: bool = True


Value: TypeAlias = str | Object | Array


class Parsed(NamedTuple):
    """A parsed object or list. `broken`: the text stops being JSON there, and `value` is the part before."""

    value: Object | Array
    broken: bool


_DEEPEST = 50  # containers in containers
_OPENING = "\"'“”„‘’‚"
_GAP = (  # whitespace and comments; a comment with a quote in it is more likely the rest of a string
    r"(?:\s++|(?://|\#)[^\n\"]{0,300}+(?=\n)|/\*[^*]{0,300}+(?:\*(?!/)[^*]{0,300}+){0,9}+\*/){0,20}+"
)
_END = r"\s*+(?:```\s*+)?\Z"  # the end of the text, or of the code block that ends it
_QUOTED_KEY = (
    r"""("(?:[^"\\\n]|\\.)*+"|'(?:[^'\\\n]|\\.)*+'|[“”„][^“”"\n]*+[“”"]|[‘’‚][^‘’'\n]*+[‘’'])"""
    rf"{_GAP}:"
)
_ANY_KEY = rf"(?:{_QUOTED_KEY}|([A-Za-z_][\w -]{{0,60}}+){_GAP}:)"
_CUT_KEY = (
    r"""("(?:[^"\\\n{}]|\\.)*+\\?"?|'(?:[^'\\\n{}]|\\.)*+\\?'?|[“”„‘’‚]?[\w -]{0,60}+[”’]?)"""
    rf"{_END}"
)

_START = re.compile(
    rf"\{{{_GAP}(?:[{_OPENING}]|[A-Za-z_][\w -]{{0,60}}+:)|\[(?:{_GAP}[{{{_OPENING}]|\](?={_END}))"
)
_BRACKET = re.compile(r"[{}\[\]]")
_COMMAS = re.compile(rf"{_GAP}(?:,{_GAP})*+")
_SPACE = re.compile(_GAP)
_COLON = re.compile(rf"{_GAP}:")
_TEXT_END = re.compile(_END)
_KEY = re.compile(_ANY_KEY)
_KEY_AT_END = re.compile(_CUT_KEY)
_BARE = re.compile(rf"[^\s,:{{}}\[\]{_OPENING}]{{1,100}}+")
_AFTER_BARE = re.compile(rf"{_GAP}[,}}\]]|[ \t]*+\r?\n")
_DOUBLE, _SINGLE = re.compile(r'\\.|[“”"]', re.DOTALL), re.compile(r"\\.|[‘’']", re.DOTALL)
_CLOSING = {
    '"': re.compile(r'\\.|"', re.DOTALL),
    "'": re.compile(r"\\.|'", re.DOTALL),
    **dict.fromkeys("“”„", _DOUBLE),
    **dict.fromkeys("‘’‚", _SINGLE),
}
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "\\": "\\", "/": "/"} | {
    mark: mark for mark in _OPENING
}


class _Ends(NamedTuple):
    """The patterns that may follow the quote at the end of a string: anywhere, and at the end of the text."""

    anywhere: re.Pattern[str]
    at_end: re.Pattern[str]


# A brace that is followed by a quote, with no object in between, is still inside the string.
_BRACE = r"""\}(?:(?=\s*+[,}\]])|(?![^"\n{]{0,300}+"))"""


def _ends_before(key: str) -> _Ends:
    following = re.compile(rf"{_GAP}(?:,{_GAP})*+(?:{_BRACE}|{key})")
    return _Ends(following, re.compile(rf"{_GAP}(?:,{_GAP}{_CUT_KEY}|{_END})"))


# The next key must look like the last key, because prose may continue as in `"no", he said: so`.
_BEFORE_QUOTED_KEY, _BEFORE_ANY_KEY = _ends_before(_QUOTED_KEY), _ends_before(_ANY_KEY)
_IN_ARRAY = _Ends(
    re.compile(
        rf"{_GAP}(?:\]|,{_GAP}(?:[\]\[{{{_OPENING}]|-?\d|(?:true|false|null|None)\b))"
        r"""|[ \t]*+\r?\n\s*+["'“{]"""
    ),
    re.compile(rf"{_GAP}(?:,{_GAP})?+{_END}"),
)


class _StopError(Exception):
    """Reading cannot continue: the text ends here or, if `broken`, is not JSON here."""

    def __init__(self, broken: bool) -> None:
        super().__init__(broken)
        self.broken = broken


def find(text: str) -> Iterator[Parsed]:
    """Yields the outermost JSON objects and lists of `text`, in order, without empty objects."""
    at = 0
    while start := _START.search(text, at):
        value = _opened(start[0])
        reader = _JsonReader(text, start.start())
        try:
            reader.fill(value, 1)
        except _StopError as stop:
            yield Parsed(value, stop.broken)
            if not stop.broken:
                return
            at = _behind(text, start.start())
        else:
            yield Parsed(value, False)
            at = reader.at


def _opened(text: str) -> Object | Array:
    return Object() if text.startswith("{") else Array()


def _behind(text: str, start: int) -> int:
    """The position after the bracket that closes the one at `start`, or the length of the text."""
    depth = 0
    for bracket in _BRACKET.finditer(text, start):
        depth += 1 if bracket[0] in "{[" else -1
        if depth == 0:
            return bracket.end()
    return len(text)


class _JsonReader:
    """Parses JSON recursively into containers that it fills, so that what was read stays if the text ends."""

    def __init__(self, text: str, at: int) -> None:
        self.text = text
        self.at = at

    def fill(self, container: Object | Array, depth: int) -> None:
        """Reads from a container's opening bracket to the end of its closing bracket."""
        if depth > _DEEPEST:
            raise _StopError(broken=True)
        self.at += 1
        while not self._closed("}" if isinstance(container, Object) else "]"):
            value = self._member(container) if isinstance(container, Object) else self._item(container)
            if not isinstance(value, str):
                self.fill(value, depth + 1)
        container.cut = False

    def _closed(self, bracket: str) -> bool:
        self._skip(_COMMAS)
        closed = self.text.startswith(bracket, self.at)
        self.at += closed
        return closed

    def _member(self, container: Object) -> Value:
        """Adds a member. If its value is a container, the container is still to be filled."""
        key, ends = self._key(container)
        container.lost = key
        value = self._value(ends)
        container.members.append((key, value))
        container.lost = None
        return value

    def _item(self, container: Array) -> Value:
        container.items.append(self._value(_IN_ARRAY))
        return container.items[-1]

    def _key(self, container: Object) -> tuple[str, _Ends]:
        if key := _KEY.match(self.text, self.at):
            self.at = key.end()
            quoted, bare = key.groups()
            return (_unescaped(quoted[1:-1]), _BEFORE_QUOTED_KEY) if quoted else (bare, _BEFORE_ANY_KEY)
        cut = _KEY_AT_END.match(self.text, self.at)
        if cut and not _TEXT_END.match(self.text, self.at):
            container.lost = cut[1].strip(_OPENING)
        raise _StopError(broken=cut is None)

    def _value(self, ends: _Ends) -> Value:
        self._skip(_SPACE)
        first = self.text[self.at : self.at + 1]
        if first and first in "{[":
            return _opened(first)
        return self._string(ends) if first in _CLOSING else self._bare()

    def _bare(self) -> Bare:
        word = _BARE.match(self.text, self.at)
        end = word.end() if word else self.at
        if _TEXT_END.match(self.text, end):
            raise _StopError(broken=False)
        if word is None or not _AFTER_BARE.match(self.text, end):
            raise _StopError(broken=True)
        self.at = end
        return Bare(word[0])

    def _string(self, ends: _Ends) -> str:
        text, start = self.text, self.at + 1
        inner = False  # whether there was a quote that should have been escaped
        for mark in _CLOSING[text[self.at]].finditer(text, start):
            if mark[0].startswith("\\"):
                continue
            self.at = mark.end()
            if ends.anywhere.match(text, self.at):
                return _unescaped(text[start : mark.start()])
            if ends.at_end.match(text, self.at):
                if inner:  # it may be the end, or another quote inside the string
                    break
                return _unescaped(text[start : mark.start()])
            if _COLON.match(text, self.at):  # a quote is missing, and the string includes a key
                raise _StopError(broken=True)
            inner = True
        raise _StopError(broken=False)

    def _skip(self, pattern: re.Pattern[str]) -> None:
        if skipped := pattern.match(self.text, self.at):
            self.at = skipped.end()


def _unescaped(raw: str) -> str:
    if "\\" not in raw:
        return raw
    # A character may be escaped as the two halves of a pair, \ud83d\udea7, or as one half alone.
    return valid(_ESCAPE.sub(_character, raw))


def _character(escape: re.Match[str]) -> str:
    # An unknown escape is text with a single backslash, as in \_ or \(.
    return chr(int(escape[1], 16)) if escape[1] else _ESCAPED.get(escape[2], escape[0])
