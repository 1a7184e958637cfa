"""Which relation a statement may state, by its words."""

import pytest

from rarr.retrievers.graph.stated_relations import may_state


@pytest.mark.parametrize(
    ("statement", "relation", "value", "states"),
    [
        ("Ida was born in Aarle.", "place of birth", "Aarle", True),
        ("Ida came from Aarle.", "place of birth", "Aarle", True),
        ("Ida died in Aarle.", "place of birth", "Aarle", False),
        ("Ida was born on 2 May 1901.", "date of death", "1901-05-02", False),
        ("The dam is 221 metres long.", "height", "221 metres", False),
        ("Ida was the daughter of Ole.", "father", "Ole", True),
        ("Ida was a citizen of the Dutch Republic.", "native language", "Dutch", False),
        ("The geologist Ida was born in Aarle.", "occupation", "geologist", True),
        ("Ida was born in Aarle.", "work location", "Aarle", False),
        ("Ida, who was born in Aarle, received the Blue Prize.", "award received", "Blue Prize", True),
    ],
)
def test_statement_states_the_relation_of_its_words(
    statement: str, relation: str, value: str, *, states: bool
) -> None:
    assert may_state(statement, relation, value) is states
