"""Asks whether a sentence is true, and compares it with a sentence of a passage that nearly quotes it.

Questions about values do not ask about words such as "not", "may", "all" and "safe". So each sentence is
asked about as a whole too. Where a passage has all its other words in the same order, these words alone make
the difference, and decide whether the passage agrees.
"""

from rarr.backends.rules.claim_sentence_alignment import Alignment, Difference
from rarr.backends.rules.counterparts import ParsedPassage
from rarr.backends.rules.name_matching import key_words
from rarr.backends.rules.question_wording import is_yes_or_no
from rarr.backends.rules.standalone_claims import Claim, claims
from rarr.records import Agreement, Query
from rarr.tools.text.blocks_and_sentences import Span

OPENING = "Is it true that "
"""How each question about a whole sentence begins."""
STATED = 0.95
"""The confidence in the verdict: all 88 edits that it led to were right, in 100 sentences of web pages with
one telling word turned (`benchmarks.real_text`, seeds 3 and 4)."""


def is_about_statement(query: Query) -> bool:
    """Does the query ask about a whole sentence ("Is it true that ...")?"""
    return query.text.startswith(OPENING)


def stated_claim(text: str, context: str | None, query: Query) -> Claim | None:
    """Returns the claim that a question about a whole sentence asks about; None for another question.

    "Did Elm bank keep coins?" asks about it too, if its place is the whole sentence.
    """
    asked = Span(query.start, query.end)
    for claim in claims(text, context):
        if claim.span.overlaps(asked):
            return claim if is_about_statement(query) or asks_about_whole(query, claim) else None
    return None


def asks_about_whole(query: Query, claim: Claim) -> bool:
    """Is it a question for yes or no whose place is the whole sentence?"""
    whole = query.start <= claim.span.start and claim.span.end <= query.end
    return whole and is_yes_or_no(query.text)


def statement_agreement(claim: Claim, evidence: ParsedPassage) -> Agreement:
    """Decides whether the passage states the claim, by the words in which a near quotation differs from it.

    Such words are "not", "all" or "only". `irrelevant` if no sentence nearly quotes the claim. The answers
    are the words that decide.
    """
    difference = statement_difference(claim, evidence)
    if difference is None:
        return Agreement(verdict="irrelevant", reason="the evidence has no sentence in nearly these words")
    claimed = difference.claimed.of(claim.sentence.text)
    stated = difference.stated.of(difference.sentence.text)
    agrees = difference.verdict == "agrees"
    differs = f"the evidence has {stated!r} where the text has {claimed!r}"
    return Agreement(
        verdict=difference.verdict,
        text_answer=claimed,
        evidence_answer=stated,
        reason="nearly the same sentence" if agrees else differs,
        confidence=None if difference.verdict == "unknown" else STATED,
    )


def statement_difference(claim: Claim, evidence: ParsedPassage) -> Difference | None:
    """Finds the sentence of the passage that nearly quotes the claim, and the words that decide.

    Of several sentences, one that agrees comes first. None if no sentence nearly quotes the claim, or if the
    passage does not name the subject of the claim.
    """
    if claim.about and not {*key_words(claim.about)} <= evidence.key_words | {*key_words(evidence.title)}:
        return None
    found = [
        difference
        for sentence in evidence.sentences
        if (difference := Alignment(claim.sentence, sentence, evidence.title_stems).difference())
    ]
    order = ("agrees", "disagrees", "unknown")
    return min(found, key=lambda difference: order.index(difference.verdict), default=None)
