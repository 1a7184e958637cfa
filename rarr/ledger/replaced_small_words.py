"""Finds small words of a claim that the passages lack or replace by another, such as "or" for "and".

These are stop words, which no other rule compares: "the consent of the region or the railway" has all other
words of "the consent of the region and the railway".
"""

import re
from collections.abc import Iterator, Sequence

from rarr.backends.rules.counterparts import ParsedPassage
from rarr.backends.rules.denied_claims import negator_spans
from rarr.backends.rules.name_matching import same_name
from rarr.backends.rules.parsed_sentence import ParsedSentence
from rarr.backends.rules.word_list_reader import word_groups
from rarr.backends.rules.words import Token
from rarr.ledger.nearest_clauses import Clause, clauses_of
from rarr.tools.text.blocks_and_sentences import Span

_JUNCTIONS = {"and": "and", "or": "or", "nor": "or"}
_BETWEEN = 3
"""The most words with meaning between a junction and the word that the claim has there."""
_TOLD = 0.65
"""The least share of the words of a claim's clause that a sentence must have to be compared."""
_BOUND = re.compile(
    r"more\s+than\b|(?:over|under|above|below|up\s+to|after|before)\s+(?:about\s+)?[\d$€£]", re.IGNORECASE
)
"""A bound of a number or date, which other rules compare."""
_OTHER_USE = re.compile(
    r"(?:\b(?:a|an|the|his|her|its|their)\s+(?:later|further|other))"
    r"|(?:(?<!\bgo)(?<!\bgoes)(?<!\bwent)(?<!\bcame)(?<!\bis)(?<!\bare)(?<!\bwas)(?<!\bwere)\s(?:up|down|out|off))"
    r"|(?:\bunder\s+[A-Z]\w*)",
)
"""Uses that say little: "a later novel", "make up", "under King Harold"."""
_GENDERS = {
    **dict.fromkeys(("he", "him", "his", "himself"), "male"),
    **dict.fromkeys(("she", "her", "hers", "herself"), "female"),
}
_POSSESSIVES = {"his", "her", "its", "their"}
_OWNED_BY = r"(?P<name>[A-Z][\w-]*(?:\s+[A-Z][\w-]*)*)['’]s?\s+(?:\w+\s+){{0,2}}?{word}"


def replaced_small_words(claim: ParsedSentence, passages: Sequence[ParsedPassage]) -> Iterator[Span]:
    """Yields the places of the small words of the claim that the passages lack or replace by another."""
    parts = [part for passage in passages for part in passage.sentences]
    for clause in clauses_of([claim]):
        yield from _unsaid(clause, parts)
    yield from _other_junctions(claim, parts)
    yield from _other_genders(claim, parts)
    yield from _other_owners(claim, parts)


def _unsaid(clause: Clause, parts: Sequence[ParsedSentence]) -> Iterator[Span]:
    """Yields each small word of the clause that no sentence with most of its words has."""
    stems = {word.stem for word in clause.content}
    told = [
        {word.text.lower() for word in part.words}
        for part in parts
        if len(stems & {word.stem for word in part.content}) >= _TOLD * len(stems)
    ]
    for word in clause.sentence.words:
        alike = word_groups("small_words").get(word.text.lower())
        inside = clause.place.start <= word.start < clause.place.end
        if (
            inside
            and alike
            and _is_compared(clause.sentence.text, word)
            and told
            and all(alike.isdisjoint(words) for words in told)
        ):
            yield Span(word.start, word.end)


def _is_compared(text: str, word: Token) -> bool:
    """Does the word say something of its own in its place, and no bound of a number?"""
    uses = (Span(*match.span()) for match in _OTHER_USE.finditer(text))
    return not _BOUND.match(text, word.start) and not any(use.start <= word.start < use.end for use in uses)


def _other_junctions(claim: ParsedSentence, parts: Sequence[ParsedSentence]) -> Iterator[Span]:
    """Yields each "and" or "or" between two words that the passages join by the other alone.

    "Not in May or June" and "not in May and not in June" say the same, so a pair of denials is left out.
    """
    for number, word in enumerate(claim.words):
        own = _JUNCTIONS.get(word.text.lower())
        before = [other.stem for other in claim.words[:number] if other.stem][-1:]
        behind = [other.stem for other in claim.words[number + 1 :] if other.stem][:1]
        if own is None or not before or not behind:
            continue
        joined = {
            (junction, any(negator_spans(part)))
            for part in parts
            for junction in _junctions(part, before[0], behind[0])
        }
        denied = any(negator_spans(claim))
        if joined and not any(junction == own or (denied and is_denied) for junction, is_denied in joined):
            yield Span(word.start, word.end)


def _junctions(part: ParsedSentence, before: str, behind: str) -> Iterator[str]:
    """Yields the junctions of a sentence that have one of the two stems before them and the other behind."""
    for number, word in enumerate(part.words):
        if junction := _JUNCTIONS.get(word.text.lower()):
            left = [other.stem for other in part.words[:number] if other.stem][-_BETWEEN:]
            right = [other.stem for other in part.words[number + 1 :] if other.stem][:_BETWEEN]
            if (before in left and behind in right) or (behind in left and before in right):
                yield junction


def _other_genders(claim: ParsedSentence, parts: Sequence[ParsedSentence]) -> Iterator[Span]:
    """Yields each pronoun such as "his" before a word that the passages have only behind "her"."""
    for pronoun, stem in _pronouns(claim):
        own = _GENDERS.get(pronoun.text.lower())
        others = {
            _GENDERS.get(other.text.lower()) for part in parts for other, at in _pronouns(part) if at == stem
        }
        if own and others - {None} and own not in others:
            yield Span(pronoun.start, pronoun.end)


def _pronouns(part: ParsedSentence) -> Iterator[tuple[Token, str]]:
    """Yields the pronouns with a gender or an owner, each with the stem of the next word with meaning."""
    for number, word in enumerate(part.words):
        if word.text.lower() in {*_GENDERS, *_POSSESSIVES}:
            stem = next((other.stem for other in part.words[number + 1 :] if other.stem), "")
            if stem:
                yield word, stem


def _other_owners(claim: ParsedSentence, parts: Sequence[ParsedSentence]) -> Iterator[Span]:
    """Yields each "his" or "its" whose noun belongs to a name that the claim does not have before it.

    "Lind left, and his brother came" beside "Lind left, and Orm's brother came". Without any name before it,
    the pronoun stands for something outside the claim.
    """
    for pronoun, stem in _pronouns(claim):
        named = [value for value in claim.values if value.kind == "name" and value.start < pronoun.start]
        if pronoun.text.lower() not in _POSSESSIVES or not named:
            continue
        said = {(other.text.lower(), at) for part in parts for other, at in _pronouns(part)}
        if (pronoun.text.lower(), stem) in said:
            continue
        owners = [owner for part in parts for owner in _owners(part, stem)]
        before = [claim.text[name.start : name.end] for name in named]
        if owners and not any(same_name(owner, name) for owner in owners for name in before):
            yield Span(pronoun.start, pronoun.end)


def _owners(part: ParsedSentence, stem: str) -> Iterator[str]:
    """Yields the names that have a word with this stem: "Orm" in "Orm's younger brother"."""
    for word in (word for word in part.content if word.stem == stem):
        pattern = _OWNED_BY.format(word=re.escape(word.text))
        for match in re.finditer(pattern, part.text[: word.end]):
            if match.end() == word.end:
                yield match["name"]
