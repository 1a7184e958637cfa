"""Searches a graph behind a SPARQL endpoint, such as that of Wikidata, through the cache."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from rarr.errors import RetrievalError, SettingsError
from rarr.records import Passage
from rarr.retrievers.corpus.index_words import STOP_WORDS
from rarr.retrievers.graph.graph import EntityGraph
from rarr.retrievers.graph.rdf_files import ALT_LABELS, LABELS, RDF_TYPE, local_name
from rarr.retrievers.graph.store import TripleStore
from rarr.retrievers.graph.triples import Triple
from rarr.retrievers.web.cache import Cache
from rarr.retrievers.web.service_requests import JsonService, ServiceRequests
from rarr.retrievers.web.source_probe_request import Probe
from rarr.tools.concurrency.worker_threads import work
from rarr.tools.models.run_budget import meter
from rarr.tools.text.blocks_and_sentences import split_sentences
from rarr.tools.text.printable_text import shown
from rarr.valid_unicode import valid

_CURES = {
    0: "check sparql_url and that the endpoint answers there, or search elsewhere",
    400: "the endpoint refuses SPARQL 1.1: search elsewhere",
    429: "the endpoint asks for fewer requests: try again later",
}
_HEADERS = {"Accept": "application/sparql-results+json"}
_PROBE = "ASK { ?entity ?relation ?value }"
_NAMES, _ENTITIES_ASKED = 24, 20  # names, and entities, of one request
_MOST_REQUESTS = 10  # requests for the names of one text
_MOST_ENTITIES, _MOST_ROWS = 50, 2000  # entities, and triples, of one answer
_NAME = re.compile(
    r"[A-Z\d][\w.'’-]*(?:\s+(?:(?:of|the|de|la|von|van|der|and|du|da|di|al|bin)\s+){0,2}[A-Z\d][\w.'’-]*)*"
)
_ENTITIES = """SELECT DISTINCT ?entity ?name WHERE {{
  VALUES ?name {{ {names} }}
  ?entity <{label}> ?name
}} LIMIT {most}"""
_TRIPLES = """SELECT ?entity ?relation ?relationName ?claimName ?value ?valueName WHERE {{
  VALUES ?entity {{ {entities} }}
  ?entity ?relation ?value
  OPTIONAL {{ ?relation <{label}> ?relationName FILTER(LANG(?relationName) IN ("en", "")) }}
  OPTIONAL {{
    ?claim <http://wikiba.se/ontology#directClaim> ?relation ; <{label}> ?claimName
    FILTER(LANG(?claimName) = "en")
  }}
  OPTIONAL {{ ?value <{label}> ?valueName FILTER(LANG(?valueName) IN ("en", "")) }}
  FILTER(!isLiteral(?value) || LANG(?value) IN ("en", ""))
}} LIMIT {most}"""


class SparqlGraph:
    """A retriever over the entities whose English label stands in the query, with their triples."""

    def __init__(
        self,
        url: str,
        *,
        cache: Cache,
        user_agent: str,
        window: int = 4,
        timeout_s: float = 20.0,
        attempts: int = 2,
    ) -> None:
        """`timeout_s` is for one request. Raises `SettingsError` for a URL that is not an address."""
        address = urlsplit(url)
        if address.scheme not in ("http", "https") or not address.hostname:
            raise SettingsError(
                f"no SPARQL endpoint at {shown(url)!r}: write it as in https://example.org/sparql"
            )
        self._url, self._cache, self._window = url, cache, window
        self._headers = _HEADERS | {"User-Agent": user_agent}
        requests = ServiceRequests(
            "the SPARQL endpoint", cures=_CURES, timeout_s=timeout_s, attempts=attempts
        )
        self._service = JsonService(requests, self._headers)

    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        """Returns passages of the `k` entities that the query names first. Raises `RetrievalError`."""
        graph = await self.around(query)
        return await work(graph.search, query, k, meter().text)

    async def around(self, text: str) -> EntityGraph:
        """Returns the entities that `text` names, with their triples. Raises `RetrievalError`.

        Warns in the run where the endpoint has more than is read.
        """
        names = await work(possible_names, text)
        if len(names) > _NAMES * _MOST_REQUESTS:
            _warn(f"the text has {len(names)} possible names, and {_NAMES * _MOST_REQUESTS} are searched")
        named, facts, is_cut = dict[str, str](), list[dict[str, str]](), False
        for some in _in_parts(names[: _NAMES * _MOST_REQUESTS], _NAMES):
            rows = await self._rows(_asked_entities(some))
            if len(rows) == _MOST_ENTITIES:
                _warn(f"more than {_MOST_ENTITIES} entities have names of the text: the others are not read")
            named |= {row["entity"]: row["name"] for row in rows if "://" in row["entity"]}
        for some in _in_parts(list(named), _ENTITIES_ASKED):
            rows = await self._rows(_asked_triples(some))
            if len(rows) == _MOST_ROWS:
                _warn(f"the entities have more than {_MOST_ROWS:,} triples: the rest is not read")
                is_cut = True
            facts += rows
        store = await work(TripleStore, list(_triples(facts, named)))
        return EntityGraph(store, self._url, self._window, is_cut=is_cut)

    async def extracted(self, url: str) -> str | None:
        """Returns the text about the entity with this address; None if it cannot be read."""
        try:
            graph = await self._entity(url)
        except RetrievalError:
            return None
        return await work(graph.text_about, url)

    def probe(self) -> Probe:
        """Describes a request that any endpoint answers at once."""
        return Probe(self._url, {"query": _PROBE}, self._headers, (200,), _CURES)

    async def aclose(self) -> None:
        """Closes its connections in the running event loop."""
        await self._service.aclose()

    async def _entity(self, url: str) -> EntityGraph:
        if not _is_iri(url):
            raise RetrievalError(f"{shown(url)} is no address of an entity: give an IRI")
        facts = await self._rows(_asked_triples([url]))
        label = next((row["value"] for row in facts if row["relation"] in LABELS), local_name(url))
        return EntityGraph(
            await work(TripleStore, list(_triples(facts, {url: label}))), self._url, self._window
        )

    async def _rows(self, query: str) -> list[dict[str, str]]:
        """Returns the bindings of a SELECT query, each as the text of its variables."""

        async def ask() -> bytes:
            return json.dumps(_bindings(await self._service.get(self._url, {"query": query}))).encode()

        entry = await self._cache.through("search", ["sparql", self._url, query], ask)
        rows: list[dict[str, str]] = json.loads(entry.value)
        return rows


def possible_names(text: str) -> list[str]:
    """Returns the runs of words with capitals in `text`, whole and in part, the longest first."""
    names = dict[str, None]()
    for sentence in [span.of(text) for span in split_sentences(text)] or [text]:
        for match in _NAME.finditer(sentence):
            words = _plain(match[0]).split()
            names |= dict.fromkeys(
                _plain(" ".join(words[start:end]))
                for end in range(len(words), 0, -1)
                for start in range(end)
                if not STOP_WORDS.issuperset(word.lower() for word in words[start:end])
            )
    return sorted(names, key=len, reverse=True)


def _plain(words: str) -> str:
    return words.rstrip(".'’-").removesuffix("'s").removesuffix("’s")


def _in_parts(items: Sequence[str], size: int) -> list[Sequence[str]]:
    return [items[start : start + size] for start in range(0, len(items), size)]


def _warn(what: str) -> None:
    meter().warn("graph_cut", what)


def _asked_entities(names: Sequence[str]) -> str:
    quoted = (json.dumps(name, ensure_ascii=False) for name in names)
    both = " ".join(f"{name}@en {name}" for name in quoted)
    return _ENTITIES.format(names=both, label=LABELS[0], most=_MOST_ENTITIES)


def _asked_triples(entities: Sequence[str]) -> str:
    iris = " ".join(f"<{entity}>" for entity in entities if _is_iri(entity))
    return _TRIPLES.format(entities=iris, label=LABELS[0], most=_MOST_ROWS)


def _is_iri(text: str) -> bool:
    """Is it an IRI that can stand in a query? The text of a source must not become part of the query."""
    return re.fullmatch(r"[a-z][a-z\d+.-]*://[^\s<>\"{}|\\^`]+", text) is not None


def _bindings(answer: Mapping[str, Any]) -> list[dict[str, str]]:
    try:
        rows = answer["results"]["bindings"]
        return [{name: valid(str(term["value"])) for name, term in row.items()} for row in rows]
    except (KeyError, TypeError, AttributeError):
        raise RetrievalError(
            "the SPARQL endpoint did not answer with results in JSON: check sparql_url"
        ) from None


def _triples(rows: Sequence[Mapping[str, str]], named: Mapping[str, str]) -> Iterator[Triple]:
    """Makes triples of the rows. Of a Wikibase, those of its direct claims: the others repeat them."""
    is_wikibase = any("claimName" in row for row in rows)
    for row in rows:
        entity, relation, value = row["entity"], row["relation"], row["value"]
        name = named[entity]
        if relation in ALT_LABELS:
            yield Triple(entity, name, "alias", value, value)
        elif relation not in LABELS and ("claimName" in row or not is_wikibase):
            words = row.get("claimName") or row.get("relationName") or local_name(relation)
            words = "instance of" if relation == RDF_TYPE else words
            is_entity = "valueName" in row or _is_iri(value)
            label = row.get("valueName") or (local_name(value) if is_entity else value)
            yield Triple(entity, name, words, value if is_entity else label, label)
