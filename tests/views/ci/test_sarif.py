"""SARIF 2.1.0: the parts that the schema requires, places in code points, and files that were not judged."""

from pathlib import Path
from typing import Any

import jsonschema
import pytest
from document_findings import checks, document, finding, unjudged

from rarr.views.ci.sarif import sarif

POSITIVE = {"type": "integer", "minimum": 1}
MESSAGE = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string", "minLength": 1}}}
LOCATION = {
    "type": "object",
    "properties": {
        "id": {"type": "integer", "minimum": -1},
        "message": MESSAGE,
        "physicalLocation": {
            "type": "object",
            "required": ["artifactLocation"],
            "properties": {
                "artifactLocation": {
                    "type": "object",
                    "properties": {"uri": {"type": "string", "format": "uri-reference"}},
                    "additionalProperties": False,
                },
                "region": {
                    "type": "object",
                    "properties": {
                        **dict.fromkeys(("startLine", "startColumn", "endLine", "endColumn"), POSITIVE),
                        "charOffset": {"type": "integer", "minimum": -1},
                        "charLength": {"type": "integer", "minimum": 0},
                    },
                    "additionalProperties": False,
                },
            },
            "additionalProperties": False,
        },
    },
    "additionalProperties": False,
}
LEVEL = {"enum": ["none", "note", "warning", "error"]}
SCHEMA: dict[str, Any] = {  # the used and the required parts of the schema of OASIS
    "type": "object",
    "required": ["version", "runs"],
    "properties": {
        "$schema": {"type": "string"},
        "version": {"enum": ["2.1.0"]},
        "runs": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["tool"],
                "properties": {
                    "tool": {
                        "type": "object",
                        "required": ["driver"],
                        "properties": {
                            "driver": {
                                "type": "object",
                                "required": ["name"],
                                "properties": {
                                    "name": {"type": "string"},
                                    "version": {"type": "string"},
                                    "rules": {
                                        "type": "array",
                                        "items": {"type": "object", "required": ["id"]},
                                    },
                                },
                                "additionalProperties": False,
                            }
                        },
                    },
                    "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                    "artifacts": {"type": "array", "items": {"type": "object"}, "uniqueItems": True},
                    "invocations": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "required": ["executionSuccessful"],
                            "properties": {
                                "executionSuccessful": {"type": "boolean"},
                                "toolExecutionNotifications": {
                                    "type": "array",
                                    "items": {
                                        "type": "object",
                                        "required": ["message"],
                                        "properties": {
                                            "level": LEVEL,
                                            "message": MESSAGE,
                                            "locations": {"type": "array", "items": LOCATION},
                                        },
                                        "additionalProperties": False,
                                    },
                                },
                            },
                            "additionalProperties": False,
                        },
                    },
                    "results": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "required": ["message"],
                            "properties": {
                                "ruleId": {"type": "string"},
                                "ruleIndex": {"type": "integer", "minimum": -1},
                                "level": LEVEL,
                                "message": MESSAGE,
                                "locations": {"type": "array", "items": LOCATION},
                                "relatedLocations": {"type": "array", "items": LOCATION, "uniqueItems": True},
                                "partialFingerprints": {"additionalProperties": {"type": "string"}},
                            },
                            "additionalProperties": False,
                        },
                    },
                },
                "additionalProperties": False,
            },
        },
    },
    "additionalProperties": False,
}


def result_of(log: dict[str, Any]) -> dict[str, Any]:
    (result,) = log["runs"][0]["results"]
    assert isinstance(result, dict)
    return result


@pytest.mark.parametrize(
    "documents", [(), (document(finding(), finding(fails=False)), unjudged()), (document(),)]
)
def test_the_log_keeps_the_schema(documents: tuple[Any, ...]) -> None:
    jsonschema.validate(sarif(checks(*documents), "1.0"), SCHEMA)


def test_a_result_has_its_rule_its_level_and_its_place_in_code_points() -> None:
    log = sarif(checks(document(finding())), "1.0")
    result = result_of(log)
    rules = log["runs"][0]["tool"]["driver"]["rules"]
    assert rules[result["ruleIndex"]]["id"] == result["ruleId"] == "contradicted"
    assert (result["level"], log["runs"][0]["columnKind"]) == ("error", "unicodeCodePoints")
    region = result["locations"][0]["physicalLocation"]["region"]
    assert (region["startLine"], region["startColumn"], region["endLine"], region["endColumn"]) == (
        3,
        5,
        3,
        40,
    )
    (related,) = result["relatedLocations"]
    assert related["physicalLocation"] == {
        "artifactLocation": {"uri": "specs/dam.md"},
        "region": {"startLine": 7},
    }


def test_a_sentence_that_does_not_fail_is_a_note() -> None:
    assert result_of(sarif(checks(document(finding(fails=False))), ""))["level"] == "note"


def test_a_file_that_could_not_be_judged_makes_the_run_unsuccessful() -> None:
    (invocation,) = sarif(checks(document(), unjudged()), "")["runs"][0]["invocations"]
    assert not invocation["executionSuccessful"]
    (notification,) = invocation["toolExecutionNotifications"]
    assert notification["message"]["text"] == "could not be judged: the search failed"


@pytest.mark.parametrize(
    ("file", "uri"),
    [
        ("a b/ü#1.md", "a%20b/%C3%BC%231.md"),
        (str(Path.cwd() / "docs" / "a.md"), "docs/a.md"),
        ("/elsewhere/a b.md", "file:///elsewhere/a%20b.md"),
    ],
)
def test_files_are_addresses(file: str, uri: str) -> None:
    log = sarif(checks(document(finding(), file=file)), "")
    location = result_of(log)["locations"][0]["physicalLocation"]["artifactLocation"]
    assert location == {"uri": uri} == log["runs"][0]["artifacts"][0]["location"]


def test_the_fingerprint_does_not_depend_on_the_line() -> None:
    first, moved = (
        finding(),
        finding().model_copy(update={"place": finding().place.model_copy(update={"line": 9})}),
    )
    prints = [result_of(sarif(checks(document(each)), ""))["partialFingerprints"] for each in (first, moved)]
    assert prints[0] == prints[1]
