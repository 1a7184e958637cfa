"""The questions that people answer about an item, with their answers and the keys that give them."""

from collections.abc import Mapping
from typing import NamedTuple

from rarr.evals.metrics import ATTRIBUTION_CLASSES, Distance


class RatingQuestion(NamedTuple):
    """One question for raters. `answers` maps each value in an export to its words, in the scale's order.

    `keys` has a key of the keyboard for each answer. No two questions share a key, so that a key means the
    same wherever it is pressed.
    """

    name: str
    text: str
    answers: Mapping[str, str]
    keys: str
    distance: Distance = "nominal"


UNDERSTANDABLE = RatingQuestion(
    "understandable",
    "Can you understand what the text says?",
    {"yes": "Yes, it can be understood", "no": "No, it cannot be understood"},
    "yn",
)
"""Step one of AIS (Rashkin et al. 2023). A text that a rater cannot understand gets no attribution."""

ATTRIBUTION = RatingQuestion(
    "attribution",
    "Does the evidence support all that the text says?",
    dict(
        zip(
            ATTRIBUTION_CLASSES,
            (
                "Yes, all of it",
                "Not all: something is not in the evidence",
                "No: the evidence says otherwise",
            ),
            strict=True,
        )
    ),
    "123",
)
"""Step two of AIS. "Not attributable" has two answers, so that labels have the classes of AttrScore."""

INTENT = RatingQuestion(
    "intent",
    "Does the revision have the intent of the original?",
    {
        "similar": "Similar intent",
        "somewhat_similar": "Somewhat similar intent",
        "different": "Different intent",
    },
    "smd",
    "ordinal",
)
"""The levels of intent of RARR (Gao et al. 2023). Details that were corrected do not matter."""

QUESTIONS = (UNDERSTANDABLE, ATTRIBUTION, INTENT)
