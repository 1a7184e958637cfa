"""A SPARQL endpoint as a source: a real engine answers over a real socket; a dead one is a failed search."""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pyoxigraph
import pytest

from rarr import revise
from rarr.errors import RetrievalError, SettingsError
from rarr.retrievers.graph.sparql import SparqlGraph, possible_names
from retrievers.caches import opened
from retrievers.services import Asked, Said, Service

pytestmark = pytest.mark.loopback

FACTS = """
@prefix ex: <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
ex:ida rdfs:label "Ida Lunde"@en ; ex:birthPlace ex:aarle ; ex:height "1.7 m" .
ex:aarle rdfs:label "Aarle"@en, "Aarlau"@de .
ex:other rdfs:label "Ida"@en ; ex:birthPlace ex:tolk .
"""
WIKIBASE = """
@prefix wd: <http://w.org/entity/> .
@prefix wdt: <http://w.org/prop/direct/> .
@prefix p: <http://w.org/prop/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
wd:Q1 rdfs:label "Ida Lunde"@en ; wdt:P19 wd:Q2 ; p:P19 wd:statement-1 .
wd:Q2 rdfs:label "Aarle"@en .
wd:P19 rdfs:label "place of birth"@en ; <http://wikiba.se/ontology#directClaim> wdt:P19 .
"""
Using = Callable[..., SparqlGraph]


def endpoint(facts: str) -> Service:
    """An endpoint over these facts in Turtle, which answers SPARQL by pyoxigraph."""
    store = pyoxigraph.Store()
    store.load(facts.encode(), pyoxigraph.RdfFormat.TURTLE)

    def answer(asked: Asked) -> Said:
        results: Any = store.query(asked.fields["query"])
        return Said(results.serialize(format=pyoxigraph.QueryResultsFormat.JSON).decode())

    return Service(answer)


@pytest.fixture
async def using(tmp_path: Path) -> AsyncIterator[Using]:
    async with AsyncExitStack() as stack:

        def make(url: str, **options: Any) -> SparqlGraph:
            graph = SparqlGraph(url, cache=opened(tmp_path / "cache"), user_agent="rarr/0", **options)
            stack.push_async_callback(graph.aclose)
            return graph

        yield make


async def test_entities_of_the_query_are_read_with_their_labels(using: Using) -> None:
    with endpoint(FACTS) as service:
        graph = using(service.url)
        passages = await graph.retrieve("Where was Ida Lunde born?", 3)
        text = await graph.extracted("http://example.org/ida")
    assert [each.text for each in passages] == ["Ida Lunde was born in Aarle.\nIda Lunde is 1.7 m high."]
    assert (passages[0].source, passages[0].title) == ("http://example.org/ida", "Ida Lunde")
    assert text == passages[0].text


async def test_of_a_wikibase_only_direct_claims_are_read(using: Using) -> None:
    with endpoint(WIKIBASE) as service:
        passages = await using(service.url).retrieve("Where was Ida Lunde born?", 3)
    assert [each.text for each in passages] == ["Ida Lunde was born in Aarle."]


async def test_answers_come_from_the_cache(using: Using) -> None:
    with endpoint(FACTS) as service:
        first = await using(service.url).retrieve("Who is Ida Lunde?", 3)
        again = await using(service.url).retrieve("Who is Ida Lunde?", 3)
        assert len(service.asked) == 2
    assert [each.text for each in again] == [each.text for each in first]


async def test_text_without_a_name_asks_nothing(using: Using) -> None:
    with endpoint(FACTS) as service:
        assert await using(service.url).retrieve("how high is it?", 3) == []
    assert service.asked == []


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        (Said("oops", 500), "check sparql_url and that the endpoint answers there"),
        (Said("<html>", 200), "check sparql_url"),
        (Said({"boolean": True}), "did not answer with results in JSON"),
        (Said("slow down", 429), "asks for fewer requests"),
    ],
)
async def test_endpoint_that_fails_is_a_failed_search(said: Said, problem: str, using: Using) -> None:
    with Service(lambda asked: said) as service, pytest.raises(RetrievalError, match=problem):
        await using(service.url, attempts=1).retrieve("Who is Ida Lunde?", 3)


def test_dead_endpoint_is_never_no_evidence(tmp_path: Path) -> None:
    revision = revise("Ida Lunde was born in Aarle.", sparql_url="http://127.0.0.1:9", home=tmp_path)
    assert [sentence.status for sentence in revision.report.sentences] == ["retrieval_failed"]
    assert "retrieve_failed" in {warning.code for warning in revision.warnings}


def test_address_must_be_one(using: Using) -> None:
    with pytest.raises(SettingsError, match="no SPARQL endpoint at 'people'"):
        using("people")


async def test_source_cannot_become_part_of_a_query(using: Using) -> None:
    with endpoint(FACTS) as service:
        assert await using(service.url).extracted("http://e.org/> } DROP ALL {<") is None
    assert service.asked == []


def test_names_are_tried_whole_and_in_parts() -> None:
    assert possible_names("Was Ida Lunde's dog in Aarle?")[:2] == ["Was Ida Lunde", "Ida Lunde"]
    assert possible_names("who is it?") == []
