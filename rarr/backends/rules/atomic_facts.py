"""Splits sentences into atomic facts by rules: clauses that are joined by "and" or "but" stand alone.

A clause without a subject of its own gets the words before the first verb of its sentence. Verbs are told by
their form, so a fact can stay together; nothing is split where no verb follows.
"""

import re
from collections.abc import Iterator, Sequence

from rarr.tools.concurrency.worker_threads import work
from rarr.tools.text.blocks_and_sentences import Span, sentences

_AUXILIARY = (
    r"(?:is|are|was|were|has|had|have|does|did|do|will|would|can|could|may|might|must|should|became|began)"
)
_PAST = (
    r"(?:won|led|made|went|wrote|held|left|took|gave|built|grew|fell|ran|sold|sang|told|[a-z]{2,}[a-df-z]ed)"
)
_FIRST_VERB = re.compile(rf"\b(?:{_AUXILIARY}|{_PAST})\b")
# "burned in 1931" has a verb, "bored priests" has none.
_OBJECT = r"(?: (?:in|on|at|by|to|for|from|with|as|into|over|the|an?|it|his|her|its|their|[A-Z\d]))"
_ADVERB = r"(?:(?:also|then|later|not|never) )?"
_WITH_AUXILIARY = re.compile(rf"{_ADVERB}{_AUXILIARY}\b")
_IN_THE_PAST = re.compile(rf"{_ADVERB}{_PAST}\b(?={_OBJECT})")
_PARTICIPLES = re.compile(r"\b(?:is|are|was|were|be|been|being|has|had|have)\b")
_OWN_SUBJECT = re.compile(
    rf"(?:[A-Z]|(?:the|an?|it|he|she|they|its|his|her|their)\b)(?:\S+ ){{1,5}}?(?:{_AUXILIARY}|{_PAST})\b"
    rf"|(?:it|he|she|they) (?:{_AUXILIARY}|{_PAST})\b"
)
_AROUND = re.compile(r"\A[\s,;:]*(?:(?:and|but) )?|[\s,;:]+\Z")
_JOINT = re.compile(r"(?:;|, (?:and|but)| (?:and|but)) ")


class RuleSplitter:
    """Splits a text into facts: sentences, divided at a semicolon, "and" or "but" between statements."""

    async def split(self, text: str) -> Sequence[str]:
        """Returns the facts of `text` in its order, each as a sentence."""
        return await work(rule_facts, text)


def rule_facts(text: str) -> list[str]:
    """Splits `text` into facts; the words of each are those of the text, with a subject where one lacked."""
    spans = sentences(text) or (Span(0, len(text)),)
    return [fact for span in spans for fact in _clauses(span.of(text).strip())]


def clause_statement(clause: str, sentence: str) -> str | None:
    """Makes a statement of a clause of `sentence`, with its subject where the clause lacks one.

    None without a verb in the clause, or in the sentence.
    """
    verb, words = _FIRST_VERB.search(sentence), _AROUND.sub("", clause)
    if verb is None or not _FIRST_VERB.search(words):
        return None
    return _whole(words, " ".join(sentence[: verb.start()].rstrip(" ,").split()))


def _clauses(sentence: str) -> Iterator[str]:
    verb = _FIRST_VERB.search(sentence)
    if verb is None or not verb.start():
        yield sentence
        return
    subject, start = sentence[: verb.start()].rstrip(" ,"), 0
    for joint in _JOINT.finditer(sentence, verb.end()):
        rest = sentence[joint.end() :]
        # Without a pause, a name after "and" rather belongs to a list.
        own_subject = joint[0][0] != " " and _OWN_SUBJECT.match(rest)
        if own_subject or _lacks_subject(rest, sentence[start : joint.start()]):
            yield _whole(sentence[start : joint.start()], subject)
            start = joint.end()
    yield _whole(sentence[start:], subject)


def _lacks_subject(clause: str, before: str) -> bool:
    """Does the clause begin with a verb? After "was built", "painted in 1931" is a participle and no verb."""
    if _WITH_AUXILIARY.match(clause):
        return True
    return _IN_THE_PAST.match(clause) is not None and not _PARTICIPLES.search(before)


def _whole(clause: str, subject: str) -> str:
    named = f"{subject} {clause}" if _WITH_AUXILIARY.match(clause) or _IN_THE_PAST.match(clause) else clause
    named = named[:1].upper() + named[1:]
    return named if named[-1:] in ".!?" else f"{named}."
