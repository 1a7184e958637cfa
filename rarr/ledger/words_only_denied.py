"""Finds words of a claim that the passages have only where they deny or doubt them.

"The vault holds winged figures" has each of its words in "the vault holds coins, and never held figures with
wings", in different sentences or clauses, so that none of these contradicts it as a whole.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache

from rarr.backends.rules.assertion_status import is_asserted
from rarr.backends.rules.counterparts import ParsedPassage
from rarr.backends.rules.denied_claims import denials, negator_spans
from rarr.backends.rules.parsed_sentence import ParsedSentence, parsed_sentence
from rarr.tools.text.blocks_and_sentences import Span


def words_only_denied(claim: ParsedSentence, passages: Sequence[ParsedPassage]) -> Iterator[Span]:
    """Yields the places of the claim's words that the passages only deny ("never") or doubt ("no evidence").

    A denial counts in a sentence that has another word of the claim too. Nothing is yielded if the claim
    denies something itself, or has a word that no passage has: "pets are forbidden" is told by "no pets".
    """
    if any(negator_spans(claim)) or any(denials(claim)):
        return
    stems = {word.stem for word in claim.content}
    denied, stated = set[str](), set[str]().union(*(passage.title_stems for passage in passages))
    for part in (part for passage in passages for part in passage.sentences):
        stated_here, denied_here = _stated_and_denied(part.text)
        stated |= stems & stated_here
        if len(stems & (stated_here | denied_here)) > 1:
            denied |= stems & denied_here
    if stems <= denied | stated:
        yield from (Span(word.start, word.end) for word in claim.content if word.stem not in stated)


@lru_cache(maxsize=4096)  # each sentence is compared with many
def _stated_and_denied(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """Returns the stems of the words that a sentence states, and of those that it only denies or doubts."""
    part = parsed_sentence(text)
    behind_negator = {word for _, behind in denials(part) for word in behind}
    stated = frozenset(
        word.stem for word in part.content if word not in behind_negator and is_asserted(text, word.start)
    )
    return stated, frozenset(word.stem for word in part.content) - stated
