"""Checked documents for services: annotations of GitHub, and SARIF 2.1.0."""

from pathlib import Path
from typing import Any, get_args

from rarr.records import Status
from rarr.records.postprocessing import CheckedDocument, DocumentChecks, DoubtfulPart, Finding, SourceQuote
from rarr.views import findings, revision_text
from rarr.views.findings import findings_text, github_annotations, sarif_log

SIDES = ("startLine", "startColumn", "endLine", "endColumn")
QUOTE = SourceQuote(quote="It is 221 metres high.", source="specs/dam.md", title="Dam", start=0, end=22)
DIFFERS = DoubtfulPart(words="212", state="differs", says="221 metres")
FINDING = Finding(
    status="contradicted", fails=True, text="The dam is 212 metres high.", start=10, end=45,
    line=3, column=5, end_line=3, end_column=40, parts=(DIFFERS,), quotes=(QUOTE,),
)  # fmt: skip
NOTE = FINDING.model_copy(update={"status": "unconfirmed", "fails": False})
UNJUDGED = CheckedDocument(file="docs/other.md", outcome="not_judged", notice="not checked: no answer")


def checks_of(*findings: Finding, file: str = "docs/dam.md", more: tuple[CheckedDocument, ...] = ()) -> Any:
    judged = CheckedDocument(file=file, outcome="judged", notice="1 contradicted", findings=findings)
    failing = sum(it.fails for it in findings)
    documents = (judged, *more)
    return DocumentChecks(fail_on=("contradicted",), failing=failing, unjudged=len(more), documents=documents)


def sarif_result_of(finding: Finding) -> Any:
    (result,) = sarif_log(checks_of(finding), "")["runs"][0]["results"]
    return result


def test_every_status_has_a_title_a_style_and_its_place_on_the_page_of_a_run() -> None:
    statuses, page = {*get_args(Status)}, Path(findings.__file__).parent / "html" / "trace_page"
    assert statuses == {*revision_text._STATUS_STYLES} == {"supported", *findings.STATUS_TITLES}
    for template in ("text.html", "pieces.html"):
        assert statuses == {it for it in statuses if f'"{it}"' in (page / template).read_text("utf-8")}


def test_result_has_its_rule_its_level_and_its_place_in_code_points() -> None:
    run, result = sarif_log(checks_of(FINDING), "1.0")["runs"][0], sarif_result_of(FINDING)
    rules = run["tool"]["driver"]["rules"]
    assert rules[result["ruleIndex"]]["id"] == result["ruleId"] == "contradicted"
    assert (result["level"], run["columnKind"]) == ("error", "unicodeCodePoints")
    region = result["locations"][0]["physicalLocation"]["region"]
    assert [region[name] for name in SIDES] == [3, 5, 3, 40]
    assert sarif_result_of(NOTE)["level"] == "note"


def test_annotations_have_their_places_and_errors_come_first() -> None:
    assert github_annotations(checks_of(FINDING)) == (
        "::error file=docs/dam.md,line=3,col=5,endColumn=40,title=Contradicted by the source::"
        "“The dam is 212 metres high.”; “212” differs: the source says “221 metres”;"
        " source: “It is 221 metres high.” (Dam, specs/dam.md, characters 0 to 22)\n"
    )
    long = FINDING.model_copy(update={"end_line": 4})
    assert "line=3,col=5,title=" in github_annotations(checks_of(long))
    text = github_annotations(checks_of(NOTE, FINDING, more=(UNJUDGED,)))
    assert [line.split(" ")[0] for line in text.splitlines()] == ["::error", "::error", "::notice"]
    assert "::error file=docs/other.md,title=rarr could not judge::could not be judged: no answer" in text
    assert github_annotations(checks_of()) == ""


def test_no_name_and_no_text_ends_a_command() -> None:
    hostile = FINDING.model_copy(update={"text": "100% sure.\n::error file=x::no"})
    (line,) = github_annotations(checks_of(hostile, file="a,b:c%\n::warning::d.md")).splitlines()
    assert line.startswith("::error file=a%2Cb%3Ac%25%0A%3A%3Awarning%3A%3Ad.md,line=3,")
    assert "“100%25 sure. ::error file=x::no”" in line


def test_reason_that_the_notice_has_is_not_repeated_with_its_number() -> None:
    document = UNJUDGED.model_copy(update={"warnings": ("no answer (2 times)", "no key")})
    text = findings_text(checks_of(more=(document,)), terminal=False)
    assert (text.count("no answer"), "  warning: no key\n" in text) == (1, True)
