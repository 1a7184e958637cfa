"""Reads the triples of an RDF file, Turtle or N-Triples, with pyoxigraph (extra `graph`)."""

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rarr.errors import InputError, SetupError
from rarr.retrievers.graph.triples import Triple
from rarr.tools.text.printable_text import shown
from rarr.valid_unicode import valid

RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
LABELS = (
    "http://www.w3.org/2000/01/rdf-schema#label",
    "http://www.w3.org/2004/02/skos/core#prefLabel",
    "http://xmlns.com/foaf/0.1/name",
    "http://schema.org/name",
    "https://schema.org/name",
)
ALT_LABELS = (
    "http://www.w3.org/2004/02/skos/core#altLabel",
    "http://xmlns.com/foaf/0.1/nick",
    "http://schema.org/alternateName",
    "https://schema.org/alternateName",
)
_LANGUAGES = (None, "en")


def read_rdf(file: Path) -> Iterator[Triple]:
    """Yields the triples of the file, by the English labels of their parts; it is read twice.

    Raises `InputError` with the line of a mistake, and `SetupError` without pyoxigraph.
    """
    labels = dict[str, str]()
    for quad in _quads(file):
        predicate = quad.predicate.value
        if predicate in LABELS and getattr(quad.object, "language", None) in _LANGUAGES:
            labels.setdefault(_id(quad.subject), valid(quad.object.value))
    aliases = defaultdict[str, list[str]](list)
    for quad in _quads(file):
        predicate = quad.predicate.value
        if predicate in LABELS or (predicate in ALT_LABELS and _is_readable(quad.object)):
            if predicate in ALT_LABELS:
                aliases[_id(quad.subject)].append(valid(quad.object.value))
            continue
        triple = _triple(quad, labels)
        if triple is not None:
            yield triple
    for id_, names in aliases.items():
        for name in names:
            yield Triple(id_, labels.get(id_, local_name(id_)), "alias", name, name)


def local_name(id_: str) -> str:
    """Returns the last part of an IRI, with spaces for underscores: Ada Lovelace of .../Ada_Lovelace."""
    last = id_.rstrip("/#").replace("#", "/").rpartition("/")[2]
    return last.replace("_", " ") or id_


def _triple(quad: Any, labels: dict[str, str]) -> Triple | None:
    """Makes a triple; None where a part has no name, as a blank node, or is in another language."""
    subject_id = _id(quad.subject)
    subject = labels.get(subject_id) or ("" if subject_id.startswith("_:") else local_name(subject_id))
    if not subject or not _is_readable(quad.object):
        return None
    predicate = quad.predicate.value
    relation = "instance of" if predicate == RDF_TYPE else labels.get(predicate, local_name(predicate))
    object_id = valid(_id(quad.object))
    value = object_id
    if hasattr(quad.object, "datatype"):
        value = " ".join(object_id.split())
        object_id = value
    elif (named := labels.get(object_id)) or not object_id.startswith("_:"):
        value = named or local_name(object_id)
    else:
        return None
    return Triple(subject_id, subject, relation, object_id, value) if value else None


def _id(term: Any) -> str:
    """Returns the IRI, the text of a literal, or the name of a blank node with its mark `_:`."""
    text = str(term.value)
    return text if hasattr(term, "datatype") or "://" in text or ":" in text else f"_:{text}"


def _is_readable(term: Any) -> bool:
    """Is it no text, or a text in English or in no named language?"""
    return not hasattr(term, "datatype") or (term.language or "en").partition("-")[0] == "en"


def _quads(file: Path) -> Iterator[Any]:
    """Yields the quads of the file but those about triples (RDF-star)."""
    try:
        import pyoxigraph
    except ImportError as error:
        raise SetupError(
            f"graph {shown(str(file))} is RDF, which needs pyoxigraph: pip install 'rarr[graph]'"
        ) from error
    form = pyoxigraph.RdfFormat.from_extension(file.suffix.lower().lstrip("."))
    with file.open("rb") as stream:
        try:
            for quad in pyoxigraph.parse(stream, form, base_iri="file:///"):
                if not isinstance(quad.object, pyoxigraph.Triple):
                    yield quad
        except SyntaxError as error:
            line = f", line {error.lineno}" if error.lineno else ""
            why = " ".join(str(error.msg).split())
            raise InputError(f"{shown(str(file))}{line}: {why}: correct the file") from None
