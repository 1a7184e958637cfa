"""Finds out whether a passage says a sentence of the text about the text's own name, and not another name.

A query for a name leaves the name out. Among many similar records, such as the pages of towns, it finds the
record of another name, which contradicts nothing.
"""

from collections.abc import Sequence

from rarr.backends.rules.agreement import queried_value
from rarr.backends.rules.counterparts import ParsedPassage, parsed_passage
from rarr.backends.rules.name_matching import key_words
from rarr.backends.rules.proper_names import ProperName
from rarr.backends.rules.standalone_claims import Claim
from rarr.backends.rules.subjects import has_name, subject_of
from rarr.backends.rules.values import Value
from rarr.records import Check, Evidence, Query

_SAME_WORDS = 0.8
"""The share of the claim's plain words that a sentence about the name must have."""
_REASON = "another passage says the sentence of {!r}"


def without_other_records(
    text: str, context: str | None, query: Query, checks: Sequence[Check], evidence: Sequence[Evidence]
) -> list[Check]:
    """Returns the checks of `query`; turns `disagrees` into `unknown` for passages about another name.

    This happens if the query asks for a name, and some passage of `evidence`, which is that of all queries,
    has the name and nearly all other words of the sentence. Then passages without the name may not disagree.
    """
    asked = queried_value(text, context, query) if any(c.verdict == "disagrees" for c in checks) else None
    if asked is None or not isinstance(asked[1].read, ProperName) or not _has_own_passage(*asked, evidence):
        return list(checks)
    name = asked[1].read.text
    of_others = {passage.id for passage in evidence if not has_name(_parsed(passage), name)}
    update = {"verdict": "unknown", "reason": _REASON.format(name), "confidence": None}
    return [
        check.model_copy(update=update)
        if check.verdict == "disagrees" and check.evidence_id in of_others
        else check
        for check in checks
    ]


def _parsed(passage: Evidence) -> ParsedPassage:
    return parsed_passage(passage.text, passage.title)


def _has_own_passage(claim: Claim, value: Value, evidence: Sequence[Evidence]) -> bool:
    """Does a sentence of a passage have the name, and nearly all words of the claim that are in no value?

    Where the claim has another subject, the sentence must name it too: the ship of one explorer is not that
    of another.
    """
    name = claim.sentence.text[value.start : value.end]
    names = {*key_words(name), *key_words(subject_of(claim, value) or "")}
    plain = {
        word.stem
        for word in claim.sentence.content
        if word.start >= claim.put_in
        and not any(other.start <= word.start < other.end for other in claim.sentence.values)
    }
    return bool(plain) and any(_says(_parsed(passage), names, plain) for passage in evidence)


def _says(passage: ParsedPassage, names: set[str], plain: set[str]) -> bool:
    return any(
        names <= {*key_words(part.text)} and len(plain & stems) >= _SAME_WORDS * len(plain)
        for part, stems in zip(passage.sentences, passage.own_stems, strict=True)
    )
