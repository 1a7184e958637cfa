"""Answers the prompts of cards without a model: compares each sentence with the nearest line of a source."""

import re
from collections.abc import Mapping
from difflib import SequenceMatcher
from typing import Any

from rarr.tools.text.folding import fold

_LINE = re.compile(r"^\((P\d+\.\d+)\) (.*)$", re.MULTILINE)
_SENTENCE = re.compile(r"\[S(\d+)\] (.*?)(?=\[S\d+\] |\n|\Z)", re.DOTALL)
_WORD = re.compile(r"[\w'’.,-]*\w")
_NEAR = 0.6  # the least share of a sentence's words that the line has
_LONGEST = 4  # words that may differ
_ARTICLES = {"the", "a", "an"}
_WEIGHTY = {"not", "never", "only", "no"}


def read_cards(variables: Mapping[str, str]) -> dict[str, Any]:
    """Fills a card for each marked sentence, as the prompt of cards asks."""
    lines = dict(_LINE.findall(variables["sources"]))
    return {"cards": [_card(int(number), words.strip(), lines) for number, words in sentences_in(variables)]}


def confirm_cards(variables: Mapping[str, str]) -> dict[str, Any]:
    """Answers whether each marked sentence follows, as the prompt of doubts asks."""
    cards = read_cards(variables)["cards"]
    return {
        "cards": [
            {"s": it["s"], "q": it.get("q", []), "v": "open" if it["v"] == "none" else it["v"]}
            for it in cards
        ]
    }


def sentences_in(variables: Mapping[str, str]) -> list[tuple[str, str]]:
    """Finds the marked sentences of a request, with their numbers."""
    return _SENTENCE.findall(variables["text"])


def _card(number: int, sentence: str, lines: Mapping[str, str]) -> dict[str, Any]:
    words = _WORD.findall(sentence)
    if len(words) < 2:
        return {"s": number, "v": "none"}
    if not lines:
        return {"s": number, "q": [], "v": "open", "open": [sentence]}
    matchers = {
        label: SequenceMatcher(None, _plain(words), _plain(_WORD.findall(line)), autojunk=False)
        for label, line in lines.items()
    }
    label = max(matchers, key=lambda each: (_share(matchers[each], words), _prefix(matchers[each])))
    line = _WORD.findall(lines[label])
    if _share(matchers[label], words) < _NEAR:
        return {"s": number, "q": [], "v": "open", "open": [sentence]}
    changes = [code for code in matchers[label].get_opcodes() if not _is_small(code, words, line)]
    if not changes:
        return {"s": number, "q": [label], "v": "yes"}
    _, a, b, c, d = changes[0]
    if len(changes) > 1 or max(b - a, d - c) > _LONGEST:
        return {"s": number, "q": [label], "v": "open", "open": [sentence]}
    edit = _edit(words, line, (a, b, c, d))
    return {"s": number, "q": [label], "v": "no", "open": [], "edits": [edit]}


def _share(matcher: "SequenceMatcher[str]", words: list[str]) -> float:
    return sum(block.size for block in matcher.get_matching_blocks()) / len(words)


def _prefix(matcher: "SequenceMatcher[str]") -> int:
    """Counts the equal words at the start: a sentence begins with its subject."""
    first = matcher.get_matching_blocks()[0]
    return first.size if first.a == first.b == 0 else 0


def _is_small(code: tuple[str, int, int, int, int], words: list[str], line: list[str]) -> bool:
    """Is there no difference that counts: equal words, articles, or more words in the line?"""
    kind, a, b, c, d = code
    gone, more = set(_plain(words[a:b])), set(_plain(line[c:d]))
    return kind == "equal" or (gone <= _ARTICLES and not more & _WEIGHTY)


def _edit(words: list[str], line: list[str], at: tuple[int, int, int, int]) -> dict[str, str]:
    """Writes the edit with a word before it, so that words which are only put in or left out have a place."""
    a, b, c, d = at
    before = max(a - 1, 0)
    old, new = " ".join(words[before:b]), " ".join([*words[before:a], *line[c:d]])
    return {"old": old, "new": new, "by": " ".join(line[max(c - 1, 0) : d + 1])}


def _plain(words: list[str]) -> list[str]:
    return [fold(word).text.strip(".,") for word in words]
