"""Text that others wrote, and that a language model is shown: made harmless, and judged.

`neutralised` is what goes into a prompt. `suspicion` tells whether a passage speaks to a model rather than
to a reader; no such passage should go into one. Both take linear time, whatever the text.
"""

import re
from functools import lru_cache

from rarr.tools import (
    injection_languages as languages,
    injection_scripts as scripts,
    injection_southern as southern,
)
from rarr.tools.injection_common import COMMON, JOINED
from rarr.tools.injection_english import ENGLISH
from rarr.tools.injection_rules import HIDDEN, Rules, folded
from rarr.tools.invisible import seen, spelled
from rarr.tools.unmasking import readings

_FENCES = "evidence|text|context|before|query|quotation|document|documents|passage|passages"
_TAGS = (
    "start_of_turn|end_of_turn|bos|eos|sop|eop|eoh|eoa|eot|pad|unk|think|tool|tools|tool_call|tool_calls|tool_response"
    "|tool_result|tool_results|function_call|function_calls|function_result|function_results|system|system_prompt"
    "|assistant|developer|instructions|unused\\d{1,4}|reserved_\\d{1,4}|extra_id_\\d{1,4}"
)
_TOKEN = re.compile(
    rf"<(?P<fence>[ \t]*+/?[ \t]*+(?:{_FENCES}|{_TAGS})\b[^<>\[\n]{{0,200}}+)(?P<end>>)?"
    r"|<(?P<small>/?s\s?)>"
    r"|<(?P<bar>[|｜][^\s|｜<>][^|｜<>\n]{0,100}+[|｜])>"
    r"|<<(?P<sys>/?SYS)>>"
    r"|\[(?P<square>/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT|gMASK|IMG))\]",
    re.IGNORECASE,
)
# Insertions before the label, and ones behind which it still is one for a model.
_LABEL = re.compile(
    r"^(?P<indent>[^\S\n]*+(?:[>*_#-]{1,8}[^\S\n]*+)?)"
    r"(?=(?:query|before|text answer|evidence answer|human|assistant|system|user|developer"
    r"|(?:\#{0,6}[ ]?)(?:instruction|response|input|output))[ \t*_]{0,4}[:：])",
    re.IGNORECASE | re.MULTILINE,
)
_HEADINGS = re.compile(r"^[ \t]*+#", re.MULTILINE)
_MARK = "› "
_RULES = Rules(
    *COMMON, *ENGLISH, *JOINED, *languages.GERMAN, *languages.FRENCH, *southern.SPANISH, *southern.ITALIAN,
    *southern.PORTUGUESE, *scripts.TURKISH,
)  # fmt: skip
_OTHER_SCRIPT = re.compile("[\u0400-\u052f\u0600-\u06ff\u0900-\u097f\u3040-\u30ff\u4e00-\u9fff]")
_OTHER_SCRIPTS = Rules(
    *scripts.RUSSIAN, *scripts.CHINESE, *scripts.JAPANESE, *scripts.ARABIC, *scripts.HINDI,
)  # fmt: skip


def neutralised(text: str) -> str:
    """`text` for a prompt: nothing invisible in it, no chat template, and nothing that ends our quotation.

    What a reader sees stays, but for `‹ ›` in the place of brackets and `›` before some labels. Idempotent.
    """
    return _LABEL.sub(_labelled, _TOKEN.sub(_bracketed, seen(text)))


@lru_cache(maxsize=1024)  # one passage comes up for several queries
def suspicion(text: str) -> str:
    """Why `text` seems to address a language model, in a few words; an empty string where it does not."""
    if any(len(one) > 3 for one in spelled(text)):
        return HIDDEN
    for how, said in readings(text):
        if reason := _reason(said):
            return reason + how
    return ""


def _reason(text: str) -> str:
    flat = folded(text)
    return _RULES.reason(flat) or (_OTHER_SCRIPTS.reason(flat) if _OTHER_SCRIPT.search(flat) else "")


def _bracketed(match: re.Match[str]) -> str:
    kind = match.lastgroup if match.lastgroup != "end" else "fence"
    inner = match[kind or 0]
    closing = "›" if kind != "fence" or match["end"] else ""
    return f"‹‹{inner}››" if kind == "sys" else f"‹{inner}{closing}"


def _labelled(match: re.Match[str]) -> str:
    return f"{match['indent']}{_MARK}"
