"""Finds swapped roles: claim and evidence have the same words, but two groups of words changed places."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from rarr.backends.rules.parsed_sentence import ParsedSentence
from rarr.backends.rules.words import Token
from rarr.tools.text.span import Span

# Verbs whose two sides may change places.
_EITHER_WAY = {"met", "meet", "meets", "married", "marries", "border", "borders", "adjoins", "equals"}
_JOINS = {"and", "or", "nor"}
# Words without a stem that give what stands before and behind them different roles.
_ROLE_WORDS = {
    "than", "took", "take", "takes", "used", "made", "make", "makes", "got", "get", "gets", "had",
    "has", "have", "before", "after", "until", "till", "since",
}  # fmt: skip
_LONGEST = 60  # words of a claim; the search tries all ways to divide it


# "was narrowly beaten by": the verb in the passive.
_PASSIVE = re.compile(
    r"\b(?:is|are|was|were|be|been|being)\s+(?:\w+ly\s+)?(?P<verb>\w+)\s+by\s", re.IGNORECASE
)


def has_swapped_roles(claim: ParsedSentence, evidence: ParsedSentence) -> bool:
    """Does `evidence` repeat the claim's words, in any inflection, with two parts in each other's place?

    "Elm beat Hay" is "Hay beat Elm" with swapped roles. A part that moved alone, such as "in 1950", is no
    swap. Parts that may stand in either order are no swap: the two sides of "is", the members of a list,
    and two people who met.
    """
    if _keeps_order_in_passive(claim, evidence) or _keeps_order_in_passive(evidence, claim):
        return True
    evidence_words = [_compared(word) for word in evidence.words]
    return any(_is_swapped(claim.text, claim_words, evidence_words) for claim_words in _readings(claim))


def _keeps_order_in_passive(passive: ParsedSentence, active: ParsedSentence) -> bool:
    """Does one sentence have the other's verb in the passive, with the same words before and behind it?

    "Elm was beaten by Hay" and "Elm beat Hay" give the two each other's role.
    """
    for match in _PASSIVE.finditer(passive.text):
        place = Span(*match.span("verb"))  # with the underscores of emphasis
        verb = next((word for word in passive.words if place.start <= word.start < place.end), None)
        if (
            verb is None
            or not verb.stem
            or any(
                each["verb"].strip("_").lower() == verb.text.lower()
                for each in _PASSIVE.finditer(active.text)
            )
        ):
            continue
        acting = next((word for word in active.content if word.stem == verb.stem), None)
        if acting is None:
            continue
        before = _nearest(passive, match.start(), before=True), _nearest(active, acting.start, before=True)
        behind = _nearest(passive, match.end(), before=False), _nearest(active, acting.end, before=False)
        if before[0] & before[1] and behind[0] & behind[1]:
            return True
    return False


def _nearest(part: ParsedSentence, place: int, *, before: bool) -> frozenset[str]:
    """Returns the stem of the nearest content word before or behind a place, without adverbs.

    Behind "the borrower" in "the borrower, Tomas Lind", also that of the name.
    """
    words = [word for word in part.content if not word.text.endswith("ly")]
    if before:
        return frozenset(word.stem for word in [word for word in words if word.end <= place][-1:])
    first, second = ([word for word in words if word.start >= place] + [None, None])[:2]
    near = [first] if first else []
    if first and second and second.text[:1].isupper() and part.text[first.end : second.start] == ", ":
        near.append(second)
    return frozenset(word.stem for word in near)


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
    return telling and _EITHER_WAY.isdisjoint(words) and not (opens and closes)
