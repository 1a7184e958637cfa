"""Reads the statements of a draft: an answer that somebody else wrote, with citations in brackets."""

from rarr.errors import InputError
from rarr.records.answers import CitedStatement, NamedTriple
from rarr.tools.text.citation_brackets import BracketCitation, bracket_statements


def draft_statements(draft: str) -> list[CitedStatement]:
    """Reads the sentences of a draft, each with the triples that its brackets name.

    Raises `InputError` for a draft without a sentence, such as a table, code or a mark alone.
    """
    statements = [
        CitedStatement(
            text=each.text,
            needs_support=each.needs_support,
            named=tuple(map(_named, each.citations)),
        )
        for each in bracket_statements(draft)
        if each.text.strip()
    ]
    if not statements:
        raise InputError("draft has no statement: give an answer of at least one sentence")
    return statements


def _named(citation: BracketCitation) -> NamedTriple:
    """Makes the triple that a bracket names. A number is that of another list of sources, and names none."""
    if citation.number is not None:
        return NamedTriple(entity=str(citation.number))
    return NamedTriple(entity=citation.entity, relation=citation.relation, value=citation.value)
