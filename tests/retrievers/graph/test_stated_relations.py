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
        ("Ida won the Blue Prize in 1901.", "date of birth", "1901-05-02", False),
        ("Ida moved to Tolk in 1950.", "date of death", "1950", False),
        ("Ida Lunde (1901–1950) won the Blue Prize.", "date of birth", "1901-05-02", True),
        ("The dam burst in 1936.", "completed", "1936", False),
        ("The dam dates from 1936.", "completed", "1936", True),
        ("The film was released in 1999.", "publication date", "1999", True),
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
