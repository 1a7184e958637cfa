"""Who acts, where the evidence is in the passive."""

import pytest

from rarr.backends.rules.parsed_sentence import parsed_sentence
from rarr.backends.rules.passive_voice import verb_with_other_agent


@pytest.mark.parametrize(
    ("claim", "evidence", "verb"),
    [
        (
            "Elm Ltd rejected Hay Ltd.",
            "The offer of Elm Ltd to Hay Ltd was rejected by the board.",
            "rejected",
        ),
        (
            "The mayor opened the bridge.",
            "The bridge of the mayor was formally opened by the queen.",
            "opened",
        ),
        ("The board rejected it.", "It was rejected by the board.", None),
        ("In May the board rejected it.", "It was rejected by a narrow majority of the board.", None),
        ("The mayor was rejected by Elm.", "The mayor was rejected by Hay.", None),  # no active verb
        ("Rejected it.", "It was rejected by the board.", None),  # no agent
        ("The valve opens at 7 bar.", "The station was opened by the mayor.", None),  # another thing
        ("Hay Ltd sold the mill to Elm Ltd.", "The mill was sold to Hay Ltd in May.", "sold"),
        ("Elm Ltd sold the mill to Hay Ltd.", "The mill was sold to Hay Ltd in May.", None),
        ("Hay Ltd built the mill.", "The mill was later built for Hay Ltd.", "built"),
        ("Hay Ltd leased the mill.", "The mill was leased from Hay Ltd.", "leased"),
        ("The mayor praised it.", "It was rejected by the board.", None),  # another verb
    ],
)
def test_verb_whose_agent_is_another_one(claim: str, evidence: str, verb: str | None) -> None:
    place = verb_with_other_agent(parsed_sentence(claim), [parsed_sentence(evidence)])
    assert (place and place.of(claim)) == verb
