"""Exchange: claim and evidence say the same words, but two parts of them changed places."""

from collections import Counter
from collections.abc import Sequence

from rarr.embedded.sentence import Sentence
from rarr.embedded.words import Token

# Who met whom can be told either way round; so can what is joined by "and".
_EITHER_WAY = {
    "met",
    "meet",
    "meets",
    "married",
    "marries",
    "border",
    "borders",
    "adjoins",
    "equals",
    "and",
    "or",
}


def exchanged(claim: Sentence, evidence: Sentence) -> bool:
    """Does `evidence` say the claim word for word, but for two parts that stand in each other's place?

    "Elm beat Hay" is "Hay beat Elm" with its parties exchanged. What moved alone was not, as "in 1950" to the
    end, nor what can be told either way round: sides of "is", members of a list, who met whom.
    """
    mine, theirs = _own(claim), _own(evidence)
    said, counts = _folded(mine), Counter(_folded(mine))
    told = _folded(theirs)
    windows = (told[at : at + len(said)] for at in range(len(told) - len(said) + 1))
    return any(
        window != said and Counter(window) == counts and _changed_places(claim.text, mine, window)
        for window in windows
    )


def _changed_places(text: str, words: Sequence[Token], window: Sequence[str]) -> bool:
    """Is `words` X M Y where the window has Y M X?"""
    said = _folded(words)
    first = next(n for n, (one, other) in enumerate(zip(said, window, strict=True)) if one != other)
    last = next(n for n in range(len(said), 0, -1) if said[n - 1] != window[n - 1])
    inner, found = said[first:last], list(window[first:last])
    for x in range(1, len(inner) - 1):
        for y in range(1, len(inner) - x):
            middle = words[first + x : last - y]
            if found == inner[-y:] + inner[x:-y] + inner[:x] and _parts(text, words[first + x - 1], middle):
                return True
    return False


def _parts(text: str, before: Token, middle: Sequence[Token]) -> bool:
    """Do the words between two parts make them different ones: is there a verb or the like, no list?"""
    listed = text[before.end :].lstrip().startswith(",")
    return (
        not listed
        and any(word.stem for word in middle)
        and _EITHER_WAY.isdisjoint(word.text.lower() for word in middle)
    )


def _own(part: Sentence) -> list[Token]:
    """Its words behind a subject that was put in ("Elm Mill: it burned")."""
    begin = part.text.find(": ")
    return [word for word in part.words if word.start > begin]


def _folded(words: Sequence[Token]) -> list[str]:
    return [word.text.lower() for word in words]
