"""Finds a short answer that its passages give to another question than the one that was asked.

"150 mg" is no answer to "What is the starting dose?" where the passage says "the maximum dose is 150 mg".
"40 euros" is none to "What is the fee for residents?" where it says "25 for residents and 40 for visitors".
"""

from collections.abc import Sequence

from rarr.backends.rules.counterparts import ParsedPassage
from rarr.backends.rules.exchanged_values import exchange_reason
from rarr.backends.rules.parsed_sentence import ParsedSentence, parsed_sentence
from rarr.backends.rules.values import same_value, value_extent
from rarr.ledger.passages_about_something_else import narrowed_words
from rarr.tools.text.blocks_and_sentences import Span, split_sentences

_OWN_WORDS = 1
"""An answer with more words than this beside its values says itself what its values are about."""
_NARROWS_NOTHING = {"usual", "normal", "typical", "exact", "approximate", "current", "total", "average"}


def value_of_another_question(
    answer: ParsedSentence, context: str | None, passages: Sequence[ParsedPassage]
) -> Span | None:
    """Returns the first number or date of a short answer that is told about something else.

    The answer is to the question at the end of `context`. Each sentence of the passages with the value has a
    word of the question, narrowed by another word than there, or it has the words of the question beside
    another value. None if the answer is a sentence of its own, or the context does not end with a question.
    """
    asked = [span.of(context or "") for span in split_sentences(context or "")[-1:]]
    values = [value for value in answer.values if value.kind in ("number", "date")]
    places = [value_extent(value) for value in answer.values]
    own = [word for word in answer.content if not any(span.start <= word.start < span.end for span in places)]
    if not asked or not asked[0].rstrip().endswith("?") or len(own) > _OWN_WORDS:
        return None
    question = parsed_sentence(asked[0])
    statement = parsed_sentence(f"{asked[0].rstrip('? ')} {answer.text}")
    moved = len(statement.text) - len(answer.text)
    for value in values:
        told = [
            _narrows_otherwise(question, part, passage)
            or bool(exchange_reason(statement, stated, part, same))
            for stated in statement.values
            if stated.start == value.start + moved
            for passage in passages
            for part in passage.sentences
            for same in part.values
            if same_value(value, same)
        ]
        if told and all(told):
            return value_extent(value)
    return None


def _narrows_otherwise(question: ParsedSentence, part: ParsedSentence, passage: ParsedPassage) -> bool:
    stems = {word.stem for word in part.content}
    told_narrowly = {narrowed.stem for _, narrowed in narrowed_words(part)}
    return any(
        narrowed.stem in told_narrowly
        and word.stem not in stems | passage.title_stems
        and word.text.lower() not in _NARROWS_NOTHING
        for word, narrowed in narrowed_words(question)
    )
