"""A research whose every sentence is supported: citations come everywhere where they may."""

from makers import evidence

from rarr.agent.citing.marks import cited_text, planned_citations
from rarr.records import Report, Revision, Sentence
from rarr.records.citations import CitationStyle, Cited
from rarr.tools.text.blocks_and_sentences import sentences
from rarr.tools.text.citation_marks import citation_marks, highest_number, source_list_places


def researched(text: str) -> Revision:
    passages = [evidence("One says so.", id=f"q{n}.1", source=f"source-{n}.md") for n in (1, 2)]
    return Revision(
        run_id="r",
        original=text,
        text=text,
        changed=False,
        evidence=tuple(passages),
        report=Report(
            sentences=tuple(
                Sentence(
                    text=span.of(text), start=span.start, end=span.end, status="supported",
                    evidence_ids=(f"q{1 + number % 2}.1",), support=0.9,
                )
                for number, span in enumerate(sentences(text))
            )
        ),
    )  # fmt: skip


def cited_everywhere(text: str, style: CitationStyle = "numbered") -> Cited:
    research = researched(text)
    first = highest_number(text, citation_marks(text)) + 1
    planned = planned_citations(research, source_list_places(text))
    return cited_text(research, planned, style=style, first_number=first)
