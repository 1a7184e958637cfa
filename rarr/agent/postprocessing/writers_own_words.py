"""Finds sentences in which the writer of an answer speaks of itself, or asks the reader for something.

"I'm sorry, I can't help with that" and "Let me know if you need anything else" state nothing that a source
could confirm. The rule is narrow: each clause has "I" or "you" as its subject or asks something for "me",
none has a date, a number or a name, and the writer reports nothing, as in "I think aspirin cures it".
"""

import re

from rarr.backends.rules.values import checkable_values

_AS = re.compile(r"\bAs an? [^,.]{1,60}, (?=I\b)", re.IGNORECASE)
"""What the writer says it is: "As an AI, I cannot" is about the writer, although "AI" is a name."""
_WRITER = re.compile(r"\bI\b|\bme\b")
_I_AM = re.compile(r"\bI['’]\w+\s")
_BETWEEN_CLAUSES = re.compile(
    r"[,;:.!?()—–]|\b(?:and|but|so|because|since|if|when|while|until|unless|although|that|which|who"
    r"|what|how|why|where|whether)\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r"""\s*(?:
        (?:(?-i:I)|you) (?:['’](?:m|d|ll|ve|re))? \b .*                 # I can't help with this
      | (?: (?!\w+(?:ed|ing|s)\b) (?!(?:the|it|he|she|they)\b) \w+\s+ ){1,4} me\b .*   # feel free to ask me
      | [^\W\d]* \s*                                                    # sorry
    )""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
_REPORTS = re.compile(
    r"""\b(?!feel\s+free\b|tell\s+me\b)
    (?:add|advise|argue|assume|assure|believe|bet|claim|conclude|confirm|doubt|expect|feel|felt|find|found|guarantee
      |guess|hear|heard|know|learn\w*|mean|note|predict|promise|read|recall|recommend|remember|said|saw|say|see
      |state|suggest|suppose|suspect|tell|think|thought|understand|warn|afraid|aware|certain|confident|sure
      |trust)
    \s+\w+\s+\w""",
    re.IGNORECASE | re.VERBOSE,
)
"""The writer reports something: "I think aspirin cures it". "I don't know" reports nothing."""


def is_about_its_writer(sentence: str) -> bool:
    """Does the sentence speak of its writer, and state nothing else that can be checked?"""
    text = _AS.sub("", sentence)
    clauses = _BETWEEN_CLAUSES.split(text)
    if not _WRITER.search(text) or any(map(_REPORTS.search, clauses)):
        return False
    if not all(map(_CLAUSE.fullmatch, clauses)):
        return False
    others = _I_AM.sub("I ", text)  # "I'm" would be read as a name
    return all(value.kind == "term" for value in checkable_values(others))
