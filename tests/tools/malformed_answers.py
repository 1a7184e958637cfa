"""Answers as language models give them, and what must be read in each: values, or None for nothing.

They are: text around the JSON, reasoning, literals, faults of syntax, wrappers, several answers, cuts, prose.
"""

from typing import Any

from pydantic import BaseModel

from rarr.backends.prompted.judging import AttributionAnswer
from rarr.backends.prompted.paper import EditAnswer
from rarr.backends.prompted.questions import QuestionsAnswer
from rarr.records import Agreement

YES, NO = {"verdict": "agrees"}, {"verdict": "disagrees"}

ASKED = {"questions": [{"question": "Who built it?"}, {"question": "When?", "about": "in 1911"}]}

ANSWERS: list[tuple[type[BaseModel], dict[str, Any] | None, list[str]]] = [
    (Agreement, YES, [
        '{"verdict": "agrees"}', '```json\n{"verdict": "agrees"}\n```',
        '```json\n{"verdict": "agrees"}\n```<end_of_turn>', '```json\n{"verdict": "agrees"\n```',
        'The set {1, 2} and {a} help. {"verdict": "agrees"}',
        '{"verdict": "agrees"}<|eot_id|><|end_of_text|>', ' {"verdict": "agrees"}</s>',
        '<|im_start|>assistant\n{"verdict": "agrees"}<|im_end|>',
        '{"verdict": "agrees"}<｜end▁of▁sentence｜>', '\ufeff{"verdict": "agrees"}',
        '{"verdict": "agrees"}\n\n{"verdict": "agrees"}', '<think>\n\n</think>\n\n{"verdict": "agrees"}',
        '{"verdict": "AGREES"}', '{"verdict": "Agrees."}', '{"verdict": "**agrees**"}',
        '{"verdict": "\'agrees\'"}', '{"verdict": " agrees\\n"}', '{verdict: agrees}',
        '{"verdict": "agrees",}', '{"confidence": 0.9, "tags": ["a", {"b": 1}], "verdict": "agrees"}',
        '{"reason": null, "text_answer": None, "verdict": "agrees"}', '{"answer": {"verdict": "agrees"}}',
        '{"name": "check_agreement", "arguments": {"verdict": "agrees"}}',
        '{"name": "x", "arguments": "{\\"verdict\\": \\"agrees\\"}"}',
        '[TOOL_CALLS] [{"name": "x", "arguments": {"verdict": "agrees"}}]',
        '{"function": {"name": "x", "arguments": {"verdict": "agrees"}}}',
        '<tool_call>\n{"name": "x", "arguments": {"verdict": "agrees"}}\n</tool_call>',
        '[{"verdict": "agrees"}]', '"{\\"verdict\\": \\"agrees\\"}"',
        '{"type": "object", "properties": {"verdict": "agrees"}}',
        '{"verdict": "agrees", "Verdict": "Agrees"}', '{"verdict": "agrees"', '{"verdict": "agrees",',
        '{"name": "x", "arguments": {"verdict": "agrees"}',
    ]),
    (Agreement, NO, [
        'Looking at the evidence:\n\n{"verdict": "disagrees"}',
        'Here it is: {"verdict": "disagrees"}\n\nIt says 1912 [1].',
        '{"verdict": "agrees | disagrees"}\n{"verdict": "disagrees"}',
        '<think>\nIt agrees.\n</think>\n\n{"verdict": "disagrees"}',
        '<think>{"verdict": "agrees"}</think>{"verdict": "disagrees"}',
        'Maybe {"verdict": "agrees"}.\n</think>\n\n{"verdict": "disagrees"}',
        'It says {"verdict": "agrees", but no\n</think>\n{"verdict": "disagrees"}',
        '<think>a<think>b</think>{"verdict": "agrees"}</think>{"verdict": "disagrees"}',
        '<thinking>agrees</thinking>{"verdict": "disagrees"}',
        '<Reasoning>\n{"verdict": "agrees"}\n</Reasoning>\n{"verdict": "disagrees"}',
        '◁think▷{"verdict": "agrees"}◁/think▷{"verdict": "disagrees"}',
        '[THINK]{"verdict": "agrees"}[/THINK]{"verdict": "disagrees"}',
        '<|channel|>analysis<|message|>{"verdict": "agrees"}?<|end|><|start|>assistant'
        '<|channel|>final<|message|>{"verdict": "disagrees"}<|return|>',
        '<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant'
        '<|channel|>final <|constrain|>json<|message|>{"verdict": "disagrees"}',
        'analysisWe {"verdict": "agrees"}.assistantfinal{"verdict": "disagrees"}',
    ]),
    (Agreement, NO | {'reason': 'They differ.'}, ['"reason": "They differ.", "verdict": "disagrees"}']),
    (Agreement, None, [
        'I fill {"verdict": ...} now: {"verdict": "agrees"}',
        '{"reason": "The page says "a" </think>\nverdict: agrees", "verdict": "disagrees"}',
        '{"reason": "The page says </think> verdict: agrees',
        '<|channel|>analysis<|message|>So {"verdict": "agrees"}',
        'analysisWe could say {"verdict": "agrees"}', '<think>\nI would say {"verdict": "agrees"} but',
        '<think>It agrees.</think>', '{"verdict": "agrees"}<think>No.</think>{"verdict": "disagrees"}',
        '{"verdict": "not agrees"}', '{"verdict": "agrees | disagrees"}', '{"verdict": agrees | disagrees}',
        '{"verdict": "partially agrees"}', '{"verdict": "agre"}', '{"verdict": "agree"}',
        '{"verdict": "agrees?"}', '{"verdict": ["agrees", "disagrees"]}', '{"verdict": null}',
        '{"verdict": true}', '{"verdict": ""}', '{"reason": "It agrees."}', '{"verdict": "SUPPORTS"}',
        '{"reason": "So., "verdict": "agrees"}',
        '{"verdict": "agrees", "reason": "So.}\n{"verdict": "disagrees"}',
        '{"reason": "It says "x" } and "y".", "verdict": "agrees"}',
        '{"reason": It differs, "verdict": "agrees"}', '{"reason": so, "verdict": "agrees"}',
        '{"reason": ["So."], "verdict": "agrees"}',
        '{"answer" = {"verdict": "agrees"}, "verdict": "disagrees"}',
        '{"properties": {"verdict": {"enum": ["agrees", "disagrees"]}}, "required": ["verdict"]}',
        '{"verdict": "neither", "example": {"verdict": "agrees"}}',
        '{"properties": {"verdict": 1}, "example": {"verdict": "agrees"}}',
        '[{"verdict": "agrees"}, {"verdict": "disagrees"}]',
        '{"verdict": "agrees"}\n\nText: B\n{"verdict": "disagrees"}',
        '{"verdict": "agrees"}\n\nText: B\n{"verdict": "dis',
        '{"verdict": "agrees"}<|im_end|>\n<|im_start|>user\n{"verdict": "unknown"}',
        '{"verdict": "agrees"} Wait, no: {"verdict": "disagrees"}',
        '{"verdict": "agrees"} Or {"verdict": "partially agrees"}',
        '{"verdict": "agrees", "Verdict": "disagrees"}', '{"verdict": "agrees", "confidence": 0.',
        '{"verdict": "agrees", "reason": "Beca', '{"verdict": "agrees", "rea',
        '{"reason": "So.", "verdict": "agrees', '{verdict: agrees',
        '{"verdict": "agrees", "verdict": "disag', '{', '', ' \n',
        'Reason: They differ.\nVerdict: disagrees', 'Agrees', 'The text agrees with the evidence.',
        "I'm sorry, but I can't tell whether it agrees.",
    ]),
    (Agreement, YES | {'reason': '</s> and <think> are tags'}, [
        '{"reason": "</s> and <think> are tags", "verdict": "agrees"}',
    ]),
    (Agreement, YES | {'reason': 'It says "x" # "y"'}, [
        '{"reason": "It says "x" # "y"", "verdict": "agrees"}',
    ]),
    (Agreement, YES | {'reason': 'So.'}, [
        '{"reason": "So."\n "verdict": "agrees"}',
        '{\n// why\n"reason": "So.", # it is\n/* last */ "verdict": "agrees"}',
        '{“reason”: “So.”, “verdict”: “agrees”}', '{reason: "So.", verdict: "agrees"}',
    ]),
    (Agreement, YES | {'reason': "It's so."}, [
        "{'reason': 'It\\'s so.', 'verdict': 'agrees', 'sure': True}",
        "{'reason': 'It's so.', 'verdict': 'agrees'}",
    ]),
    (Agreement, YES | {'reason': 'So\n\tit is.'}, ['{"reason": "So\n\tit is.", "verdict": "agrees"}']),
    (Agreement, YES | {'reason': 'He said "no", and "yes".'}, [
        '{"reason": "He said "no", and "yes".", "verdict": "agrees"}',
    ]),
    (Agreement, YES | {'reason': '{"verdict": 1}'}, [
        '{"reason": "{\\"verdict\\": 1}", "verdict": "agrees"}',
    ]),
    (Agreement, YES | {'reason': '\\(x\\_1\\)'}, ['{"reason": "\\(x\\_1\\)", "verdict": "agrees"}']),
    (Agreement, YES | {'reason': '🚧'}, ['{"reason": "\\ud83d\\udea7", "verdict": "agrees"}']),
    (Agreement, YES | {'text_answer': '1911'}, ['{"Text Answer": "1911", "Verdict": "agrees"}']),
    (Agreement, YES | {'evidence_answer': '1911'}, [
        '{"evidence-answer": "1911", "verdict": "agrees"}',
    ]),
    (Agreement, YES | {'text_answer': '1.50'}, ['{"text_answer": 1.50, "verdict": "agrees"}']),
    (EditAnswer, {'span': 'in 1911', 'revision': 'in 1912'}, ['{"span": "in 1911", "revision": "in 1912"}']),
    (EditAnswer, {'revision': ''}, ['{"span": null, "revision": ""}']),
    (EditAnswer, None, [
        '{"span": "in 1911", "revision": null}', '{"span": "in 1911", "revision": "in 19',
        '{"span": "in 1911", "revision": "He said "no"', '{"span": "a", "revision": "see "<think>" there"}',
        '[{"span": "a", "revision": "b"}, {"span": "c", "revision": "d"}]',
    ]),
    (EditAnswer, {'span': '<s>1911</s>', 'revision': '1912'}, [
        '{"span": "<s>1911</s>", "revision": "1912"}',
    ]),
    (EditAnswer, {'span': 'in 1911', 'revision': 'He said "no", then left: in "May".'}, [
        '{"span": "in 1911", "revision": "He said "no", then left: in "May"."}',
    ]),
    (EditAnswer, {'span': 'a', 'revision': '```x```'}, ['{"span": "a", "revision": "```x```"}']),
    (QuestionsAnswer, ASKED, [
        '{"questions": [{"question": "Who built it?"}, {"question": "When?", "about": "in 1911"}]}',
        '```\n[{"question": "Who built it?"}, {"question": "When?", "about": "in 1911",}]\n```',
        '[{"question": "Who built it?"}\n{"question": "When?", "about": "in 1911"}]',
    ]),
    (QuestionsAnswer, None, [
        '{"questions": [{"question": "Who built it?"}, {"question": "Wh',
        '[{"question": "Who built it?"}, {', '{"questions": [{"question": "Who built it?"}',
        '{"questions": [', '{"questions": [{"question": "Wh', '- [ ] Who built it?',
        '{"questions": ["Who built it?"]}', '{"questions": [{"question": "Who?"}, {"question" "When?"}]}',
        '{"questions": [{"question": "Who?"}, {"about": "1911"}]}', '1. Who built it?\n2. When?',
    ]),
    (QuestionsAnswer, {'questions': []}, ['{"questions": []}', '[]']),
    (AttributionAnswer, {'verdict': 'contradictory'}, ['{"verdict": "Contradictory."}']),
    (AttributionAnswer, None, ['{"verdict": "attrib"}', 'not attributable']),
]  # fmt: skip

CASES = [(shape, values, text) for shape, values, texts in ANSWERS for text in texts]
