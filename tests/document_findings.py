"""Findings in documents, for the tests of what shows them."""

from rarr.records.document_checks import CheckedDocument, DocumentChecks, DoubtfulPart, Finding, SourceQuote


def finding(
    *, fails: bool = True, text: str = "The dam is 212 metres high.", line: int = 3, end_line: int = 3
) -> Finding:
    return Finding(
        status="contradicted" if fails else "unconfirmed", fails=fails, text=text,
        start=10, end=45, line=line, column=5, end_line=end_line, end_column=40,
        parts=(DoubtfulPart(words="212", state="differs", says="221 metres"),),
        quotes=(
            SourceQuote(quote="It is 221 metres high.", source="specs/dam.md", title="Dam", start=0, end=22),
        ),
    )  # fmt: skip


def document(*findings: Finding, file: str = "docs/dam.md") -> CheckedDocument:
    return CheckedDocument(file=file, outcome="judged", notice="1 contradicted", findings=findings)


def unjudged(file: str = "docs/other.md") -> CheckedDocument:
    return CheckedDocument(file=file, outcome="not_judged", notice="not checked: the search failed")


def checks(*documents: CheckedDocument) -> DocumentChecks:
    return DocumentChecks(
        fail_on=("contradicted",),
        failing=sum(len(each.failing) for each in documents),
        unjudged=sum(each.unjudged for each in documents),
        documents=documents,
    )
