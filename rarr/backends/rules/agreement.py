"""Rule-based agreement: compares the claim's value with the value that the evidence has in its place.

The rules abstain rather than contradict wrongly. `disagrees` needs another value in the same context that
fits clearly better than any value that agrees. `agrees` needs the same value in a similar context.
"""

from rarr.backends.rules.counterparts import (
    Candidate,
    Counterparts,
    ParsedPassage,
    counterparts,
    parsed_passage,
)
from rarr.backends.rules.dates import Date, is_as_exact
from rarr.backends.rules.exchanged_values import changed_places
from rarr.backends.rules.name_matching import same_name
from rarr.backends.rules.namesakes import may_be_of_a_namesake
from rarr.backends.rules.parsed_sentence import ParsedSentence
from rarr.backends.rules.proper_names import ProperName
from rarr.backends.rules.questions import askable_values
from rarr.backends.rules.standalone_claims import Claim, claims
from rarr.backends.rules.subjects import is_about_something_else, is_about_subject
from rarr.backends.rules.value_contradiction import is_contradiction
from rarr.backends.rules.values import Value, same_value, value_extent
from rarr.backends.rules.whole_sentence_agreement import (
    asks_about_whole,
    is_about_statement,
    stated_claim,
    statement_agreement,
)
from rarr.records import Agreement, Evidence, Query
from rarr.tools.concurrency.worker_threads import work

# The share of right verdicts over 67,000 values of hand-written claims (python -m benchmarks.confidence).
SAME_VALUE, IN_TITLE, OTHER_VALUE, ELSEWHERE, NO_VALUE = 0.94, 0.79, 0.91, 0.52, 0.41
AGREES_COVERAGE = 0.3  # the least share of the context around the same value for the verdict `agrees`


class ValueAgreement:
    """An agreement checker by rules: compares numbers with units, dates, names and exclusive words."""

    async def check(self, text: str, context: str | None, query: Query, evidence: Evidence) -> Agreement:
        """Compares the value that `query` asks for with `evidence`; `unknown` if the query asks for no value.

        Returns `agrees` or `disagrees` for the same or another value in the same context, and `irrelevant`
        if the evidence is about something else or has no value of the kind.
        """
        return await work(query_agreement, text, context, query, evidence)


def agreement_unless_namesake(
    agreement: Agreement, text: str, context: str | None, evidence: Evidence
) -> Agreement:
    """Returns `agreement`, but `unknown` instead of `disagrees` if the page may be about a namesake."""
    passage = parsed_passage(evidence.text, evidence.title)
    if agreement.verdict != "disagrees" or not may_be_of_a_namesake(
        text, context, agreement.text_answer, passage
    ):
        return agreement
    reason = f"the evidence is about {evidence.title}, and the text does not say that it speaks of that one"
    return agreement.model_copy(update={"verdict": "unknown", "reason": reason, "confidence": None})


def query_agreement(text: str, context: str | None, query: Query, evidence: Evidence) -> Agreement:
    """Compares the value or the whole sentence that `query` asks about with the evidence.

    `unknown` if it asks about neither.
    """
    read_once = parsed_passage(evidence.text, evidence.title)
    queried = queried_value(text, context, query)
    if queried is None and (stated := stated_claim(text, context, query)) is not None:
        return agreement_unless_namesake(statement_agreement(stated, read_once), text, context, evidence)
    if queried is None:
        return Agreement(verdict="unknown", reason="the query asks for no single value of the text")
    claim, value = queried
    compared = value_agreement(
        claim, value, counterparts(claim.sentence, value, read_once, claim.about), read_once
    )
    return agreement_unless_namesake(compared, text, context, evidence)


def asked_statement(text: str, context: str | None, query: Query) -> Claim | None:
    """Returns the claim that `query` asks about as a whole; None if it asks for a value, or for neither."""
    stated = stated_claim(text, context, query)
    return None if stated is None or queried_value(text, context, query) else stated


def value_agreement(claim: Claim, value: Value, reading: Counterparts, evidence: ParsedPassage) -> Agreement:
    """Decides whether `evidence` agrees with a value of `claim`.

    `reading` are the values of the evidence in its place. `irrelevant`: the evidence is about something else
    or has no such value. `unknown`: no value clearly agrees or disagrees.
    """
    claimed_text = claim.sentence.text[value.start : value.end]
    if is_about_something_else(claim, value, evidence):
        return Agreement(
            verdict="irrelevant",
            text_answer=claimed_text,
            reason="the evidence is about something else",
            confidence=ELSEWHERE,
        )
    if (changed := places_agreement(claim, value, reading, evidence)) is not None:
        return changed
    if is_contradiction(claim, value, reading, evidence) and reading.other is not None:
        answer = value_with_unit(reading.other.sentence, reading.other.value)
        claimed = value_with_unit(claim.sentence, value)
        return Agreement(
            verdict="disagrees", text_answer=claimed_text, evidence_answer=answer,
            reason=f"the evidence has {answer!r} where the text has {claimed!r}", confidence=OTHER_VALUE,
        )  # fmt: skip
    own = reading.own
    if own is not None and own.coverage >= AGREES_COVERAGE and is_confirmation(claim, value, own, evidence):
        answer = own.sentence.text[own.value.start : own.value.end]
        return Agreement(
            verdict="agrees",
            text_answer=claimed_text,
            evidence_answer=answer,
            reason="the same value",
            confidence=SAME_VALUE,
        )
    # A title names its subject; "12 facts about the bridge" says nothing of its arches.
    if titled := next((other for other in evidence.title_names if same_value(value, other)), None):
        return Agreement(
            verdict="agrees",
            text_answer=claimed_text,
            evidence_answer=evidence.title[titled.start : titled.end],
            reason="the evidence's title",
            confidence=IN_TITLE,
        )
    if reading.own is None and reading.other is None:
        return Agreement(
            verdict="irrelevant",
            text_answer=claimed_text,
            reason="the evidence has no such value",
            confidence=NO_VALUE,
        )
    return Agreement(
        verdict="unknown", text_answer=claimed_text, reason="no value stands clearly in the same place"
    )


def places_agreement(
    claim: Claim, value: Value, reading: Counterparts, evidence: ParsedPassage
) -> Agreement | None:
    """Returns `disagrees` if the evidence has the value and another value of the claim in exchanged places.

    None if it has not.
    """
    own = reading.own
    other = changed_places(claim.sentence, value, evidence.sentences) if own is not None else None
    if own is None or other is None or not is_about_subject(claim, value, own, evidence):
        return None
    answer, claimed = (value_with_unit(claim.sentence, each) for each in (other, value))
    return Agreement(
        verdict="disagrees",
        text_answer=claim.sentence.text[value.start : value.end],
        evidence_answer=claim.sentence.text[other.start : other.end],
        reason=f"the evidence has {answer!r} where the text has {claimed!r}, and the other way round",
    )


def queried_value(text: str, context: str | None, query: Query) -> tuple[Claim, Value] | None:
    """Finds the claim and the value that a query asks for; None if there is no single such value.

    It is the only value at the query's place, or else the only value of the claim that the words of the
    query leave out. A question about a whole sentence asks for no single value; one for yes or no asks for
    none that it names itself.
    """
    for claim in claims(text, context) if not is_about_statement(query) else ():
        if not (claim.span.start < query.end and query.start < claim.span.end):
            continue
        values_here = askable_values(text, claim)
        exact = [
            value for value, place in values_here if (place.start, place.end) == (query.start, query.end)
        ]
        within = [v for v, place in values_here if query.start <= place.start and place.end <= query.end]
        if asks_about_whole(query, claim):
            within = []
        if len(exact or within) == 1:
            return claim, (exact or within)[0]
        asked = query.text.casefold()
        unsaid = [v for v, place in values_here if place.of(text).casefold() not in asked]
        if len(unsaid) == 1:
            return claim, unsaid[0]
    return None


def is_confirmation(claim: Claim, value: Value, own: Candidate, evidence: ParsedPassage) -> bool:
    """Does the evidence give the same value, as exactly, to the same subject at the same time?"""
    match own.value.read, value.read:
        case Date() as evidence_date, Date() as claim_date if not is_as_exact(evidence_date, claim_date):
            return False
        case ProperName() as stated, ProperName() as claimed if not same_name(
            claimed.text, stated.text, surely=True
        ):
            return False
    times = [v for v in claim.sentence.values if v is not value and v.kind == "date"]
    return is_about_subject(claim, value, own, evidence) and all(evidence.holds(time) for time in times)


def value_with_unit(part: ParsedSentence, value: Value) -> str:
    """Returns the words of a value with its unit, percent sign or currency word, so that they parse alone."""
    return value_extent(value).of(part.text)
