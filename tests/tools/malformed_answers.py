"""Answers as language models give them, and what must be read in each: values, or None for nothing."""

from typing import Any

from rarr.backends.prompted.paper import EditAnswer
from rarr.backends.prompted.questions import QuestionsAnswer
from rarr.backends.prompted.verifier import AttributionAnswer
from tools.malformed_verdicts import VERDICTS, Case

EDIT = {"span": "in 1911", "revision": "in 1912"}
ASKED = {"questions": [{"question": "Who built it?"}, {"question": "When?", "about": "in 1911"}]}


def edited(cases: dict[str, tuple[str, dict[str, Any] | None]]) -> list[Case]:
    return [Case(name, EditAnswer, text, values) for name, (text, values) in cases.items()]


def asked(cases: dict[str, tuple[str, dict[str, Any] | None]]) -> list[Case]:
    return [Case(name, QuestionsAnswer, text, values) for name, (text, values) in cases.items()]


EDITS = edited(
    {
        "edit": ('{"span": "in 1911", "revision": "in 1912"}', EDIT),
        "edit: declined": ('{"span": null, "revision": ""}', {"revision": ""}),
        "edit: of nothing": ('{"span": "in 1911", "revision": null}', None),
        "edit: struck out": (
            '{"span": "<s>1911</s>", "revision": "1912"}',
            {"span": "<s>1911</s>", "revision": "1912"},
        ),
        "edit: inner quotes": (
            '{"span": "in 1911", "revision": "He said "no", then left: in "May"."}',
            {"span": "in 1911", "revision": 'He said "no", then left: in "May".'},
        ),
        "edit: code block in it": (
            '{"span": "a", "revision": "```x```"}',
            {"span": "a", "revision": "```x```"},
        ),
        "edit: cut": ('{"span": "in 1911", "revision": "in 19', None),
        "edit: cut at an inner quote": ('{"span": "in 1911", "revision": "He said "no"', None),
        "edit: tag that was never closed": ('{"span": "a", "revision": "see "<think>" there"}', None),
        "edit: two": ('[{"span": "a", "revision": "b"}, {"span": "c", "revision": "d"}]', None),
    }
)

QUESTIONS = asked(
    {
        "questions": (
            '{"questions": [{"question": "Who built it?"}, {"question": "When?", "about": "in 1911"}]}',
            ASKED,
        ),
        "questions: bare list": (
            '```\n[{"question": "Who built it?"}, {"question": "When?", "about": "in 1911",}]\n```',
            ASKED,
        ),
        "questions: missing comma": (
            '[{"question": "Who built it?"}\n{"question": "When?", "about": "in 1911"}]',
            ASKED,
        ),
        "questions: cut in one": (
            '{"questions": [{"question": "Who built it?"}, {"question": "Wh',
            None,
        ),
        "questions: cut between": ('[{"question": "Who built it?"}, {', None),
        "questions: cut behind one": ('{"questions": [{"question": "Who built it?"}', None),
        "questions: cut before the first": ('{"questions": [', None),
        "questions: cut in the first": ('{"questions": [{"question": "Wh', None),
        "questions: none": ('{"questions": []}', {"questions": []}),
        "questions: bare list of none": ("[]", {"questions": []}),
        "questions: a box": ("- [ ] Who built it?", None),
        "questions: texts": ('{"questions": ["Who built it?"]}', None),
        "questions: one is broken": ('{"questions": [{"question": "Who?"}, {"question" "When?"}]}', None),
        "questions: one has none": ('{"questions": [{"question": "Who?"}, {"about": "1911"}]}', None),
        "questions: lines": ("1. Who built it?\n2. When?", None),
    }
)

JUDGED = [
    Case("judged", AttributionAnswer, '{"verdict": "Contradictory."}', {"verdict": "contradictory"}),
    Case("judged: first letters", AttributionAnswer, '{"verdict": "attrib"}', None),
    Case("judged: not", AttributionAnswer, "not attributable", None),
]

CASES = [*VERDICTS, *EDITS, *QUESTIONS, *JUDGED]
