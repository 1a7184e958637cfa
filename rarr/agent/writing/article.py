"""Makes the article of a run from its last state: the cited text, the ledger, the scores and the research."""

from collections.abc import Mapping, Sequence

from rarr.agent.citing.citation_insertion import cited_text
from rarr.agent.citing.citation_planning import PlannedCitation, mark_place
from rarr.agent.final_revision import revision_of
from rarr.ledger.article_text import ArticleText, article_text, gap, gap_reasons, word_count
from rarr.ledger.scores import CitedSentence, citation_precision, citation_rate, citation_recall
from rarr.ledger.sentence_support import moved_place
from rarr.records import Evidence, Notice, Report, Revision, Sentence
from rarr.records.articles import Article, ArticleSection, CitationScores, WrittenSentence
from rarr.records.citations import Cited
from rarr.state import State, usable
from rarr.tools.models.run_budget import Meter


def article_of(run_id: str, state: State, meter: Meter) -> Article:
    """Builds the article of a run that is done, or that stopped at a limit.

    Sentences that were not judged have no citation. Each section without a text is named in a warning.
    """
    topic = state.get("topic", state["original"])
    written = article_text(topic, state.get("sections", []), state.get("drafts", {}), gap_reasons(state))
    text = state["text"] if "sentences" in state else written.text
    sentences = state.get("sentences") or [
        WrittenSentence(section_id=section, start=span.start, end=span.end)
        for span, section, _ in written.sentences
    ]
    sections = _sections(state, written)
    research = _research(run_id, state, written.text, text, sentences, sections, meter)
    cited = _cited(research, sentences, {passage.id: passage for passage in usable(state)})
    return Article(
        run_id=run_id,
        topic=topic,
        text=cited.text,
        sections=tuple(sections),
        sentences=tuple(sentences),
        citations=cited.citations,
        unsupported=cited.unsupported,
        sources=cited.sources,
        as_written=scores_of([_as_written(each, text) for each in sentences]),
        checked=scores_of([_checked(each, text) for each in sentences]),
        words=sum(word_count(text[each.start : each.end]) for each in sentences),
        research=research,
    )


def scores_of(sentences: Sequence[CitedSentence]) -> CitationScores:
    """Computes the citation measures of WikiGenBench for the sentences of one article."""
    return CitationScores(
        recall=citation_recall(sentences),
        precision=citation_precision(sentences),
        rate=citation_rate(sentences),
        sentences=len(sentences),
        unjudged=sum(None in sentence.alone for sentence in sentences),
    )


def _as_written(sentence: WrittenSentence, text: str) -> CitedSentence:
    alone = tuple(citation.entails for citation in sentence.written)
    return CitedSentence(alone=alone, words=word_count(text[sentence.start : sentence.end]))


def _checked(sentence: WrittenSentence, text: str) -> CitedSentence:
    """Makes the sentence of the final text for the measures: what it cites supports it by the check."""
    alone = (None,) if sentence.status == "unjudged" else (True,) * len(sentence.evidence_ids)
    return CitedSentence(alone=alone, words=word_count(text[sentence.start : sentence.end]))


def _sections(state: State, written: ArticleText) -> list[ArticleSection]:
    """Makes the sections, with their places in the text after the edits."""
    edits = [edit for edit in state.get("edits", []) if edit.accepted]
    sections = []
    for section in state.get("sections", []):
        place = moved_place(written.places[section.id], edits)
        was_written = section.id in state.get("drafts", {})
        kind, reason = ("written", "") if was_written else gap(state, section.query_id)
        sections.append(
            ArticleSection(
                id=section.id, heading=section.heading, state=kind, reason=reason, **place._asdict()
            )
        )
    return sections


def _research(
    run_id: str,
    state: State,
    original: str,
    text: str,
    sentences: Sequence[WrittenSentence],
    sections: Sequence[ArticleSection],
    meter: Meter,
) -> Revision:
    """Makes the revision of the article: its edits, and the status of each of its sentences."""
    report = Report(sentences=tuple(_reported(sentence, text) for sentence in sentences))
    gaps = [
        Notice(
            code="section_missing", message=f"section {each.heading!r}: {each.reason}", node="write_section"
        )
        for each in sections
        if each.state != "written"
    ]
    whole: State = {
        **state,
        "original": original,
        "text": text,
        "report": report,
        "warnings": [*state["warnings"], *gaps],
    }
    return revision_of(run_id, whole, meter)


def _reported(sentence: WrittenSentence, text: str) -> Sentence:
    return Sentence(
        text=text[sentence.start : sentence.end],
        start=sentence.start,
        end=sentence.end,
        status=sentence.status,
        evidence_ids=sentence.evidence_ids,
        support=sentence.support,
    )


def _cited(
    research: Revision, sentences: Sequence[WrittenSentence], evidence: Mapping[str, Evidence]
) -> Cited:
    """Puts a footnote behind each supported sentence, and `[citation needed]` behind other judged ones.

    A sentence about which the sources disagree has `[sources disagree]` behind it.
    """
    text, reported = research.text, research.report.sentences
    planned = [
        PlannedCitation(mark_place(text, each.end, each.end), each, evidence[name], ())
        for each in reported
        for name in each.evidence_ids
    ]
    pairs = list(zip(reported, sentences, strict=True))
    disputed = [each for each, sentence in pairs if sentence.disputed_by]
    lacking = ("unconfirmed", "contradicted")
    unsupported = [it for it, sentence in pairs if it.status in lacking and not sentence.disputed_by]
    plain = research.model_copy(update={"original": text, "edits": (), "changed": False})
    return cited_text(
        plain, planned, unsupported, (), style="footnotes", first_number=1, numbers={}, disputed=disputed
    )
