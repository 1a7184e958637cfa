"""Finds signs of an injection: a passage gives orders to a language model instead of informing a reader.

The short list of patterns finds plain attempts in English. It does not find a fluent sentence that only
suggests a verdict; `python -m benchmarks.injection` counts such cases. So no code may rely on the list alone.
Even if a passage deceives a model, `rarr/ledger/edit_gate.py` limits the edits that the model can cause.
"""

import re
import unicodedata
from functools import cache, lru_cache

from rarr.tools.guard.invisible_characters import hides_text, without_invisible

_QUOTES = str.maketrans(dict.fromkeys("'‘’‚‛“”„‟′″`´«»", '"'))
_ACCENTS = re.compile("[\u0300-\u036f\u20d0-\u20ff]")

# An order begins a clause, or follows a word such as "please". In "pilots ignore", it is no order.
_ORDER = (
    r'(?:^|[.!?:;,\n"()\[\]{}*>#=/-] ?'
    r"|\b(?:please|kindly|now|just|simply|then|and|always|must|should|so|(?:you|need|have|want|sure) to) )"
)
_IGNORE = (
    r"(?:ignor(?:e|ing)|disregard|forget|override|bypass|scrap|set aside|stop (?:following|obeying)"
    r"|(?:do not|don.t|never|no longer) (?:follow|obey))"
)
_EARLIER = r"(?:previous|prior|above|earlier|preceding|original|initial|your|system|developer|operator)"
_INSTRUCTIONS = (
    r"(?:instructions?|prompts?|directions?|directives?|guidelines?|guidance|rules?|commands?"
    r"|polic(?:y|ies))\b"
)
_AI = (
    r"(?:(?:large )?language models?|llms?|a\.?i\.?s?(?: (?:models?|assistants?|systems?|agents?))?"
    r"|(?:automated|automatic|machine) (?:fact.?check\w*|verif\w*|readers?|reviewers?|checkers?|systems?)"
    r"|fact.?checking (?:models?|assistants?|systems?|bots?)|chat.?bots?"
    r"|(?:automated|ai|virtual|digital) assistants?)(?!\w)"
)
_BOT = rf"(?:{_AI}|assistant|(?:chat)?bot|(?:fact.?)?checker|verifier|grader)\b"
_VERDICT = r"(?:(?:dis)?agrees|attributable|extrapolatory|contradictory)\b(?! (?:with|that|to|on|or|in)\b)"
_CLAIM = (
    r"(?:the|this|that|any|every|each|all) (?:\w{2,10} ){0,2}"
    r"(?:claims?|texts?|sentences?|statements?|drafts?|evidence|user.s \w+)"
)
_TRUE_WORDS = r"(?:true|correct|accurate|right|supported|verified|confirmed|consistent|contradictory)\b"

# By reason: words of which each match contains at least one, and the patterns.
_SIGNS = {
    "it holds the control words of a chat template": (
        "<|inst]|###|human:",
        r"<[|｜][^\s|｜<>][^|｜<>\n]{0,60}[|｜]>|\[/?inst\]|<</?sys>>|<(?:start|end)_of_turn>",
        r"### ?(?:instruction|system|human|user|assistant)\b[^:\n]{0,20}(?::|###)",
        r"\nhuman:[^\0]{0,500}\nassistant:",
    ),
    "it ends the quotation that it stands in": (
        "evidence|answer:|context|quotation",
        r"< ?/ ?evidence\b|(?:^|[\n.\"] ?)(?:text|evidence) answer:",
        r"\b(?:end of|end|/) ?(?:the )?(?:evidence|context|quotation) ?[\])>=*-]",
    ),
    "it holds an answer in the form that the prompt asks for": (
        "verdict|_answer|revision|questions",
        r"\bverdict\"? ?[:=] ?\"?(?:agrees|disagrees|attributable|extrapolatory|contradictory|irrelevant)\b",
        r"\b(?:text|evidence)_answer\b|\"revision\" ?:|\{ ?\"questions\" ?:",
    ),
    "it poses as a message of the system or a tool": (
        "tool_|function_|system|admin|developer|operator|assistant:|new instruction",
        r"</?(?:(?:tool|function)_(?:call|response|result)s?|system)>",
        r"(?:^|[\n.!?\"\[({<*#=] ?)(?:system|admin\w{0,10}|developer|operator) "
        r"(?:message|prompt|override|instruction|notice|alert)s? ?[\])}>*#=:-]",
        r"\b(?:begin|end) (?:system|admin|developer) (?:message|prompt|instruction)",
        r"(?:^|\n|[.!?] )(?:system|assistant|developer): [^\n]{0,80}"
        r"(?:polic|verdict|ignor|approve|agree|you are)",
        r"\bnew instructions?:",
    ),
    "it asks to ignore earlier instructions": (
        "ignor|disregard|forget|override|bypass|scrap|set aside|follow|obey|your |precedence|priority",
        rf"{_ORDER}{_IGNORE} (?:(?:[\w.]+ ){{0,4}}?{_EARLIER} (?:\w+ ){{0,3}}?{_INSTRUCTIONS}"
        rf"|(?:\w+ ){{0,2}}?(?:everything|all|anything|what|{_INSTRUCTIONS}) (?:\w+ ){{0,2}}?"
        r"(?:above|before this|you (?:were|have been) (?:told|given)|were told)\b)",
        r"\byour (?:\w+ )?(?:instructions|guidelines|rules|system prompt) (?:no longer\b"
        r"|(?:are|is|ha(?:s|ve) been) (?:now |hereby )?"
        r"(?:void|changed|updated|replaced|suspended|cancelled|lifted|overridden|superseded|to)\b)",
        r"(?:precedence|priority) over (?:your|all|previous|earlier|the system)\b",
    ),
    "it gives a language model a role": (
        "you|act |behave |pretend |imagine ",
        rf"(?<!\")\byou(?: are|.re|r (?:new )?(?:role|persona) is)(?: now| no longer)?"
        rf"(?:,? [\w-]+){{0,5}}? {_BOT}",
        rf"{_ORDER}(?:act|behave|pretend|imagine)\b(?: [\w-]+){{0,5}}? {_BOT}",
        r"\bfrom now on,? you (?:will|must) (?:always )?(?:answer|respond|reply|agree|act)\b",
    ),
    "it asks for the prompt": (
        "prompt|instructions|rules",
        rf"{_ORDER}(?:repeat|reveal|print|show|output|quote|copy|tell|share|list|give)\b(?: \w+){{0,5}}? "
        r"(?:your|system|hidden)(?: \w+){0,3}? (?:prompt|instructions|rules)\b",
        r"\byour (?:system|initial|hidden) prompt\b",
    ),
    "it addresses a language model": (
        "language model|llm|ai|a.i|automat|machine|checking|bot|assistant",
        r"(?:\b(?:attention|dear|hey|hello|hi|(?:note|message|instructions?) (?:to|for)|if you are|as)"
        rf"|[(:\[] ?|<!-- ?)(?: \w+){{0,3}}? ?{_AI}"
        r"(?: (?:reading|checking|judging|processing)(?: \w+){0,3})? ?[,:!]",
        rf"{_AI} (?:\w+ ){{0,2}}?(?:reading|processing|ingesting|ingests?|process) (?:this|the) "
        r"(?:page|text|document|passage)",
        rf"\b(?:for|by) (?:{_AI})(?: readers?)? (?:only|alone)\b",
    ),
    "it demands an answer": (
        "verdict|agree|attributable|extrapolatory|contradictory|claim|text|sentence|"
        "statement|draft|evidence|user|respond|reply|answer|output only|your ",
        rf"\bverdicts?\b[^.!?\n]{{0,40}}\b(?:is|are|be|as|to) \"?{_VERDICT}",
        rf"{_ORDER}(?:(?:answer|respond|reply|say|output|print|return|write|conclude|give)\b[^.!?\n]{{0,40}}"
        rf"[\" ]{_VERDICT}"
        rf"|(?:mark|treat|rate|classify|label|report|say|state|conclude|answer)(?: that)? {_CLAIM} "
        rf"(?:\w+ ){{0,2}}?(?:as |is )?(?:\w+ ){{0,2}}?{_TRUE_WORDS}(?! or)"
        rf"|(?:approve|accept|confirm|validate) {_CLAIM}(?= ?[.!\n]| as | without|$)"
        r"|(?:change|edit|modify|rewrite) (?:the|this|a) (?:claim|user.s \w+|text under review) )",
        r"\b(?:respond|reply|answer) (?:only|exactly|solely) with\b",
        r"\b(?:respond|reply|answer)\b[^.!?\n]{0,30}\band nothing (?:else|more)(?=[.!\n]|$)",
        r"\boutput only (?:the|this|one) (?:\w+ )?(?:word|json|verdict)\b",
        r"\byour (?:verdict|edit|revision|judge?ment) (?:must|should|has to)\b",
    ),
}


@lru_cache(maxsize=1024)  # several queries return the same passage
def suspicion(text: str) -> str:
    """Returns why `text` seems to be an injection; "" if there is no sign of an injection."""
    if hides_text(text):
        return "it hides text in characters that cannot be seen"
    plain = without_invisible(text)
    if not plain.isascii():
        plain = _ACCENTS.sub("", unicodedata.normalize("NFKD", plain))
    plain = re.sub(r"[^\S\n]+", " ", plain.translate(_QUOTES).casefold())
    found = ((why, signs) for why, words, signs in sign_patterns() if any(word in plain for word in words))
    return next((why for why, signs in found if any(sign.search(plain) for sign in signs)), "")


@cache
def sign_patterns() -> list[tuple[str, list[str], list[re.Pattern[str]]]]:
    """Returns (reason, words, patterns) for each sign. A text that has no word of `words` has no match."""
    compiled = ((why, [re.compile(it, re.MULTILINE) for it in signs]) for why, (_, *signs) in _SIGNS.items())
    return [(why, _SIGNS[why][0].split("|"), signs) for why, signs in compiled]
