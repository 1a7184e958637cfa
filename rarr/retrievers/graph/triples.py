"""Reads the triples of a knowledge graph from CSV, JSON lines and RDF, and writes them as English sentences.

The sentences use common words, such as "was born in", because readers compare them with texts.
"""

import csv
import json
import re
import unicodedata
from calendar import month_name
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from rarr.errors import InputError, SetupError
from rarr.tools.text.wording import safe_text
from rarr.valid_unicode import valid

_CAMEL_CASE = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_WORD = re.compile(r"\w+")
_PARTS, _IDS = ("subject", "relation", "object"), ("subject_id", "object_id")
_CURE = "give subject, relation and object, or a name and a text (or a list of texts) for each relation"


class Triple(NamedTuple):
    """A statement of a graph: the `relation` of `subject` is `object`. All three are names or values.

    `subject_id`: the id of the subject, or its name if it has no id. Two subjects with the same name have
    different ids. `object_id`: the id of the object if it is an entity; otherwise the value.
    """

    subject_id: str
    subject: str
    relation: str
    object_id: str
    object: str


def name_key(name: str) -> str:
    """Returns the words of a name in lower case, joined by spaces, without accents and punctuation."""
    return " ".join(word for word, _, _ in folded_words(name))


def folded_words(text: str) -> list[tuple[str, int, int]]:
    """Returns the words of `text` in the form of `name_key`, each with its start and end."""
    return [(_folded_word(match[0]), *match.span()) for match in _WORD.finditer(text)]


def _folded_word(word: str) -> str:
    plain = unicodedata.normalize("NFKD", word)
    return "".join(mark for mark in plain if not unicodedata.combining(mark)).casefold()


@lru_cache(maxsize=4096)  # a graph has few relations, and many triples of each
def relation_words(relation: str) -> str:
    """Writes a relation in words: "birth place" for birthPlace, birth_place and http://example.org/birthPlace."""
    if "://" in relation:
        relation = re.split(r"[/#:]", relation.rstrip("/#"))[-1]
    return " ".join(_CAMEL_CASE.sub(" ", relation).replace("_", " ").replace("-", " ").split()).lower()


def read_triples(file: Path) -> Iterator[Triple]:
    """Yields the triples of a file, whose name ends with .csv, .tsv, .jsonl, .ttl or .nt.

    A row is a triple (subject, relation, object, optionally subject_id and object_id), or an entity (name,
    optionally id; each other column is a relation with its value). Raises `InputError`, whose message names
    the file and the line, and `SetupError` for RDF without pyoxigraph.
    """
    name, kind = safe_text(str(file)), file.suffix.lower()
    rows = {".csv": _csv_rows, ".tsv": _csv_rows, ".jsonl": _json_rows, ".ttl": _rdf_rows, ".nt": _rdf_rows}
    if kind not in rows:
        cure = "(export the triples of a SPARQL endpoint to Turtle)"
        raise InputError(f"{name} is no graph: give a file in {', '.join(rows)} {cure}")
    try:
        for line, row in rows[kind](file):
            try:
                yield from _row_triples(row)
            except ValueError:
                raise InputError(f"{name}, line {line} is no triple and no entity: {_CURE}") from None
    except SyntaxError as error:  # of RDF
        raise InputError(f"{name}, line {error.lineno}: {error.msg}: correct the file") from None
    except OSError as error:
        raise InputError(f"graph {name} cannot be read ({error.strerror}): check its path") from None
    except UnicodeDecodeError as error:
        raise InputError(f"graph {name} is not UTF-8 (byte at offset {error.start}): convert it") from None


def _row_triples(row: Mapping[str, Any]) -> list[Triple]:
    """Returns the triples of a row. Raises `ValueError` for a row that is neither a triple nor an entity."""
    if "name" in row and row.keys().isdisjoint(_PARTS):
        lists = ((key, it if isinstance(it, list) else [it]) for key, it in row.items())
        pairs = [(key, _value_text(it)) for key, its in lists if key not in ("name", "id") for it in its]
        name, id_ = _value_text(row["name"]), _value_text(row.get("id"))
        triples = [Triple(id_ or name, name, key, value, value) for key, value in pairs if value]
        is_whole = bool(name)
    else:
        subject, relation, value, own, other = (_value_text(row.get(part)) for part in (*_PARTS, *_IDS))
        triples = [Triple(own or subject, subject, relation, other or value, value)]
        is_whole = bool(subject and relation and value) and row.keys() <= {*_PARTS, *_IDS}
    if not is_whole:
        raise ValueError
    return triples


def _value_text(value: object) -> str:
    """Writes a JSON value as text with valid Unicode; "" for None. Raises `ValueError` for a list or dict."""
    if isinstance(value, list | dict):
        raise ValueError
    text = value if isinstance(value, str) else "" if value is None else json.dumps(value)
    return valid(" ".join(text.split()))


def _csv_rows(file: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yields (line number, row) for each row of a file. The row is {} if it cannot be read."""
    with file.open(encoding="utf-8-sig", newline="") as lines:
        head = lines.readline()
        lines.seek(0)
        reader = csv.reader(lines, delimiter=max("\t;,", key=head.count), strict=True)
        try:
            header = [name.strip() for name in next(reader, [])]
            for row in filter(lambda row: any(map(str.strip, row)), reader):
                is_whole = len(row) == len(header) == len(set(header))
                yield reader.line_num, dict(zip(header, row, strict=True)) if is_whole else {}
        except csv.Error:
            yield reader.line_num, {}


def _json_rows(file: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    with file.open(encoding="utf-8-sig") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                row = json.loads(line) if line.strip() else None
            except (ValueError, RecursionError):
                row = {}
            if line.strip():
                yield number, row if isinstance(row, dict) else {}


def _rdf_rows(file: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yields (0, row) for each English statement: no line is known. Names: labels, or ends of addresses."""
    try:
        import pyoxigraph as rdf
    except ImportError:
        raise SetupError('a graph in RDF needs a package: pip install "rarr[graph]"') from None
    form = rdf.RdfFormat.from_extension(file.suffix.lower()[1:])
    parsed = rdf.parse(file.read_bytes(), form, base_iri="file:///")
    quads = [(it.subject, it.predicate, it.object) for it in parsed]
    said = [it for it in quads if (getattr(it[2], "language", None) or "en").split("-")[0] == "en"]
    labels = [it for it in reversed(said) if relation_words(it[1].value) in ("label", "pref label", "name")]
    names: dict[Any, str] = {term: text.value for term, _, text in labels if isinstance(text, rdf.Literal)}
    for term in filter(lambda it: isinstance(it, rdf.Literal | rdf.NamedNode), chain.from_iterable(said)):
        end = re.split("[/#]", term.value.rstrip("/#"))[-1].replace("_", " ")
        names.setdefault(term, term.value if isinstance(term, rdf.Literal) else end or term.value)
    for subject, relation, value in said:
        if all(names.get(it, "").strip() for it in (subject, relation, value)):
            row = (names[subject], names[relation], names[value], subject.value, value.value)
            yield 0, dict(zip((*_PARTS, *_IDS), row, strict=True))


ALIAS_RELATIONS = frozenset(
    {"name", "label", "alias", "aliases", "also known as", "alternate name", "alt label", "pref label"}
)
"""Relations whose value is another name of the subject."""

# Each line: the names of a relation, then its sentence. Neighbouring lines often stand together in texts.
_RELATION_TABLE = """
instance of, type, kind: {name} is {a} {value}.
occupation, profession, job: {name} was {a} {value}.
country of citizenship, nationality, citizenship: {name} was a citizen of {value}.
place of birth, birth place, birthplace, born in: {name} was born in {value}.
date of birth, birth date, birthdate, born, born on: {name} was born {on} {value}.
place of death, death place, died in: {name} died in {value}.
date of death, death date, died, died on: {name} died {on} {value}.
cause of death, manner of death: The cause of death of {name} was {value}.
spouse, husband, wife, married to, partner, unmarried partner, cohabitant: {name} was married to {value}.
father: The father of {name} was {value}.
mother: The mother of {name} was {value}.
child, children, son, daughter: A child of {name} was {value}.
sibling, brother, sister: A sibling of {name} was {value}.
religion, genre, record label, sport, field of work, family: The {relation} of {name} was {value}.
employer, works for, worked for: {name} worked for {value}.
alma mater, educated at, university: {name} was educated at {value}.
award received, award, awards, prize: {name} received {value}.
notable work, works, notable works: A notable work of {name} is {value}.
author, writer, written by: {name} was written by {value}.
designer, architect, designed by: {name} was designed by {value}.
founder, founded by: {name} was founded by {value}.
inception, founded, date founded, established, founded in: {name} was founded {on} {value}.
opened, opening date, opened in, date of official opening: {name} opened {on} {value}.
completed, completion date, completed in: {name} was completed {on} {value}.
publication date, published, published in, publication year: {name} was published {on} {value}.
height: {name} is {value} high.
length: {name} is {value} long.
location, located in, country, address: {name} is located in {value}.
"""

_VERBS = (
    " is was are were has had have does did can won wrote led made built holds owns runs uses contains"
    " produces includes requires replaces supports employs serves plays participated competed worked lived"
    " studied served died graduated moved belonged played acted flows belongs leads opened closed "
)
_PARTICIPLES = ("born", "built", "made", "written", "led", "held", "found", "known", "sold", "won", "taught")
_PREPOSITIONS = ("in", "at", "by", "of", "on", "from", "to", "with", "for", "under", "near")
_ISO_DATE = re.compile(r"[+-]?0*(\d{1,4})-(0\d|1[0-2])-(\d\d)(?:T[\d:.]*(?:Z|[+-]\d\d:\d\d)?)?")
_COMMON_RELATIONS = {
    name: (rank, line.partition(": ")[2])
    for rank, line in enumerate(_RELATION_TABLE.strip().splitlines())
    for name in line.partition(": ")[0].split(", ")
}
"""Maps each name of a common relation to (number of its line in `_RELATION_TABLE`, its sentence)."""


def value_forms(value: str) -> tuple[str, ...]:
    """Returns the ways to write a value. The first way is for sentences. Only a date has several ways."""
    match = _ISO_DATE.fullmatch(value.strip())
    if match is None:
        return (value,)
    year, month, day = match[1], int(match[2]), int(match[3])
    if not month or not day or value.endswith("-01-01T00:00:00Z"):  # Wikidata writes a year so
        return (year, value)
    name = month_name[month]
    return (f"{day} {name} {year}", f"{name} {day}, {year}", value, year)


def relation_rank(relation: str) -> int:
    """Returns the line number of a relation in `_RELATION_TABLE`. A relation that is not there comes last."""
    return _COMMON_RELATIONS.get(relation_words(relation), (len(_COMMON_RELATIONS), ""))[0]


def fact_text(subject: str, relation: str, values: Sequence[str]) -> str:
    """Writes an English sentence that states all `values` of a relation of a subject."""
    relation = relation_words(relation)
    *most, last = (value_forms(value)[0] for value in values)
    value = f"{', '.join(most)} and {last}" if most else last
    form = _COMMON_RELATIONS[relation][1] if relation in _COMMON_RELATIONS else _sentence_pattern(relation)
    when = "in" if re.fullmatch(r"\d{3,4}|[A-Z][a-z]+ \d{4}", value) or not value[:1].isdigit() else "on"
    a, an = ("an" if noun[:1].lower() in "aeiou" else "a" for noun in (value, relation))
    sentence = form.format(name=subject, relation=relation, value=value, on=when, a=a, an=an)
    # The last word, such as "Ltd.", may have its own full stop.
    return f"{sentence[:-2]}." if sentence.endswith("..") and not sentence.endswith("...") else sentence


def _sentence_pattern(relation: str) -> str:
    """Returns the sentence pattern for a relation that is a verb, a word with a preposition, or a noun."""
    first, last = relation.partition(" ")[0], relation.rpartition(" ")[2]
    if f" {first} " in _VERBS and not (last == "by" and first in _PARTICIPLES):
        return "{name} {relation} {value}."
    if first != relation and last in _PREPOSITIONS:
        if first in _PARTICIPLES or first.endswith("ed"):
            return "{name} was {relation} {value}."
        if last == "of":
            return "{name} is {an} {relation} {value}."
    return "The {relation} of {name} is {value}."
