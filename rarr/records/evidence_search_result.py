"""Declares the record of a search for evidence."""

from rarr.records import Evidence, Notice, Record


class FoundEvidence(Record):
    """The passages that are most relevant to a query, best first. `warnings` tell what was left out."""

    query: str
    evidence: tuple[Evidence, ...] = ()
    warnings: tuple[Notice, ...] = ()
