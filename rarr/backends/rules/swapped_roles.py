"""Finds swapped roles: claim and evidence have the same words, but two groups of words changed places."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from rarr.backends.rules.actions_between_parties import MUTUAL
from rarr.backends.rules.parsed_sentence import ParsedSentence, parsed_sentence
from rarr.backends.rules.passive_voice import keeps_order_in_passive
from rarr.backends.rules.words import Token

_JOINS = {"and", "or", "nor"}
# Words without a stem that give what stands before and behind them different roles.
_ROLE_WORDS = {
    "than", "took", "take", "takes", "used", "made", "make", "makes", "got", "get", "gets", "had",
    "has", "have", "before", "after", "until", "till", "since",
}  # fmt: skip
_ARTICLE = re.compile(r"(?:The|Its|Their|His|Her)\s+")
_JOINED = re.compile(r",?\s(?:and|but)\s+(?:(?:later|then|also)\s+)?(?=[a-z])")
_LONGEST = 60  # words of a claim; the search tries all ways to divide it


def has_swapped_roles(claim: ParsedSentence, evidence: ParsedSentence) -> bool:
    """Does `evidence` repeat the claim's words, in any inflection, with two parts in each other's place?

    "Elm beat Hay" is "Hay beat Elm" with swapped roles. A part that moved alone, such as "in 1950", is no
    swap. Parts that may stand in either order are no swap: the two sides of "is", the members of a list,
    and two people who met. "Elm led the league and was beaten by Hay" repeats "Elm was beaten by Hay".
    """
    return any(_is_told_with_swap(claim, told) for told in (evidence, *_further_statements(evidence)))


def _is_told_with_swap(claim: ParsedSentence, evidence: ParsedSentence) -> bool:
    if keeps_order_in_passive(claim, evidence) or keeps_order_in_passive(evidence, claim):
        return True
    evidence_words = [_compared(word) for word in evidence.words]
    return any(_is_swapped(claim.text, claim_words, evidence_words) for claim_words in _readings(claim))


def _further_statements(part: ParsedSentence) -> Iterator[ParsedSentence]:
    """Yields a sentence of its own for what stands behind each "and" or "but", with the subject before it.

    The subject is the name or the noun at the start.
    """
    opening = _ARTICLE.match(part.text)
    start = opening.end() if opening else 0
    name = next((value for value in part.values if value.kind == "name" and value.start == start), None)
    noun = next((word for word in part.content if word.start == start), None)
    if subject := name or (noun if opening else None):
        for match in _JOINED.finditer(part.text, subject.end):
            yield parsed_sentence(f"{part.text[: subject.end]} {part.text[match.end() :]}")


def _compared(word: Token) -> str:
    return word.stem or word.text.lower()


def _readings(part: ParsedSentence) -> Iterator[Sequence[Token]]:
    """Yields all words of the sentence, then those behind a put-in subject, as in "Elm Mill: it burned"."""
    yield part.words
    if (subject := part.text.find(": ")) > 0:
        yield [word for word in part.words if word.start > subject]


def _is_swapped(text: str, claim_words: Sequence[Token], evidence_words: Sequence[str]) -> bool:
    stems = [_compared(word) for word in claim_words]
    if len(stems) > _LONGEST or not set(stems).issubset(evidence_words):
        return False
    windows = (evidence_words[at : at + len(stems)] for at in range(len(evidence_words) - len(stems) + 1))
    counts = Counter(stems)
    return any(
        window != stems and Counter(window) == counts and _has_swapped_parts(text, claim_words, window)
        for window in windows
    )


def _has_swapped_parts(text: str, words: Sequence[Token], window: Sequence[str]) -> bool:
    """Does `window` have Y M X where `words` are X M Y, and does M give X and Y different roles?

    Each is a group of words, M those in the middle.
    """
    stems = [_compared(word) for word in words]
    first = next(
        n for n, (word, window_word) in enumerate(zip(stems, window, strict=True)) if word != window_word
    )
    last = next(n for n in range(len(stems), 0, -1) if stems[n - 1] != window[n - 1])
    inner, window_inner = stems[first:last], list(window[first:last])
    for x in range(1, len(inner) - 1):
        for y in range(1, len(inner) - x):
            if window_inner == inner[-y:] + inner[x:-y] + inner[:x]:
                left, right = words[first + x - 1], words[last - y]
                between = text[left.end : right.start]
                if _is_score(left, between, right) or _gives_roles(between, words[first + x : last - y]):
                    return True
    return False


def _is_score(left: Token, between: str, right: Token) -> bool:
    """Is it the result of a vote or a game, such as "5 to 2"?"""
    return between.strip() == "to" and left.text.isdigit() and right.text.isdigit()


def _gives_roles(between: str, middle: Sequence[Token]) -> bool:
    """Do the words between two parts give them different roles, as a verb does and a list does not?"""
    words = [word.text.lower() for word in middle]
    opens = between.lstrip().startswith(",") or words[0] in _JOINS
    closes = between.rstrip().endswith(",") or words[-1] in _JOINS
    telling = any(word.stem for word in middle) or not _ROLE_WORDS.isdisjoint(words)
    return telling and not MUTUAL.search(" ".join(words)) and not (opens and closes)
