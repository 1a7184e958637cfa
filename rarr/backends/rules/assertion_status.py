"""Decides whether a sentence states its content, or denies, doubts or only reports it.

"It was disproved that the pier opened in 1898" has every word of "the pier opened in 1898" and is no
evidence for it. Words after "that" are stated only if the words before it say so, because a list of all
denying words would never be complete. Words of doubt count anywhere else in the sentence.
"""

import re
from functools import lru_cache

from rarr.tools.text.blocks_and_sentences import Span

_DOUBT = re.compile(
    r"""\b(?:
        untrue | not\s+true | false(?:ly|hood)? | incorrect(?:ly)? | inaccurate(?:ly)?
      | wrong(?:ly)? | mistak\w+ | err(?:s|ed|or|ors|oneous|oneously)? | untenable | apocryphal
      | mis(?:report|stat|dat|attribut|quot|calculat|inform|conce|led|print|read|remember)\w*
      | dis(?:prov|credit)\w* | disputed | dismiss\w*\s+(?:\w+\s+)?as | refut\w* | debunk\w*
      | deny | deni(?:es|ed|al|als) | contradict\w*
      | doubt(?:s|ed|ful|fully)? | dubious(?:ly)? | unlikely | improbable | implausible | questionabl[ey]
      | unfounded | baseless | groundless | unsubstantiated | unproven | unconfirmed
      | no\s+(?:basis|evidence|proof|truth) | contrary\s+to
      | far\s+from(?!\s+(?:(?:a|an|its|his|her|their|any|the(?!\s+(?:truth|case)))\s|[A-Z]))
      | myths? | mythical | legends? | legendary | rumou?r(?:s|ed)? | hearsay | gossip | hoax(?:es)?
      | fable[sd]? | fictitious | fictional | satir\w+ | alleged(?:ly)? | supposed(?:ly)? | purported(?:ly)?
      | reputed(?:ly)?
      | so-called | (?:some|many|people|critics|locals|guides)\s+(?:say|claim|believe|think|insist)
      | (?:once|long|widely|formerly|commonly|generally)
        \s+(?:thought|believed|held|assumed|claimed|said)
      | (?:was|were|is|are|been)\s+(?:thought|believed|assumed|claimed|said|rumoured|meant|supposed)\s+to
      | (?:the|a|any)\s+claims?\s+(?:that|of) | (?:could|might|would|should)\s+have | had\s+\w+\s+not
      | if\s+only
      | never\s+(?:came|happened|materiali[sz]ed|built|carried) | abandoned\s+plans?
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)
# "That" before a subject opens a reported clause. A relative "that" stands before its verb, or behind the
# noun of a thing.
_REPORTED = re.compile(
    r"\b(?:that|whether)\s+(?=(?:the|a|an|it|its|he|she|they|his|her|their|this|these|there|in|on|at)\b|[A-Z])"
)
_THING = re.compile(
    r"\b(?:the|an?|this|his|her|its|their|last|first|only|all)\s+"
    r"(?:[\w:.'’-]+\s+(?!\w+(?:ed|s)\s+$))?(?P<noun>[\w:.'’-]+)\s+$",  # "the mayor hoped" is no thing
    re.IGNORECASE,
)
_REACH = 100  # characters before a "that" that are searched for its noun
_STATEMENT = re.compile(
    r"(?:accusation|allegation|argument|assertion|assumption|belief|claim|complaint|conclusion|condition|denial"
    r"|expectation|fact|fear|guess|hint|hope|hypothesis|idea|impression|news|notion|opinion|possibility|prediction"
    r"|promise|proof|proposal|report|rumour|rumor|statement|story|suggestion|suspicion|tale|talk|theory|thought|view"
    r"|warning|word)s?",
    re.IGNORECASE,
)
_STATING = re.compile(
    r"\b(?:show\w*|confirm\w*|prov(?:e|es|ed|en|ing)|not(?:e|es|ed)|record(?:s|ed)?|announce\w*|f(?:ind|inds|ound)"
    r"|reveal\w*|demonstrat\w*|establish\w*|document(?:s|ed)?|know(?:s|n)?|knew|clear(?:ly)?|certain|sure|true|fact"
    r"|stat(?:e|es|ed)|sa(?:y|ys|id)|writ(?:e|es|ten)|wrote|add(?:s|ed)|explain\w*|agree\w*|provid\w*|requir\w*"
    r"|ensur\w*|mean(?:s|t)?|recommend\w*|remember\w*|learn\w*|undisputed|evident|obvious|so|such|now|given)\b",
    re.IGNORECASE,
)
_NOT = re.compile(
    r"\b(?:no|not|never|nobody|none|nothing|neither|nor|hardly|without|cannot|\w+n['’]t)\b", re.IGNORECASE
)
# A denied doubt is a statement: "no one doubts that", "it is no myth that".
_NO_DOUBT = re.compile(
    r"\b(?:no|not|never|nobody|none|without|beyond|hardly|\w+n['’]t)\s+(?:(?:a|an|any|one|the|longer|seriously)\s+)*"
    r"(?:doubt\w*|myths?|legends?|rumou?rs?|disput\w*|question\w*|den\w*|mistak\w*|error|fable|hoax)\b|\bundoubted\w*",
    re.IGNORECASE,
)


# "Legends of Tolk" is a title, and not a doubt.
_TITLE = re.compile(r"(?:(?<=[a-z,] )[A-Z]\w+|\b[A-Z]\w+(?=\s+of\s+(?:the\s+)?[A-Z]))")


@lru_cache(maxsize=4096)  # each sentence is compared with many
def doubt_spans(text: str) -> tuple[Span, ...]:
    """Returns the places of the words by which a sentence denies or doubts its content."""
    settled = [match.span() for match in _NO_DOUBT.finditer(text)]
    settled += [match.span() for match in _TITLE.finditer(text)]
    return tuple(
        Span(*match.span())
        for match in _DOUBT.finditer(text)
        if not any(start <= match.start() < end for start, end in settled)
    )


def is_asserted(text: str, place: int) -> bool:
    """Does the sentence `text` state what stands at `place`?

    It must have no word of doubt at all, and no "that" before `place` which only reports.
    """
    if doubt_spans(text):
        return False
    return not any(_is_only_reported(text, match.start()) for match in _REPORTED.finditer(text, 0, place))


def _is_only_reported(text: str, start: int) -> bool:
    """Does the "that" at `start` open a clause that is neither stated nor about the noun before it?"""
    before = text[:start]
    thing = _THING.search(before[-_REACH:])
    if thing is not None and not _STATEMENT.fullmatch(thing["noun"]):
        return False
    before = _NO_DOUBT.sub("certain", before)
    return not _STATING.search(before) or bool(_NOT.search(before))
