"""Checks whether the source that the text cites supports the sentence that cites it."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rarr.agent.citing.citation_resolution import CitedSources
from rarr.agent.citing.cited_clauses import clause_before
from rarr.components import Components
from rarr.ledger.citation_support import confirming_passages
from rarr.ledger.sentence_support import classify_sentences
from rarr.records import Evidence, Notice, Passage
from rarr.records.citations import CitationCheck, CitationState
from rarr.state import failure
from rarr.tools.concurrency.worker_threads import work
from rarr.tools.guard.injection import suspicion
from rarr.tools.models.run_budget import meter
from rarr.tools.text.blocks_and_sentences import Span
from rarr.tools.text.citation_marks import CitationMark, source_entries


class CitedText(NamedTuple):
    """The text whose citations are checked, with its context."""

    text: str
    context: str | None


class _ReadCitation(NamedTuple):
    """A citation with the passages of its source and their supports; `passages` is None without a source.

    `problem` tells why passages of the source could not be judged.
    """

    mark: CitationMark
    target: str
    passages: list[Evidence] | None
    supports: dict[str, float]
    problem: Notice | None = None


async def check_citations(
    cited: CitedText, marks: Sequence[CitationMark], sources: CitedSources, components: Components
) -> tuple[list[CitationCheck], list[Notice]]:
    """Judges each citation of the text. Returns a check for each of `marks`, and notices about failures."""
    entries = {entry.label: entry.text for entry in source_entries(cited.text)}
    read = await asyncio.gather(
        *(
            _read(cited, mark, _target(mark, entries), number, sources, components)
            for number, mark in enumerate(marks, start=1)
        )
    )
    checks = []
    for citation in read:
        beside = [other for other in read if other.mark.sentence == citation.mark.sentence]
        checks.append(await work(_check, cited, citation, beside, components.settings.support_threshold))
    checks = await asyncio.gather(
        *(
            _by_clause(cited, citation, check, marks, components)
            for citation, check in zip(read, checks, strict=True)
        )
    )
    unjudged = [citation for citation, check in zip(read, checks, strict=True) if check.state == "unjudged"]
    return list(checks), [citation.problem for citation in unjudged if citation.problem]


async def _by_clause(
    cited: CitedText,
    citation: _ReadCitation,
    check: CitationCheck,
    marks: Sequence[CitationMark],
    components: Components,
) -> CitationCheck:
    """Judges a citation inside a sentence again, by the words before its mark, if it does not support all.

    The sentence may have other marks, for other words. If the words cannot be judged, neither can the mark.
    """
    if check.state not in ("not_supported", "unjudged") or not citation.passages or citation.problem:
        return check
    clause = await work(clause_before, cited.text, citation.mark, marks)
    if clause is None:
        return check
    part = cited._replace(text=clause.text)
    try:
        async with meter().in_time():
            found = [await _support(part, clause.span, passage, components) for passage in citation.passages]
    except Exception:
        return check.model_copy(update={"state": "unjudged"})
    supports = {
        passage.id: score
        for passage, score in zip(citation.passages, found, strict=True)
        if score is not None
    }
    if not supports:
        return check.model_copy(update={"state": "unjudged"})
    mark = citation.mark._replace(sentence=clause.span)
    alone = citation._replace(mark=mark, supports=supports)
    if not await work(_confirming, part, [alone], components.settings.support_threshold):
        return check
    best = max(citation.passages, key=lambda passage: supports.get(passage.id, 0.0))
    return check.model_copy(
        update={"state": "supported", "part": True, "support": supports.get(best.id), "passage": best}
    )


def _target(mark: CitationMark, entries: dict[str, str]) -> str:
    label = mark.label
    return entries.get(label, "" if label.isdecimal() or label.startswith("^") else label)


async def _read(
    cited: CitedText,
    mark: CitationMark,
    target: str,
    number: int,
    sources: CitedSources,
    components: Components,
) -> _ReadCitation:
    """Finds the cited source, and asks the verifier how far its passages support the sentence.

    Suspicious passages are left out. `number` is part of the passages' ids. A failure becomes a notice.
    """
    try:
        async with meter().in_time():
            passages = await sources.passages(mark.label, target, mark.sentence.of(cited.text))
            if passages is None:
                return _ReadCitation(mark, target, None, {})
            evidence = [_evidence(passage, f"c{number}.{n}") for n, passage in enumerate(passages, start=1)]
            usable = [passage for passage in evidence if not passage.suspicious]
            supports = [await _support(cited, mark.sentence, passage, components) for passage in usable]
    except Exception as error:
        notice = failure("cite", f"the citation {mark.place.of(cited.text)} could not be judged", error)
        return _ReadCitation(mark, target, [], {}, notice)
    judged = {passage.id: score for passage, score in zip(usable, supports, strict=True) if score is not None}
    return _ReadCitation(mark, target, usable, judged, _problem(mark.place.of(cited.text), evidence, judged))


def _problem(shown: str, evidence: Sequence[Evidence], judged: Mapping[str, float]) -> Notice | None:
    """Makes a notice if the passages are not enough to call the citation `shown` wrong; None if they are.

    This is so if all are suspicious, or if one has no score.
    """
    message = f"the citation {shown} could not be judged"
    if evidence and all(passage.suspicious for passage in evidence):
        why = f"a passage of {evidence[0].source} is not used: {evidence[0].suspicious}"
        return Notice(code="suspicious_evidence", message=f"{message}: {why}", node="cite")
    if any(passage.id not in judged and not passage.suspicious for passage in evidence):
        why = "the verifier has no score"
        return Notice(code="verification_failed", message=f"{message}: {why}", node="cite")
    return None


async def _support(
    cited: CitedText, sentence: Span, passage: Evidence, components: Components
) -> float | None:
    """Asks for the support of the sentence by the passage; 0 if the passage contradicts it.

    None if the support, or whether it contradicts, could not be judged.
    """
    (score,) = await components.verifier.support(cited.text, cited.context, [sentence], passage)
    threshold = components.settings.support_threshold
    if score is None or score < threshold:
        return score
    (kind,) = await classify_sentences(
        components.verifier, cited.text, cited.context, [sentence], passage, threshold=threshold
    )
    if kind is None:
        return None
    return 0.0 if kind == "contradictory" else score


def _evidence(passage: Passage, name: str) -> Evidence:
    facts = passage.model_dump(include=set(Passage.model_fields))
    why = suspicion(f"{passage.title}\n{passage.text}")
    return Evidence(**facts, id=name, query_id="", relevance=0.0, suspicious=why)


def _check(
    cited: CitedText, citation: _ReadCitation, beside: Sequence[_ReadCitation], threshold: float
) -> CitationCheck:
    best = max(
        citation.passages or (), key=lambda passage: citation.supports.get(passage.id, 0.0), default=None
    )
    return CitationCheck(
        text=citation.mark.place.of(cited.text),
        start=citation.mark.place.start,
        end=citation.mark.place.end,
        target=citation.target,
        sentence_start=citation.mark.sentence.start,
        sentence_end=citation.mark.sentence.end,
        state=_state(cited, citation, beside, threshold),
        support=citation.supports.get(best.id) if best else None,
        passage=best,
    )


def _state(
    cited: CitedText, citation: _ReadCitation, beside: Sequence[_ReadCitation], threshold: float
) -> CitationState:
    """Decides whether a citation is right: its source supports the sentence enough, and confirms every part.

    If the source does not do so alone, all cited sources of the sentence (`beside`, this one too) are read
    together. Then this source must confirm a part, or support the sentence best. What it would do together
    with a source that could not be judged is not known.
    """
    if citation.passages is None:
        return "source_not_found"
    if _confirming(cited, [citation], threshold):
        return "supported"
    names = {passage.id for passage in citation.passages}
    if names & _confirming(cited, beside, threshold):
        return "supported"
    return "unjudged" if any(each.problem for each in beside) else "not_supported"


def _confirming(cited: CitedText, citations: Sequence[_ReadCitation], threshold: float) -> set[str]:
    """Returns the ids of the passages by which the sentence is supported: the best, and those of its parts.

    Empty if all passages together do not support it enough, or leave a part unconfirmed.
    """
    evidence = {passage.id: passage for each in citations for passage in each.passages or ()}
    scores = {name: score for each in citations for name, score in each.supports.items()}
    return confirming_passages(
        cited.text, cited.context, citations[0].mark.sentence, scores, evidence, threshold
    )
