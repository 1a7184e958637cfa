"""Makes cases to fit decisions on: values and sentences of claims with known errors, beside passages."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from rarr.backends.encoder.calibration_features import WeighedValue, ruled_values, weighed_values
from rarr.backends.encoder.model import AttributionScores, Encoder
from rarr.backends.encoder.pointed_values import claim_attribution
from rarr.backends.rules.editing import change_of
from rarr.backends.rules.standalone_claims import claims
from rarr.records import Check, Query
from rarr.tools.text.blocks_and_sentences import Span
from rarr.training.examples import Place


class KnownClaim(NamedTuple):
    """A text beside a passage, with the places of its errors, and the text without errors.

    `unsaid`: the passage says nothing about it. Claims of one `group` are alike: no fit learns from some of
    them and is measured on others.
    """

    group: str
    text: str
    title: str
    passage: str
    corrected: str
    wrong: Sequence[Place] = ()
    unsaid: bool = False

    def is_wrong(self, place: Span) -> bool:
        """True if an error overlaps this place of the text."""
        return any(start < place.end and place.start < end for start, end in self.wrong)


class ValueCase(NamedTuple):
    """A value of a claim (a number, date, name or term) beside a passage. `wrong`: it overlaps an error.

    `agrees`: the passage states the value; None if that is unknown. `right`: an edit to the value of the
    passage makes the text exactly right.
    """

    features: Mapping[str, float]
    wrong: bool
    agrees: bool | None
    right: bool


class SentenceCase(NamedTuple):
    """A sentence of a claim beside a passage, with the encoder's scores and the cases of its values."""

    group: str
    judged: AttributionScores
    weighed: list[WeighedValue]
    values: list[ValueCase]
    wrong: bool


def sentence_cases(encoder: Encoder, known: KnownClaim) -> Iterator[SentenceCase]:
    """Yields a case per sentence of the text, without sentences too long for the encoder."""
    for claim in claims(known.text, None):
        beside = known.title, known.passage
        judged = claim_attribution(encoder, claim, *beside)
        if judged is not None:
            ruled = ruled_values(known.text, claim, *beside)
            weighed = weighed_values(encoder, claim, *beside, judged, ruled)
            values = [_value_case(known, value) for value in weighed]
            yield SentenceCase(known.group, judged, weighed, values, known.is_wrong(claim.span))


def _value_case(known: KnownClaim, value: WeighedValue) -> ValueCase:
    place = value.ruled.place
    wrong = known.is_wrong(place)
    said_too = known.unsaid and not value.features["unsaid"]
    return ValueCase(
        features=value.features,
        wrong=wrong,
        agrees=None if said_too else not known.unsaid and not wrong,
        right=wrong and _edited(known.text, place, value.other.text) == known.corrected,
    )


def _edited(text: str, place: Span, answer: str) -> str:
    query = Query(id="q", text="", start=place.start, end=place.end)
    check = Check(
        query_id="q", evidence_id="e", verdict="disagrees", text_answer=place.of(text), evidence_answer=answer
    )
    change = change_of(text, query, check) if answer else None
    return text if change is None else text[: change.start] + change.new + text[change.end :]
