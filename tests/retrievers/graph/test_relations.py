"""Triples as sentences, by the table of common relations and by the form of other names."""

import pytest

from rarr.retrievers.graph.relations import sentence_of
from rarr.retrievers.graph.triples import value_forms


@pytest.mark.parametrize(
    ("relation", "values", "sentence"),
    [
        ("place of birth", ["Aarle"], "Ida was born in Aarle."),
        ("birthPlace", ["Aarle"], "Ida was born in Aarle."),
        ("date_of_birth", ["1901-03-02"], "Ida was born on 2 March 1901."),
        ("date of birth", ["1901"], "Ida was born in 1901."),
        ("occupation", ["geologist", "engineer"], "Ida was a geologist and engineer."),
        ("instance of", ["otter"], "Ida is an otter."),
        ("notable work", ["A", "B", "C"], "A notable work of Ida is A, B and C."),
        ("participated in", ["the race"], "Ida participated in the race."),
        ("elected by", ["the crew"], "Ida was elected by the crew."),
        ("built by", ["Hans"], "Ida was built by Hans."),
        ("author of", ["Stones"], "Ida is an author of Stones."),
        ("owns", ["a mill"], "Ida owns a mill."),
        ("warranty period", ["2 years"], "The warranty period of Ida is 2 years."),
        ("http://example.org/ns#maxSpeed", ["9 knots"], "The max speed of Ida is 9 knots."),
    ],
)
def test_relation_becomes_a_sentence(relation: str, values: list[str], sentence: str) -> None:
    assert sentence_of("Ida", relation, values) == sentence


@pytest.mark.parametrize(
    ("value", "forms"),
    [
        ("1901-03-02", ("2 March 1901", "March 2, 1901", "1901-03-02", "1901")),
        ("+1901-03-02T00:00:00Z", ("2 March 1901", "March 2, 1901", "+1901-03-02T00:00:00Z", "1901")),
        ("1901-00-00", ("1901", "1901-00-00")),
        ("1901-13-02", ("1901-13-02",)),
        ("221 metres", ("221 metres",)),
    ],
)
def test_dates_have_the_forms_of_texts(value: str, forms: tuple[str, ...]) -> None:
    assert value_forms(value) == forms
