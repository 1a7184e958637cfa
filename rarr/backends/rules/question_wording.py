"""Puts a sentence with a missing value into the form of a question, and reads what form a question has."""

import re

NAME = "who or what"
_MOVABLE = ("when", "on which day")  # they begin a question wherever their value stands
_AUXILIARY = (
    r"(?:(?:is|are|was|were|can|could|will|would|may|might|must|should)(?=\s|$)"
    r"|(?:has|have|had)(?=\s+(?:been|\w+ed)\b))"
)
_PREPOSITION = r"(?:of|in|on|at|by|for|from|with|to|into|under|over|after|before|between|against|through|as)"
# A subject of a few words, its auxiliary verb, and the words behind it.
_CLAUSE = re.compile(
    rf"(?P<subject>(?!(?i:there|{_PREPOSITION})\b)(?:[^\s,;:()“”]+\s+){{1,8}}?)(?P<verb>{_AUXILIARY})(?P<rest>.*)",
    re.DOTALL,
)
_SECOND_CLAUSE = re.compile(
    r"\b(?:who|which|that|whose|where|when|while|because|if|and|but|or|as|not|what)\b", re.IGNORECASE
)
_LEAD = re.compile(r"(?:.*[,;:](?:\s+|$))?", re.DOTALL)  # the words before the clause
_ARTICLE = re.compile(r"(?:^|(?<=\s))(?:an?|the)$", re.IGNORECASE)
_CONNECTIVE = re.compile(r",?\s+(?:who|which|whose|where|when|and|but|or|while|with)$")
_ENDS_A_NAME = re.compile(rf"$|[,;:)]|{_PREPOSITION}\b")
_POSSESSIVE = re.compile(r"\s*['’]s\b")
_DETERMINER = re.compile(
    r"^(?:An?|The|This|That|These|Those|It|He|She|They|We|His|Her|Its|Their|Our|All|Most|Some|Each|Both"
    r"|About|Around|Roughly|Nearly|Almost|Over|Only)\b"
)

_YES_OR_NO = re.compile(
    r"\s*(?:is|are|was|were|did|does|do|has|have|had|can|could|will|would|should|shall|may|might|must)\b",
    re.IGNORECASE,
)


def is_yes_or_no(question: str) -> bool:
    """Does the question begin with a verb, so that yes or no answers it?"""
    return bool(_YES_OR_NO.match(question))


def worded(before: str, interrogative: str, after: str) -> str:
    """Writes the question with `interrogative` for the value between the words before and after it.

    Where the clause has an auxiliary verb, the question begins with a date or a name, as people ask: "When
    was the bridge opened?" Otherwise the interrogative is in the place of the value.
    """
    before = _ARTICLE.sub("", before).rstrip()
    after = re.sub(r"^\s*%", "percent", _CONNECTIVE.sub("", after))
    if interrogative == NAME and (possessive := _POSSESSIVE.match(after)):
        return f"{before} whose {after[possessive.end() :].lstrip()}".strip()
    if before.endswith("“") and after.startswith("”"):
        before, after = before.removesuffix("“").rstrip(), after.removeprefix("”").lstrip()
    lead = before[: _LEAD.match(before).end()]  # type: ignore[union-attr]  # it matches every text
    clause = before[len(lead) :]
    if lead and not lead[-1].isspace():
        lead += " "
    if question := _beginning(lead, clause, interrogative, after):
        return question
    if interrogative == NAME and clause:
        interrogative = "whom or what"
    return lead + _joined(f"{clause} {interrogative}".strip(), after)


def _beginning(lead: str, clause: str, interrogative: str, after: str) -> str | None:
    """Writes the question with the interrogative before its clause; None if the clause has no simple form.

    Also None for interrogatives that stay in their place, such as "how many".
    """
    if interrogative in _MOVABLE:
        statement = _joined(clause, after) if clause else after.lstrip(", ")
    elif interrogative == NAME and clause and _ENDS_A_NAME.match(after):
        statement = clause
    else:
        return None
    parts = _CLAUSE.fullmatch(statement)
    if parts is None or _SECOND_CLAUSE.search(parts["subject"] + clause):
        return f"{lead}{statement} {interrogative}" if statement and not clause else None
    subject = _DETERMINER.sub(lambda word: word[0].lower(), parts["subject"].strip())
    rest = parts["rest"].strip()
    if interrogative == NAME:
        rest = _joined(rest, after)
    return f"{lead}{interrogative} {parts['verb']} {_joined(subject, rest)}"


def _joined(before: str, after: str) -> str:
    return f"{before}{'' if after[:1] in ',;:)' else ' '}{after}".strip()
