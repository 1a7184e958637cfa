"""Quotes a text for a prompt, so that the text cannot end its quotation, or look like a message of the chat.

The value of every variable of every prompt is quoted. A tag is a name in brackets, such as `</text>`. A label
is a name before a colon at the start of a line, such as `Query:`.
"""

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from rarr.prompts import Prompt
from rarr.tools.guard.invisible_characters import steps_for

_TOKEN_TAGS = """
s inst sys system assistant user human developer instructions system_prompt start_of_turn end_of_turn bos eos
pad unk sop eop eoh eoa eot think tool tools tool_call tool_calls tool_response tool_result tool_results
function_call function_calls function_result function_results unused extra_id_
"""
_ROLES = frozenset({"human", "assistant", "system", "user", "developer"})
_INSTRUCTION = frozenset({"instruction", "response", "input", "output"})

# A tag may have spaces, line ends or slashes before its name, and full-width letters or brackets.
_TAG = re.compile(r"[<＜﹤](?=<?[\s/\\]*+(?P<name>[^\W\d][^\W\d]{0,40}?)\d{0,4}(?!\w))")
_BAR = re.compile(r"[<＜﹤](?=\s*+[|｜][^\s|｜<>][^|｜<>\n]{0,100}+[|｜]\s*+[>＞﹥])")
_SQUARE = re.compile(
    r"\[(?=/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT|gMASK|IMG)\])", re.I
)
# Marks of Markdown may stand before and after a label.
_LABEL = re.compile(
    r"^[^\S\n]*+(?:[>*_#-]{1,8}[^\S\n]*+)?(?=(?P<label>[^\W\d][\w \t]{0,40}?)[ \t*_]{0,4}[:：])", re.MULTILINE
)
_LABEL_MARK = "› "


def render_quoted(prompt: Prompt, variables: Mapping[str, str]) -> str:
    """Returns the user message of `prompt` with quoted variables. Raises the errors of `Prompt.render`."""
    return prompt.render(**{name: quotation_of(prompt, text).shown for name, text in variables.items()})


def quotation_of(prompt: Prompt, text: str) -> "Quotation":
    """Quotes `text` for `prompt`: removes invisible characters, and changes the tags and labels."""
    tags, labels = _tags_and_labels(prompt.user)
    quotation = Quotation(text, text, range(len(text)))
    for pattern, replacement in (
        *steps_for(text),
        (_TAG, lambda match: "‹" if _folded_name(match["name"]) in tags else match[0]),
        (_BAR, lambda match: "‹"),
        (_SQUARE, lambda match: "‹"),
        (_LABEL, lambda match: match[0] + _LABEL_MARK * (_folded_name(match["label"]) in labels)),
    ):
        quotation = quotation.substitute(pattern, replacement)
    return quotation


@lru_cache(maxsize=64)
def _tags_and_labels(layout: str) -> tuple[frozenset[str], frozenset[str]]:
    """Returns the tags and labels in `layout`, which is the text of a prompt, and those of chat formats."""
    tags = {_folded_name(name) for name in re.findall(r"</?\s*(\w+)", layout)}
    labels = {_folded_name(name) for name in re.findall(r"^([^\W\d][\w ]*):", layout, re.MULTILINE)}
    return frozenset(tags.union(_TOKEN_TAGS.split())), _ROLES | _INSTRUCTION | labels


class Quotation(NamedTuple):
    """A text and its quoted form, `shown`. `places` has the offset in `text` of each character of `shown`.

    In `shown`, the sign `‹` replaces the first bracket of each tag. The sign `›` stands before each label.
    """

    text: str
    shown: str
    places: Sequence[int]

    def original_span(self, start: int, end: int) -> tuple[int, int]:
        """Returns the start and the end in `text` of the words `shown[start:end]`."""
        begin = self.places[start] if start < len(self.places) else len(self.text)
        if start == end:
            return begin, begin
        within_mark = end < len(self.places) and self.places[end] == self.places[end - 1]
        return begin, self.places[end - 1] + (not within_mark)

    def original_words(self, words: str) -> str:
        """Returns `words` with the original brackets and labels of `text`, in place of the signs `‹` and `›`.

        A model that read `shown` wrote `words`. A sign stays if `shown` has it for different parts of `text`.
        """
        if "‹" not in words and "›" not in words:
            return words
        changes: dict[str, set[str]] = {}
        for match in re.finditer(r"‹+[|\s/\\]*[^\W\d]*|› \S+", self.shown):
            start, end = self.original_span(*match.span())
            changes.setdefault(match[0], set()).add(self.text[start:end])
        for shown, originals in changes.items():
            if len(originals) == 1:  # of several originals, the right original is unknown
                words = words.replace(shown, next(iter(originals)))
        return words

    def substitute(self, pattern: re.Pattern[str], replace: Callable[[re.Match[str]], str]) -> "Quotation":
        """Returns a new quotation: in `shown`, `replace` has changed each match of `pattern`."""
        pieces, places, at = list[str](), list[int](), 0
        for match in pattern.finditer(self.shown):
            new = replace(match)
            if new == match[0]:
                continue
            start, end = match.span()
            pieces += (self.shown[at:start], new)
            places += self.places[at : min(end, start + len(new))]
            # An inserted mark gets the place of the label after it.
            places += [*self.places[end : end + 1]] * (start + len(new) - end)
            at = end
        if not pieces:
            return self
        return self._replace(shown="".join([*pieces, self.shown[at:]]), places=[*places, *self.places[at:]])


def _folded_name(name: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())
