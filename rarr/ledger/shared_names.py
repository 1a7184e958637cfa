"""Finds pages of several things of one name that answer differently, where the text does not say which."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rarr.backends.rules.counterparts import parsed_passage
from rarr.backends.rules.name_matching import same_name
from rarr.backends.rules.namesakes import is_meant, name_in_title
from rarr.backends.rules.proper_names import proper_names
from rarr.records import Check, Evidence, Notice


class SharedName(NamedTuple):
    """A name, and the evidence of each thing that bears it, the most relevant of each."""

    name: str
    bearers: tuple[Evidence, ...]

    @property
    def titles(self) -> frozenset[str]:
        """The titles of the pages."""
        return frozenset(passage.title for passage in self.bearers)

    def notice(self) -> Notice:
        """Writes the warning that names the pages."""
        titles = " or ".join(dict.fromkeys(passage.title for passage in self.bearers))
        message = f"{self.name} may be {titles}, which answer differently: say in the text which is meant"
        return Notice(code="ambiguous_name", message=message, node="attribute")


def shared_name(
    text: str, context: str | None, checks: Sequence[Check], evidence: Mapping[str, Evidence]
) -> SharedName | None:
    """Finds a name of the text that several pages bear which answer a sentence differently; None for none.

    `checks` are those of the sentence's queries. The pages have the name as their title, with a qualifier or
    without. None if the text tells the pages apart, if all agree with it, or if the page without a qualifier,
    which is the plain reading of the name, agrees.
    """
    answers: dict[str, dict[str, list[Check]]] = defaultdict(lambda: defaultdict(list))
    for check in checks:
        if check.evidence_id in evidence and (check.verdict == "agrees" or check.evidence_answer):
            title = evidence[check.evidence_id].title
            answers[name_in_title(title).casefold()][title].append(check)
    names = proper_names(f"{context or ''}\n{text}")
    for by_title in answers.values():
        name = name_in_title(next(iter(by_title)))
        if not any(same_name(name, other.text) for other in names) or _is_clear(name, by_title):
            continue
        bearers = [max((evidence[c.evidence_id] for c in them), key=_relevance) for them in by_title.values()]
        asked = {check.text_answer for them in by_title.values() for check in them}
        meant = [is_meant(text, context, asked, parsed_passage(page.text, page.title)) for page in bearers]
        if len({*meant}) == 1:
            return SharedName(name, tuple(sorted(bearers, key=_relevance, reverse=True)))
    return None


def _is_clear(name: str, by_title: Mapping[str, Sequence[Check]]) -> bool:
    """Is there one page only, do all agree, or does the page without a qualifier agree?"""
    agreeing = {title for title, them in by_title.items() if all(c.verdict == "agrees" for c in them)}
    return len(by_title) == 1 or len(agreeing) == len(by_title) or name in agreeing


def _relevance(passage: Evidence) -> float:
    return passage.relevance
