"""Names in a list belong to those beside them."""

import pytest

from rarr.backends.rules.counterparts import parsed_passage
from rarr.backends.rules.parsed_sentence import parsed_sentence
from rarr.ledger.differently_paired_names import unpaired_name

SIGNED = "It was signed by Ada Reed for Norby Mills and by Tom Lund for Sund Foods."
PLAYED = "Elm beat Hay in Oslen, and Tarn beat Orm in Velden."


@pytest.mark.parametrize(
    ("claim", "passage", "name"),
    [
        ("It was signed by Ada Reed for Sund Foods.", SIGNED, "Sund Foods"),
        ("Tom Lund signed it for Norby Mills.", SIGNED, "Norby Mills"),
        ("Tarn beat Hay.", PLAYED, "Hay"),
        ("It was signed by Ada Reed for Norby Mills.", SIGNED, None),
        ("Tom Lund signed it for Sund Foods.", SIGNED, None),
        ("Elm beat Hay.", PLAYED, None),
        ("Ada Reed and Tom Lund met.", "Ada Reed and Tom Lund met in Oslen.", None),
        ("The Orm rises in Hay Forest, and flows to Tarn in Velden.",
         "The Orm rises in Hay Forest, and flows to Tarn in Velden.", None),
    ],
)  # fmt: skip
def test_name_that_a_passage_pairs_otherwise(claim: str, passage: str, name: str | None) -> None:
    place = unpaired_name(parsed_sentence(claim), [parsed_passage(passage, "")])
    assert (place and place.of(claim)) == name
