"""Compares the statement that a language model chose in a source with the sentence of the text.

The model does not know which of the statements is the text's. Its choice counts only if the source has the
words that it quotes, and is titled for something of the text.
"""

import re

from rarr.backends.rules.agreement import agreement_unless_namesake, asked_statement, value_agreement
from rarr.backends.rules.answer_grounding import has_phrase
from rarr.backends.rules.answered_passages import passage_with
from rarr.backends.rules.blanked_sentences import words_before
from rarr.backends.rules.counterparts import counterparts, parsed_passage
from rarr.backends.rules.model_answer_comparison import is_titled_otherwise
from rarr.backends.rules.questions import askable_values
from rarr.backends.rules.standalone_claims import Claim
from rarr.backends.rules.values import checkable_values, same_value, value_extent
from rarr.backends.rules.words import word_tokens
from rarr.records import Agreement, Evidence, Query
from rarr.tools.text.blocks_and_sentences import sentences

SENTENCE_RIGHT = 0.75
"""The confidence in a chosen sentence: of the 4 that a model of 1.5 billion parameters chose 3 were right
(the tuned half of `benchmarks.answers`), and of the 131 of a large model 128 (the unseen half)."""
CONTRAST_RIGHT = 0.8
"""The confidence in an edit after a chosen contrast: of the 70 that the large model then chose too, 56 were
exactly right."""
_LEAST_WORDS = 3
_EMPHASIS = re.compile(r"[*_`]+")


def asked_sentence(text: str, context: str | None, query: Query) -> tuple[str, str] | None:
    """Returns the words before the sentence that a query asks about as a whole, and the sentence.

    None for another query, for a table cell, and for a label of one or two words.
    """
    claim, spans = asked_statement(text, context, query), sentences(text)
    if claim is None or claim.headers or claim.span not in spans:
        return None
    sentence = claim.span.of(text)
    if len(sentence.split()) < _LEAST_WORDS:
        return None
    return words_before(text, context, spans.index(claim.span)), sentence


def chosen_agreement(
    text: str,
    context: str | None,
    query: Query,
    block: Evidence,
    quote: str,
    replaced: tuple[str, str] | None,
) -> Agreement | None:
    """Returns the agreement by the statement that a model chose in a block of a source.

    `quote` are the words of the block that decide: the answer of the evidence. `replaced` are the words of
    the sentence that the statement replaces, which are the answer of the text, and those in their place; None
    if the model chose the sentence itself: then the answer of the text is the whole sentence. None if the
    block does not have the quote, if the quote or the title names nothing of the sentence, or if the rules
    read another value in the block than the chosen sentence has: a passage may talk a model into a choice.
    """
    claim = asked_statement(text, context, query)
    passage = passage_with(block, query, lambda words: has_phrase(_plain(words), _plain(quote)))
    if claim is None or passage is None or not _tells_something(quote, claim, block):
        return None
    if is_titled_otherwise(text, context, passage):
        return None
    if replaced is None:
        if _is_quoted_otherwise(claim, quote):
            return None
        if _has_another_value(text, claim, block) or _has_another_value(text, claim, passage):
            return None
        chosen = Agreement(
            verdict="agrees",
            text_answer=claim.span.of(text),
            reason="chosen among statements that contrast with it",
            confidence=SENTENCE_RIGHT,
        )
    else:
        chosen = Agreement(
            verdict="disagrees",
            text_answer=replaced[0],
            reason=f"the statement with {replaced[1]!r} was chosen",
            confidence=CONTRAST_RIGHT,
        )
    agreement = chosen.model_copy(update={"evidence_answer": quote, "chosen": True, "read_in": passage})
    return agreement_unless_namesake(agreement, text, context, passage)


def _tells_something(quote: str, claim: Claim, block: Evidence) -> bool:
    """Has the quote two words or more, and one with meaning beside the title and the names of the claim?

    A name alone tells nothing of its bearer.
    """
    sentence = claim.sentence
    names = (value_extent(value).of(sentence.text) for value in sentence.values if value.kind == "name")
    named = {word.stem for words in (block.title, claim.about, *names) for word in word_tokens(words)}
    words = word_tokens(quote)
    return len(words) > 1 and any(word.stem and word.stem not in named for word in words)


def _plain(text: str) -> str:
    """Leaves out the marks of emphasis, which models seldom copy."""
    return _EMPHASIS.sub("", text)


def _is_quoted_otherwise(claim: Claim, quote: str) -> bool:
    """Has the quote a number, date or exclusive word in place of the claim's, as Monday for Friday?"""
    quoted = checkable_values(quote)
    for value in (value for value in claim.sentence.values if value.kind != "name"):
        compared = {same_value(value, other) for other in quoted}
        if False in compared and True not in compared:
            return True
    return False


def _has_another_value(text: str, claim: Claim, passage: Evidence) -> bool:
    """Do the rules read another value than the claim's in the passage, for any of its values?"""
    read = parsed_passage(passage.text, passage.title)
    return any(
        value_agreement(claim, value, counterparts(claim.sentence, value, read, claim.about), read).verdict
        == "disagrees"
        for value, _ in askable_values(text, claim)
    )
