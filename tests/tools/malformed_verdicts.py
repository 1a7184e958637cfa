"""Verdicts as language models give them, and what must be read in each: values, or None for nothing."""

from typing import Any, NamedTuple

from pydantic import BaseModel

from rarr.backends.prompted.paper import AgreementAnswer


class Case(NamedTuple):
    id: str
    shape: type[BaseModel]
    text: str
    values: dict[str, Any] | None


YES, NO = {"verdict": "agrees"}, {"verdict": "disagrees"}


def agreed(cases: dict[str, tuple[str, dict[str, Any] | None]]) -> list[Case]:
    return [Case(name, AgreementAnswer, text, values) for name, (text, values) in cases.items()]


AROUND = agreed(
    {
        "gpt: plain": ('{"verdict": "agrees"}', YES),
        "gpt: code block": ('```json\n{"verdict": "agrees"}\n```', YES),
        "gemma: code block, then token": ('```json\n{"verdict": "agrees"}\n```<end_of_turn>', YES),
        "gemma: unclosed object in a code block": ('```json\n{"verdict": "agrees"\n```', YES),
        "claude: preamble": ('Looking at the evidence:\n\n{"verdict": "disagrees"}', NO),
        "claude: preamble and explanation": ('Here it is: {"verdict": "disagrees"}\n\nIt says 1912 [1].', NO),
        "claude: prefilled brace": (
            '"reason": "They differ.", "verdict": "disagrees"}',
            {"reason": "They differ."} | NO,
        ),
        "preamble with braces": ('The set {1, 2} and {a} help. {"verdict": "agrees"}', YES),
        "preamble names keys without values": ('I fill {"verdict": ...} now: {"verdict": "agrees"}', None),
        "template echoed first": ('{"verdict": "agrees | disagrees"}\n{"verdict": "disagrees"}', NO),
        "llama: end tokens": ('{"verdict": "agrees"}<|eot_id|><|end_of_text|>', YES),
        "mistral: end token": (' {"verdict": "agrees"}</s>', YES),
        "qwen: chat template": ('<|im_start|>assistant\n{"verdict": "agrees"}<|im_end|>', YES),
        "deepseek: end token": ('{"verdict": "agrees"}<｜end▁of▁sentence｜>', YES),
        "byte order mark": ('\ufeff{"verdict": "agrees"}', YES),
        "template tokens in a string": (
            '{"reason": "</s> and <think> are tags", "verdict": "agrees"}',
            {"reason": "</s> and <think> are tags"} | YES,
        ),
        "llama: says it twice": ('{"verdict": "agrees"}\n\n{"verdict": "agrees"}', YES),
    }
)


REASONING = agreed(
    {
        "qwen: think": ('<think>\nIt agrees.\n</think>\n\n{"verdict": "disagrees"}', NO),
        "qwen: object in think": ('<think>{"verdict": "agrees"}</think>{"verdict": "disagrees"}', NO),
        "qwen: empty think": ('<think>\n\n</think>\n\n{"verdict": "agrees"}', YES),
        "r1: template opened think": (
            'Maybe {"verdict": "agrees"}.\n</think>\n\n{"verdict": "disagrees"}',
            NO,
        ),
        "r1: open brace in think": (
            'It says {"verdict": "agrees", but no\n</think>\n{"verdict": "disagrees"}',
            NO,
        ),
        "r1: mark in a broken answer": (
            '{"reason": "The page says "a" </think>\nverdict: agrees", "verdict": "disagrees"}',
            None,
        ),
        "r1: mark in a cut answer": ('{"reason": "The page says </think> verdict: agrees', None),
        "nested think": ('<think>a<think>b</think>{"verdict": "agrees"}</think>{"verdict": "disagrees"}', NO),
        "thinking": ('<thinking>agrees</thinking>{"verdict": "disagrees"}', NO),
        "reasoning": ('<Reasoning>\n{"verdict": "agrees"}\n</Reasoning>\n{"verdict": "disagrees"}', NO),
        "kimi": ('◁think▷{"verdict": "agrees"}◁/think▷{"verdict": "disagrees"}', NO),
        "magistral": ('[THINK]{"verdict": "agrees"}[/THINK]{"verdict": "disagrees"}', NO),
        "gpt-oss": (
            '<|channel|>analysis<|message|>{"verdict": "agrees"}?<|end|><|start|>assistant'
            '<|channel|>final<|message|>{"verdict": "disagrees"}<|return|>',
            NO,
        ),
        "gpt-oss: constrained": (
            "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final "
            '<|constrain|>json<|message|>{"verdict": "disagrees"}',
            NO,
        ),
        "gpt-oss: tokens stripped": (
            'analysisWe {"verdict": "agrees"}.assistantfinal{"verdict": "disagrees"}',
            NO,
        ),
        "gpt-oss: cut in analysis": ('<|channel|>analysis<|message|>So {"verdict": "agrees"}', None),
        "gpt-oss: tokens stripped, cut": ('analysisWe could say {"verdict": "agrees"}', None),
        "qwen: cut in think": ('<think>\nI would say {"verdict": "agrees"} but', None),
        "think and nothing else": ("<think>It agrees.</think>", None),
        "think after the answer, then another": (
            '{"verdict": "agrees"}<think>No.</think>{"verdict": "disagrees"}',
            None,
        ),
    }
)


LITERALS = agreed(
    {
        "case": ('{"verdict": "AGREES"}', YES),
        "full stop": ('{"verdict": "Agrees."}', YES),
        "markdown": ('{"verdict": "**agrees**"}', YES),
        "quotes in quotes": ('{"verdict": "\'agrees\'"}', YES),
        "whitespace": ('{"verdict": " agrees\\n"}', YES),
        "bare word": ("{verdict: agrees}", YES),
        "negated": ('{"verdict": "not agrees"}', None),
        "template": ('{"verdict": "agrees | disagrees"}', None),
        "template without quotes": ('{"verdict": agrees | disagrees}', None),
        "hedged": ('{"verdict": "partially agrees"}', None),
        "half a word": ('{"verdict": "agre"}', None),
        "stem": ('{"verdict": "agree"}', None),
        "in doubt": ('{"verdict": "agrees?"}', None),
        "two": ('{"verdict": ["agrees", "disagrees"]}', None),
        "null": ('{"verdict": null}', None),
        "true": ('{"verdict": true}', None),
        "empty": ('{"verdict": ""}', None),
        "missing": ('{"reason": "It agrees."}', None),
        "other words": ('{"verdict": "SUPPORTS"}', None),
    }
)


SYNTAX = agreed(
    {
        "comment with quotes": (
            '{"reason": "It says "x" # "y"", "verdict": "agrees"}',
            {"reason": 'It says "x" # "y"'} | YES,
        ),
        "trailing comma": ('{"verdict": "agrees",}', YES),
        "missing comma": ('{"reason": "So."\n "verdict": "agrees"}', {"reason": "So."} | YES),
        "comments": (
            '{\n// why\n"reason": "So.", # it is\n/* last */ "verdict": "agrees"}',
            {"reason": "So."} | YES,
        ),
        "python": (
            "{'reason': 'It\\'s so.', 'verdict': 'agrees', 'sure': True}",
            {"reason": "It's so."} | YES,
        ),
        "python: bare apostrophe": (
            "{'reason': 'It's so.', 'verdict': 'agrees'}",
            {"reason": "It's so."} | YES,
        ),
        "smart quotes": ("{“reason”: “So.”, “verdict”: “agrees”}", {"reason": "So."} | YES),
        "unquoted keys": ('{reason: "So.", verdict: "agrees"}', {"reason": "So."} | YES),
        "raw line end and tab": (
            '{"reason": "So\n\tit is.", "verdict": "agrees"}',
            {"reason": "So\n\tit is."} | YES,
        ),
        "inner quotes": (
            '{"reason": "He said "no", and "yes".", "verdict": "agrees"}',
            {"reason": 'He said "no", and "yes".'} | YES,
        ),
        "braces in strings": (
            '{"reason": "{\\"verdict\\": 1}", "verdict": "agrees"}',
            {"reason": '{"verdict": 1}'} | YES,
        ),
        "latex": ('{"reason": "\\(x\\_1\\)", "verdict": "agrees"}', {"reason": "\\(x\\_1\\)"} | YES),
        "escaped emoji": ('{"reason": "\\ud83d\\udea7", "verdict": "agrees"}', {"reason": "🚧"} | YES),
        "key with a space": ('{"Text Answer": "1911", "Verdict": "agrees"}', {"text_answer": "1911"} | YES),
        "key with a hyphen": (
            '{"evidence-answer": "1911", "verdict": "agrees"}',
            {"evidence_answer": "1911"} | YES,
        ),
        "unknown keys": ('{"confidence": 0.9, "tags": ["a", {"b": 1}], "verdict": "agrees"}', YES),
        "null for text": ('{"reason": null, "text_answer": None, "verdict": "agrees"}', YES),
        "number for text": ('{"text_answer": 1.50, "verdict": "agrees"}', {"text_answer": "1.50"} | YES),
        "quote missing before a member": ('{"reason": "So., "verdict": "agrees"}', None),
        "quote missing before another object": (
            '{"verdict": "agrees", "reason": "So.}\n{"verdict": "disagrees"}',
            None,
        ),
        "inner quotes, then a brace": (
            '{"reason": "It says "x" } and "y".", "verdict": "agrees"}',
            None,
        ),
        "words for text": ('{"reason": It differs, "verdict": "agrees"}', None),
        "word for text": ('{"reason": so, "verdict": "agrees"}', None),
        "list for text": ('{"reason": ["So."], "verdict": "agrees"}', None),
        "broken inside": ('{"answer" = {"verdict": "agrees"}, "verdict": "disagrees"}', None),
    }
)


WRAPPED = agreed(
    {
        "in answer": ('{"answer": {"verdict": "agrees"}}', YES),
        "tool call": ('{"name": "check_agreement", "arguments": {"verdict": "agrees"}}', YES),
        "tool call with text": ('{"name": "x", "arguments": "{\\"verdict\\": \\"agrees\\"}"}', YES),
        "mistral: tool calls": ('[TOOL_CALLS] [{"name": "x", "arguments": {"verdict": "agrees"}}]', YES),
        "openai: function": ('{"function": {"name": "x", "arguments": {"verdict": "agrees"}}}', YES),
        "hermes: tool call": (
            '<tool_call>\n{"name": "x", "arguments": {"verdict": "agrees"}}\n</tool_call>',
            YES,
        ),
        "list of one": ('[{"verdict": "agrees"}]', YES),
        "json text": ('"{\\"verdict\\": \\"agrees\\"}"', YES),
        "llama: schema filled": ('{"type": "object", "properties": {"verdict": "agrees"}}', YES),
        "schema echoed": (
            '{"properties": {"verdict": {"enum": ["agrees", "disagrees"]}}, "required": ["verdict"]}',
            None,
        ),
        "example beside an answer": ('{"verdict": "neither", "example": {"verdict": "agrees"}}', None),
        "example beside a schema": ('{"properties": {"verdict": 1}, "example": {"verdict": "agrees"}}', None),
        "list of two": ('[{"verdict": "agrees"}, {"verdict": "disagrees"}]', None),
    }
)


SEVERAL = agreed(
    {
        "small model: next example": ('{"verdict": "agrees"}\n\nText: B\n{"verdict": "disagrees"}', None),
        "small model: next example cut": ('{"verdict": "agrees"}\n\nText: B\n{"verdict": "dis', None),
        "runs on after its turn": (
            '{"verdict": "agrees"}<|im_end|>\n<|im_start|>user\n{"verdict": "unknown"}',
            None,
        ),
        "changes its mind": ('{"verdict": "agrees"} Wait, no: {"verdict": "disagrees"}', None),
        "changes its mind to no value": ('{"verdict": "agrees"} Or {"verdict": "partially agrees"}', None),
        "twice in one object": ('{"verdict": "agrees", "Verdict": "disagrees"}', None),
        "twice the same in one object": ('{"verdict": "agrees", "Verdict": "Agrees"}', YES),
    }
)


CUT = agreed(
    {
        "before the last brace": ('{"verdict": "agrees"', YES),
        "after a comma": ('{"verdict": "agrees",', YES),
        "in an unknown member": ('{"verdict": "agrees", "confidence": 0.', None),
        "in a known member": ('{"verdict": "agrees", "reason": "Beca', None),
        "in the name of a known member": ('{"verdict": "agrees", "rea', None),
        "in the verdict": ('{"reason": "So.", "verdict": "agrees', None),
        "in a bare verdict": ("{verdict: agrees", None),
        "in a second verdict": ('{"verdict": "agrees", "verdict": "disag', None),
        "in a wrapper": ('{"name": "x", "arguments": {"verdict": "agrees"}', YES),
        "first brace": ("{", None),
        "nothing": ("", None),
        "blank": (" \n", None),
    }
)


PROSE = agreed(
    {
        "lines": ("Reason: They differ.\nVerdict: disagrees", None),
        "one word": ("Agrees", None),
        "prose": ("The text agrees with the evidence.", None),
        "refusal": ("I'm sorry, but I can't tell whether it agrees.", None),
    }
)


VERDICTS = [*AROUND, *REASONING, *LITERALS, *SYNTAX, *WRAPPED, *SEVERAL, *CUT, *PROSE]
