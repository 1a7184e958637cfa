"""Names that documents share, and what their openings say."""

import pytest

from rarr.evals.namesakes.corpus_documents import document_of
from rarr.evals.namesakes.corpus_entities import corpus_entities, document_type, other_entities, shared_names
from rarr.evals.namesakes.property_reading import opening_name, opening_properties, opening_type
from rarr.evals.namesakes.records import CorpusDocument
from rarr.evals.namesakes.set_generation import name_sets

FILM = CorpusDocument("f.md", "Veldra (1974 film)", "Veldra is a drama film directed by Ana Holm.")
TOWN = CorpusDocument(
    "t.md", "Veldra", "Veldra is a town on the Osk. It was founded in 1312 by monks, as a port."
)
RIVER = CorpusDocument("r.md", "Osk", "The Osk is a river. It is 90 kilometres long. Barges use it.")


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("Veldra is a film directed by Ana Holm.", "director", "Ana Holm"),
        ("Veldra is a 1974 film. It was released on 3 May 1974 in Oslo.", "released", "1974"),
        ("Veldra is a novel by the Danish writer Ida von Lunde.", "author", "Ida von Lunde"),
        ("Veldra is a song. It was recorded by the rock band Grey Harbour.", "performer", "Grey Harbour"),
        ("Veldra is a town. It has a population of 18,400.", "population", "18,400"),
        ("The Osk is a river. It is 1,450 miles long.", "length", "1,450 miles"),
        ("The Osk flows into the North Sea.", "mouth", "the North Sea"),
        ("Ada Rook (born 3 May 1931) is a painter.", "born", "1931"),
        ("Ada Rook was a footballer who played as a midfielder and scored.", "position", "midfielder"),
        ("Veldra was founded in 1312 by monks.", "founded", "1312"),
    ],
)
def test_property_is_read(text: str, name: str, value: str) -> None:
    assert [each.text for each in opening_properties(text)[name]] == [value]


@pytest.mark.parametrize(
    "text",
    ["Veldra is a town by the river.", "Veldra was built by monks.", "The film is liked by Ana Holm."],
)
def test_other_words_give_no_property(text: str) -> None:
    assert opening_properties(text) == {}


def test_value_of_two_properties_counts_for_none() -> None:
    assert opening_properties("Veldra was built in 1312. It was founded in 1312.") == {}


def test_values_stand_in_the_text() -> None:
    text = "Veldra is a film directed by Ana\nHolm. It starred Piet Ruger."
    assert [*opening_properties(text)] == ["cast"]  # the value of the director is broken into two lines


def test_type_and_name_of_an_opening() -> None:
    assert opening_type(FILM.text) == "film"
    assert opening_type("Veldra fell in 1312.") == ""
    assert opening_name(RIVER.text) == "Osk"
    assert opening_name("It is a river.") == "It"


def test_qualifier_of_a_title_gives_the_type() -> None:
    assert document_type(FILM._replace(text="A story of monks.")) == "film"


def test_name_of_two_documents_is_shared() -> None:
    (veldra,) = shared_names([FILM, TOWN, RIVER])
    assert (veldra.name, [document.name for document in veldra.documents]) == ("Veldra", ["f.md", "t.md"])


def test_copy_of_a_page_is_no_namesake() -> None:
    assert shared_names([TOWN, TOWN._replace(name="copy.md")]) == []


def test_place_after_a_comma_is_a_qualifier() -> None:
    texas = TOWN._replace(name="texas.md", title="Veldra, Texas")
    assert [each.name for each in shared_names([TOWN, texas])] == ["Veldra"]


def test_opening_gives_a_name_that_the_title_begins_with() -> None:
    guide = TOWN._replace(name="g.md", title="Veldra in spring", text="Veldra is a painting by Ole Munt.")
    assert [each.name for each in shared_names([TOWN, guide])] == ["Veldra"]
    assert shared_names([TOWN, guide._replace(title="Spring")]) == []


def test_entities_of_a_corpus_make_sets() -> None:
    documents = [FILM, TOWN, RIVER]
    (veldra,) = name_sets(corpus_entities(documents), {each.name: each.text for each in documents})
    assert {query.property for query in veldra.queries} == {"director", "founded"}
    assert [entity.name for entity in other_entities(documents)] == ["Osk"]


def test_popularity_that_is_given_counts() -> None:
    film, town = corpus_entities([FILM, TOWN], {"f.md": 7.0})
    assert (film.popularity, town.popularity) == (7.0, 17)


def test_passage_belongs_to_the_document_that_its_address_ends_with() -> None:
    names = ["a.md", "deep/a.md", "#3", "https://x.org/a"]
    assert document_of("docs/b/a.md", names) == "a.md"
    assert document_of("docs/deep/a.md", names) == "deep/a.md"
    assert document_of("docs/rows.jsonl#13", names) == "docs/rows.jsonl#13"
    assert document_of("docs/rows.jsonl#3", names) == "#3"
    assert document_of("https://x.org/a", names[3:]) == "https://x.org/a"
