"""Generates texts about mills and documents about the mills, and answers the requests of `rarr` as a model.

Sentence i says when mill i was built. The first `wrong` sentences have another year than the document.
"""

import asyncio
import re
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any

from rarr import prompts
from rarr.records import Passage
from rarr.testing import RETRIEVED_AT
from rarr.testing.card_answers import numbered_sentences

_NAMES = ("Aldmoor", "Brackford", "Cressing", "Dunley", "Eastwick", "Farlow", "Garsdale", "Holbeck")
_KINDS = ("Upper", "Lower", "Old")
_YEAR = re.compile(r"\b1[89]\d\d\b")
_CLAIM = re.compile(r"(\w+ \w+ Mill(?: \d+)?) was built in (\d+)\.")
_LINE = re.compile(r"^\((P\d+\.\d+)\) (.*)$", re.MULTILINE)
_DOCUMENT = re.compile(
    r"^\((P\d+\.\d+)\) (\w+ \w+ Mill(?: \d+)?) is .*\n\((P\d+\.\d+)\) .*?built in (\d+)", re.MULTILINE
)


def mill_name(number: int) -> str:
    """Returns the name of a mill. The name has a number if all pairs of kind and name are in use."""
    kind, name = divmod(number, len(_NAMES))
    return f"{_KINDS[kind % len(_KINDS)]} {_NAMES[name]} Mill" + (f" {kind}" if kind >= len(_KINDS) else "")


def mill_number(text: str) -> int:
    [(kind, name, numbered)] = re.findall(r"(\w+) (\w+) Mill(?: (\d+))?", text)
    return int(numbered or _KINDS.index(kind)) * len(_NAMES) + _NAMES.index(name)


def year_built(number: int) -> int:
    return 1801 + 7 * (number % 27)


def mills_text(mills: int, wrong: int, first: int = 0) -> str:
    years = (
        (number, year_built(number) + (3 if number < first + wrong else 0))
        for number in range(first, first + mills)
    )
    return " ".join(f"{mill_name(number)} was built in {year}." for number, year in years)


def mill_document(number: int) -> str:
    """Returns four sentences of about 100 tokens, which is the length of a passage of an encyclopedia."""
    name, year = mill_name(number), year_built(number)
    return (
        f"{name} is a watermill on the river that runs through the parish, a walk below the stone bridge."
        f" {name} was built in {year} for a family of corn merchants who had owned the land before."
        " The wheel was replaced twice, and the machinery on the upper floors is of iron and local oak."
        " Today the building houses a small museum, a workshop and the office of the parish council."
    )


class SlowDocuments:
    """A search that takes `seconds`, and finds the document about the mill that the query names."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        if self._seconds:
            await asyncio.sleep(self._seconds)
        text = mill_document(mill_number(query))
        source = f"mills/{mill_number(query)}.md"
        return [Passage(text=text, source=source, start=0, end=len(text), retrieved_at=RETRIEVED_AT)]


def respond(request: Any) -> dict[str, Any]:
    if request.prompt in ("check_agreement", "check_agreement_doubt"):
        return _fill_cards(prompts.load(request.prompt).variables_in(request.user) or {}, request.prompt)
    if request.prompt == "target_queries":  # no document has more facts than the first round found
        return {"questions": []}
    text = _tag_content(request.user, "text")
    if request.prompt == "generate_queries":
        claims = re.findall(r"(\w+ \w+ Mill(?: \d+)?) was built in (\d+)", text)
        return {
            "questions": [{"question": f"When was {name} built?", "about": year} for name, year in claims]
        }
    name = re.findall(r"(?:Query|Correct the answer to): When was (.+) built\?", request.user)[0]
    [claimed_year] = re.findall(rf"{name} was built in (\d{{4}})", text)
    documented_year = _YEAR.findall(_tag_content(request.user, "evidence"))[0]
    if request.prompt == "edit":
        claim = f"{name} was built in "
        return {"span": claimed_year, "revision": text.replace(claim + claimed_year, claim + documented_year)}
    verdict, reason = (
        ("agrees", "The years are equal.")
        if claimed_year == documented_year
        else ("disagrees", "The years differ.")
    )
    return {
        "text_answer": claimed_year,
        "evidence_answer": documented_year,
        "reason": reason,
        "verdict": verdict,
    }


def _fill_cards(variables: Mapping[str, str], prompt: str) -> dict[str, Any]:
    """Returns a card (judgement) for each marked sentence. Compares a claim with the document about its mill.

    The code is simple and fast, because it runs on the machine that a benchmark measures.
    """
    sources = variables["sources"]
    built = {match[2]: match for match in _DOCUMENT.finditer(sources)}
    lines = {words: label for label, words in _LINE.findall(sources)}
    cards = []
    for number, words in numbered_sentences(variables):
        claim = _CLAIM.match(words)
        if claim and (found := built.get(claim[1])):
            card = {"q": [found[1], found[3]]} | _verdict(claim[2], found[4], f"built in {found[4]}")
        else:
            card = _planted_card(words.strip(), lines)
        if prompt == "check_agreement_doubt":
            card = {"q": card["q"], "v": card["v"]}
        cards.append({"s": int(number)} | card)
    return {"cards": cards}


def _verdict(said: str, right: str, by: str) -> dict[str, Any]:
    if said == right:
        return {"v": "yes"}
    return {"v": "no", "open": [], "edits": [{"old": said, "new": right, "by": by}]}


def _planted_card(sentence: str, lines: Mapping[str, str]) -> dict[str, Any]:
    """Returns the card of a planted error. Compares the sentence with the line that has most of its words."""
    said, words = sentence.split(), set(sentence.split())
    line = max(lines, key=lambda it: len(words.intersection(it.split())) - len(it) / 1000)
    right = line.split()
    same = SequenceMatcher(None, said, right, autojunk=False).get_matching_blocks()
    start = max(0, same[0].size - 1 if same[0].a == same[0].b == 0 else 0)
    kept = same[-2].size - 1 if len(same) > 1 and same[-2].a + same[-2].size == len(said) else 0
    old, new = (" ".join(it[start : len(it) - max(0, kept)]) for it in (said, right))
    return {"q": [lines[line]]} | _verdict(*((old, new) if said != right else ("", "")), by=new)


def _tag_content(message: str, tag: str) -> str:
    return message.split(f"<{tag}>\n")[1].split(f"\n</{tag}>")[0]
