"""Aligns a claim with a sentence that nearly quotes it, and finds the words by which the two differ.

The two must have the same words in the same order, except for words of grammar, telling words
such as "not", "may" and "all", and pairs of opposites.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from rapidfuzz.distance import Levenshtein

from rarr.backends.rules.assertion_status import doubt_spans
from rarr.backends.rules.denied_claims import negator_spans
from rarr.backends.rules.meaning_changing_words import MANY, MOST, grouped_words
from rarr.backends.rules.mutually_exclusive_words import exclusive_terms, same_term
from rarr.backends.rules.opposite_words import are_opposites
from rarr.backends.rules.parsed_sentence import ParsedSentence
from rarr.backends.rules.words import Token, folded_text
from rarr.records import Verdict
from rarr.tools.text.blocks_and_sentences import Span

LEAST_SHARED = 3
"""The number of words with meaning that both sentences must have."""
# Words of grammar that one of two sentences may lack.
_GRAMMAR = frozenset(
    ("a", "an", "the", "is", "are", "was", "were", "be", "been", "being", "has", "have", "had", "do", "does",
     "did", "to", "that", "also", "so", "then", "there", "it", "they", "any")
)  # fmt: skip


# Words of grammar that may limit what a sentence says.
_LIMITING = frozenset(
    ("if", "unless", "when", "while", "until", "before", "after", "during", "without", "except", "only",
     "but", "than", "not", "no", "never", "by", "under", "over", "may", "might", "most", "few", "some")
)  # fmt: skip


class Difference(NamedTuple):
    """The verdict on a claim, with the words that decide: of the claim, and of the passage's sentence.

    The first are at `claimed`, the others at `stated`.
    """

    verdict: Verdict
    sentence: ParsedSentence
    claimed: Span
    stated: Span


class _Hunk(NamedTuple):
    """Words of the claim, and other words that the passage's sentence has in their place, by number."""

    claimed: range
    stated: range


def _steps(keys: Sequence[str], others: Sequence[str]) -> list[tuple[bool, _Hunk]]:
    """Aligns two lists of words. Returns runs of equal words (True) and of other words (False) in turn."""
    steps: list[tuple[bool, _Hunk]] = []
    for step in Levenshtein.opcodes(keys, others):
        start, end, other_start, other_end = step.src_start, step.src_end, step.dest_start, step.dest_end
        same, hunk = step.tag == "equal", _Hunk(range(start, end), range(other_start, other_end))
        if steps and steps[-1][0] == same:
            _, (claimed, stated) = steps.pop()
            hunk = _Hunk(range(claimed.start, end), range(stated.start, other_end))
        steps.append((same, hunk))
    return steps


def _divided(hunk: _Hunk, *, at_start: bool) -> tuple[_Hunk, _Hunk]:
    """Divides a difference at the start or end of the claim: words of the sentence far outside, and the rest.

    The rest has at most one word more than the claim.
    """
    claimed, stated = hunk
    most = min(len(stated), len(claimed) + 1)
    if at_start:
        cut = stated.stop - most
        return _Hunk(range(0), range(stated.start, cut)), _Hunk(claimed, range(cut, stated.stop))
    cut = stated.start + most
    return _Hunk(range(0), range(cut, stated.stop)), _Hunk(claimed, range(stated.start, cut))


def _unlabelled(part: ParsedSentence, title: frozenset[str]) -> list[Token]:
    """Returns the words of a sentence without a subject of the title, as in "Elm Mill: it burned"."""
    label = part.text.find(": ")
    if any(word.stem and word.stem not in title for word in part.words if word.end <= label):
        return list(part.words)
    return [word for word in part.words if word.start > label]


def _key(part: ParsedSentence, word: Token) -> str:
    """Returns by what a word is compared: its stem, or all of it in a name: Martens is not Marten."""
    in_name = any(value.kind == "name" and value.start <= word.start < value.end for value in part.values)
    return folded_text(word.text).removesuffix("'s") if in_name or not word.stem else word.stem


class Alignment:
    """The words of a claim beside those of a sentence, in order, each by its stem.

    `hunks` are the differences between the first and the last word that both have, and those of the claim's
    first and last words.
    """

    def __init__(self, claim: ParsedSentence, sentence: ParsedSentence, title: frozenset[str]) -> None:
        self.claim, self.sentence, self._title = claim, sentence, title
        self._claim_terms, self._terms = (list(exclusive_terms(part.text)) for part in (claim, sentence))
        self._claim_words, self._sentence_words = (_unlabelled(part, title) for part in (claim, sentence))
        keys = [_key(claim, word) for word in self._claim_words]
        others = [_key(sentence, word) for word in self._sentence_words]
        steps = _steps(keys, others)
        equal = [number for number, (same, _) in enumerate(steps) if same]
        first, last = (equal[0], equal[-1]) if equal else (0, -1)
        self._same = [hunk for same, hunk in steps if same]
        self._outside = [hunk for _, hunk in (*steps[:first], *steps[last + 1 :])]
        self.hunks = [hunk for same, hunk in steps[first : last + 1] if not same]
        for number, hunk in enumerate(self._outside):
            if any(not self._may_lack(self._claim_words[word]) for word in hunk.claimed):
                self._outside[number], end = _divided(hunk, at_start=hunk.claimed.start == 0)
                self.hunks.append(end)

    def difference(self) -> Difference | None:
        """Returns the words that decide; None if the sentence does not nearly quote the claim."""
        if not self._is_quotation() or self._is_limited() or doubt_spans(self.sentence.text):
            return None
        deciding = [hunk for hunk in self.hunks if self._verdict(hunk) != "agrees"]
        if not deciding:
            whole = Span(self._claimed(self._same[0].claimed).start, self._claim_words[-1].end)
            start, end = self._same[0].stated[0], self._same[-1].stated[-1]
            stated = Span(self._sentence_words[start].start, self._sentence_words[end].end)
            return Difference("agrees", self.sentence, whole, stated)
        verdicts = [self._verdict(hunk) for hunk in deciding]
        verdict: Verdict = "unknown"
        if "unknown" not in verdicts and len(deciding) == 1:
            verdict = "disagrees"
        hunk = self._grown(deciding[0])
        return Difference(verdict, self.sentence, self._claimed(hunk.claimed), self._stated(hunk.stated))

    def _is_quotation(self) -> bool:
        """Has the sentence all words of the claim but words of grammar and words such as "not" and "may"?"""
        shared = [self._claim_words[number] for hunk in self._same for number in hunk.claimed]
        opposed = [word for hunk in self.hunks for word in self._opposed(hunk)]
        if sum(bool(word.stem) for word in shared) + len(opposed) // 2 < LEAST_SHARED:
            return False
        return all(self._is_light(hunk) for hunk in self.hunks)

    def _is_limited(self) -> bool:
        """Has the sentence more words in the same clause, which may limit what it says?"""
        clauses = {self.sentence.clause(self._sentence_words[hunk.stated[0]].start) for hunk in self._same}
        outside = [self._sentence_words[number] for hunk in self._outside for number in hunk.stated]
        return any(
            (word.stem not in self._title if word.stem else folded_text(word.text) in _LIMITING)
            for word in outside
            if self.sentence.clause(word.start) in clauses
        )

    def _may_lack(self, word: Token) -> bool:
        """May the sentence lack the word: does the title have it, or is it a word of grammar?"""
        return word.stem in self._title if word.stem else _is_grammar(word)

    def _is_light(self, hunk: _Hunk) -> bool:
        """Are all words of the difference words of grammar, opposites, or words such as "not" and "may"?"""
        claimed, stated = self._words(hunk)
        opposed = self._opposed(hunk)
        return all(
            _is_grammar(word)
            or word in opposed
            or any(place.start <= word.start < place.end for place in telling)
            for words, telling in ((claimed, _telling(self.claim)), (stated, _telling(self.sentence)))
            for word in words
        )

    def _opposed(self, hunk: _Hunk) -> list[Token]:
        """Returns the words of both sides that exclude each other, in pairs."""
        claimed, stated = self._words(hunk)
        pairs = ((word, other) for word in claimed for other in stated if self._excludes(word, other))
        return [word for pair in pairs for word in pair]

    def _excludes(self, word: Token, other: Token) -> bool:
        """Are the two words opposites, or different words of a class such as the ranks?"""
        if are_opposites(word.text, other.text):
            return True
        ours, theirs = (
            [term for term in terms if term.start <= token.start < term.end]
            for terms, token in ((self._claim_terms, word), (self._terms, other))
        )
        return bool(ours and theirs) and same_term(ours[0], theirs[0]) is False

    def _verdict(self, hunk: _Hunk) -> Verdict:
        """Decides by the words of a difference whether claim and sentence say the same.

        `agrees`, `disagrees`, or `unknown` if the words do not tell.
        """
        claimed, stated = self._words(hunk)
        ours, theirs = _groups(self.claim, claimed), _groups(self.sentence, stated)
        if "modality" in ours.keys() & theirs.keys() and self._is_negated_behind(hunk):
            return "unknown"  # "may not" and "must not" both forbid
        opposed = self._opposed(hunk)
        negators = [
            is_negator
            for part, words in ((self.claim, claimed), (self.sentence, stated))
            for is_negator in _negators(part, [word for word in words if word not in opposed])
        ]
        turns = bool(sum(negators) % 2)
        if turns != bool(opposed):
            return "disagrees"
        differing = [label for label in ours.keys() & theirs.keys() if ours[label].isdisjoint(theirs[label])]
        if differing == ["quantifier"] and {*ours["quantifier"], *theirs["quantifier"]} == {MANY, MOST}:
            return "unknown"  # what most do, many do
        if differing:
            return "disagrees"
        return "agrees" if ours == theirs or turns else "unknown"

    def _is_negated_behind(self, hunk: _Hunk) -> bool:
        """Does a negator follow the hunk on both sides?"""
        behind = (
            (self.claim, self._claim_words[hunk.claimed.stop :][:1]),
            (self.sentence, self._sentence_words[hunk.stated.stop :][:1]),
        )
        return all(any(_negators(part, words)) for part, words in behind)

    def _words(self, hunk: _Hunk) -> tuple[list[Token], list[Token]]:
        claimed = [self._claim_words[number] for number in hunk.claimed]
        return claimed, [self._sentence_words[number] for number in hunk.stated]

    def _grown(self, hunk: _Hunk) -> _Hunk:
        """Adds the word beside the hunk, until both sides have words and the claim has its words only once.

        A word beside it that is inflected otherwise, as in "starts" and "does not start", always joins it.
        """
        claimed, stated = hunk
        if claimed.stop < self._same[-1].claimed.stop and self._is_verb_behind(hunk):
            claimed, stated = range(claimed.start, claimed.stop + 1), range(stated.start, stated.stop + 1)
        while claimed.start and stated.start and not (claimed and stated and self._is_unique(claimed)):
            claimed, stated = range(claimed.start - 1, claimed.stop), range(stated.start - 1, stated.stop)
        return _Hunk(claimed, stated)

    def _is_verb_behind(self, hunk: _Hunk) -> bool:
        """Does a word follow that is inflected otherwise, or of which one side has only the negator?"""
        word, other = self._claim_words[hunk.claimed.stop], self._sentence_words[hunk.stated.stop]
        if folded_text(word.text) != folded_text(other.text):
            return True
        if hunk.claimed.start == 0:
            return not (hunk.claimed and hunk.stated)
        before = self._claim_words[hunk.claimed.start - 1]
        return not (hunk.claimed and hunk.stated) and bool(before.stem) and bool(word.stem)

    def _is_unique(self, claimed: range) -> bool:
        words = self._claimed(claimed).of(self.claim.text).casefold()
        return self.claim.text.casefold().count(words) == 1

    def _claimed(self, words: range) -> Span:
        return Span(self._claim_words[words[0]].start, self._claim_words[words[-1]].end)

    def _stated(self, words: range) -> Span:
        return Span(self._sentence_words[words[0]].start, self._sentence_words[words[-1]].end)


def _is_grammar(word: Token) -> bool:
    return folded_text(word.text) in _GRAMMAR


def _telling(part: ParsedSentence) -> list[Span]:
    return [*negator_spans(part), *(word.place for word in grouped_words(part.text))]


def _negators(part: ParsedSentence, words: Sequence[Token]) -> list[bool]:
    """Says for each word whether it denies something."""
    places = [*negator_spans(part)]
    return [any(place.start <= word.start < place.end for place in places) for word in words]


def _groups(part: ParsedSentence, words: Sequence[Token]) -> dict[str, set[int]]:
    """Returns the groups of the `words` such as "all", "only" and "may", by their class."""
    groups: defaultdict[str, set[int]] = defaultdict(set)
    for place, label, group in grouped_words(part.text):
        if any(place.start <= word.start < place.end for word in words):
            groups[label].add(group)
    return dict(groups)
