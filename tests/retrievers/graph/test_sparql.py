"""A SPARQL endpoint as a source: a real engine answers over a real socket; a dead one is a failed search."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from typing import Any

import pyoxigraph
import pytest

from rarr import aanswer, revise
from rarr.errors import RetrievalError, SettingsError
from rarr.retrievers.graph.sparql import SparqlGraph, possible_names
from rarr.tools.models.run_budget import METER, Meter, meter
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
    assert possible_names("It met Ida Lunde. She left.") == ["Ida Lunde", "Lunde", "Ida"]
    assert possible_names("who is it?") == []


def people(names: list[str]) -> str:
    """Facts in Turtle about people with these names, each born in Aarle."""
    prefixes = "@prefix ex: <http://e.org/> .\n@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
    return prefixes + "\n".join(
        f'ex:p{n} rdfs:label "{name}"@en ; ex:birthPlace "Aarle" .' for n, name in enumerate(names)
    )


@contextmanager
def warnings_of_a_run() -> Iterator[list[str]]:
    token, codes = METER.set(Meter()), list[str]()
    try:
        yield codes
        codes += [f"{warning.code}: {warning.message}" for warning in meter().warnings]
    finally:
        METER.reset(token)


async def test_all_names_of_a_long_text_are_searched(using: Using) -> None:
    names = [f"Ida{chr(97 + n)} Lunde" for n in range(26)]
    text = f"{'. '.join(f'It met {name}' for name in names)}. Where was Bo born?"
    with endpoint(people([*names, "Bo"])) as service, warnings_of_a_run() as warned:
        graph = await using(service.url).around(text)
        asked = [request.fields["query"].count("@en") for request in service.asked]
    assert len(graph.store.entities()) == 27
    assert not graph.is_cut
    assert warned == []
    assert max(asked) <= 24 + 4


async def test_more_entities_than_are_read_are_told(using: Using) -> None:
    with endpoint(people(["Ida Lunde"] * 60)) as service, warnings_of_a_run() as warned:
        graph = await using(service.url).around("Where was Ida Lunde born?")
    assert len(graph.store.entities()) == 50
    assert warned == ["graph_cut: more than 50 entities have names of the text: the others are not read"]


async def test_more_names_than_are_searched_are_told(using: Using) -> None:
    text = " and then ".join(f"Ida{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(250))
    with endpoint(people(["Idaaa"])) as service, warnings_of_a_run() as warned:
        await using(service.url).around(text)
        assert len(service.asked) == 11
    assert warned == ["graph_cut: the text has 250 possible names, and 240 are searched"]


async def test_more_triples_than_are_read_leave_no_gap_of_the_graph(using: Using) -> None:
    many = "\n".join(f'ex:p0 ex:wrote "Report {n}" .' for n in range(2000))
    with endpoint(f"{people(['Ida Lunde'])}\n{many}") as service:
        answered = await aanswer(
            "What was the blood type of Ida Lunde?", search=using(service.url), trace=False
        )
    assert answered.text == "The sources that were read do not tell of Ida Lunde: blood type."
    assert {warning.code for warning in answered.warnings} == {"graph_cut"}
