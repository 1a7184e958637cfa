"""Answers the prompts of writing without a model: it quotes the sentences of the documents."""

import re
from collections.abc import Mapping
from typing import Any

from rarr.backends.embedded.extractive_writing import headings_of, quoted_article, quoted_section
from rarr.components import SectionSource
from rarr.records import Evidence
from rarr.records.articles import PlannedSection
from rarr.testing.doubles import RETRIEVED_AT

Variables = Mapping[str, str]
_NOTHING = "(none)"
_DOCUMENT = re.compile(r"^\[(\d+)\] (?:(?P<title>[^:\n]{1,80}): )?(?P<text>.+)$", re.MULTILINE)


def planned(variables: Variables) -> dict[str, Any]:
    """Plans by the headings of the documents."""
    most = int(variables["most"]) if variables["most"].isdecimal() else 1
    return {"sections": headings_of(variables["topic"], documents(variables))[:most] or ["Overview"]}


def written_section(variables: Variables) -> dict[str, Any]:
    """Quotes the sentences that fit the section better than the other sections."""
    others = [] if variables["others"] == _NOTHING else variables["others"].split("; ")
    chunks = documents(variables)
    sources = [
        SectionSource(PlannedSection(id=f"s{n}", heading=heading, query_id="q1"), tuple(chunks))
        for n, heading in enumerate([variables["heading"], *others])
    ]
    return {"text": quoted_section(variables["topic"], sources, 0)}


def written_article(variables: Variables) -> dict[str, Any]:
    """Quotes the sentences of the documents under headings."""
    most = int(variables["most"]) if variables["most"].isdecimal() else 1
    sections = quoted_article(variables["topic"], documents(variables), most)
    return {"sections": [{"heading": heading, "text": text} for heading, text in sections]}


def documents(variables: Variables) -> list[Evidence]:
    """Reads the numbered documents of a prompt."""
    return [
        Evidence(
            id=f"q1.{match[1]}", query_id="q1", text=match["text"], title=match["title"] or "",
            source=f"document {match[1]}", start=0, end=len(match["text"]), relevance=1.0,
            retrieved_at=RETRIEVED_AT,
        )
        for match in _DOCUMENT.finditer(variables["documents"])
    ]  # fmt: skip
