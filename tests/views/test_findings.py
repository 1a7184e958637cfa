"""Checked documents for services: annotations of GitHub, and SARIF 2.1.0."""

from typing import Any

from document_findings import checks, document, finding, unjudged

from rarr.views.findings import github_annotations, sarif

SIDES = ("startLine", "startColumn", "endLine", "endColumn")


def result_of(log: dict[str, Any]) -> dict[str, Any]:
    (result,) = log["runs"][0]["results"]
    assert isinstance(result, dict)
    return result


def test_result_has_its_rule_its_level_and_its_place_in_code_points() -> None:
    log = sarif(checks(document(finding())), "1.0")
    result = result_of(log)
    rules = log["runs"][0]["tool"]["driver"]["rules"]
    assert rules[result["ruleIndex"]]["id"] == result["ruleId"] == "contradicted"
    assert (result["level"], log["runs"][0]["columnKind"]) == ("error", "unicodeCodePoints")
    region = result["locations"][0]["physicalLocation"]["region"]
    assert [region[name] for name in SIDES] == [3, 5, 3, 40]
    assert result_of(sarif(checks(document(finding(fails=False))), ""))["level"] == "note"
    moved = result_of(sarif(checks(document(finding(line=9))), ""))
    assert moved["partialFingerprints"] == result["partialFingerprints"]


def test_annotations_have_their_places_and_errors_come_first() -> None:
    assert github_annotations(checks(document(finding()))) == (
        "::error file=docs/dam.md,line=3,col=5,endColumn=40,title=Contradicted by the source::"
        "“The dam is 212 metres high.”; “212” differs: the source says “221 metres”;"
        " source: “It is 221 metres high.” (Dam, specs/dam.md, characters 0 to 22)\n"
    )
    assert "line=3,col=5,title=" in github_annotations(checks(document(finding(end_line=4))))
    text = github_annotations(checks(document(finding(fails=False), finding()), unjudged()))
    assert [line.split(" ")[0] for line in text.splitlines()] == ["::error", "::error", "::notice"]
    assert "::error file=docs/other.md,title=rarr could not judge::could not be judged: the search" in text
    assert github_annotations(checks(document())) == ""


def test_no_name_and_no_text_ends_a_command() -> None:
    hostile = finding(text="100% sure.\n::error file=x::no")
    (line,) = github_annotations(checks(document(hostile, file="a,b:c%\n::warning::d.md"))).splitlines()
    assert line.startswith("::error file=a%2Cb%3Ac%25%0A%3A%3Awarning%3A%3Ad.md,line=3,")
    assert "“100%25 sure. ::error file=x::no”" in line
