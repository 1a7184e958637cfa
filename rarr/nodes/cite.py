"""Step 5 of writing: reads the sentences of an article as cards, edits the wrong ones, and cites the rest."""

from collections.abc import Mapping

from langgraph.runtime import Runtime

from rarr.components import Components
from rarr.ledger.article_text import ArticleText, DraftSentence, article_text, gap_reasons
from rarr.ledger.card_reading import Kept, read_cards
from rarr.ledger.card_report import card_checks, disagreement_notices, is_relied_on, status_of
from rarr.ledger.edit_gate import with_card_edits
from rarr.records import Query
from rarr.records.articles import SectionDraft, WrittenCitation, WrittenSentence
from rarr.records.card import Card
from rarr.state import State, usable
from rarr.tools.concurrency import work
from rarr.tools.text.blocks_and_sentences import Span


async def cite(state: State, runtime: Runtime[Components]) -> State:
    """Puts the article together, and reads each sentence beside the passages that its section is from.

    A supported sentence cites the passages that its card quotes, whatever the writer cited. A sentence that
    they contradict is edited if the gate lets the edit through.
    """
    components = runtime.context
    article = await work(_article, state)
    drafts = state.get("drafts", {})
    places = [sentence.span for sentence in article.sentences]
    kept = {it.span: drafts[it.section_id].evidence_ids for it in article.sentences}
    written: State = {**state, "original": article.text, "text": article.text, "context": state["topic"]}
    read = await read_cards(written, places, Kept(usable(state), kept), components)
    queries = {query.id: query for query in state["queries"]}
    sections = {section.id: section.query_id for section in state.get("sections", [])}
    asked = {it.span: [queries[sections[it.section_id]]] for it in article.sentences}
    edited = await work(_edited, {**written, "cards": read.cards}, asked)
    sentences = [
        _sentence(sentence, drafts, before, after)
        for sentence, before, after in zip(article.sentences, read.cards, edited["cards"], strict=True)
    ]
    return {
        **edited,
        "original": article.text,
        "sentences": sentences,
        "checks": await work(card_checks, read.cards, article.text, asked),
        "controls": read.controls,
        "warnings": [*read.notices, *disagreement_notices(edited)],
    }


def _article(state: State) -> ArticleText:
    sections, drafts = state.get("sections", []), state.get("drafts", {})
    return article_text(state["topic"], sections, drafts, gap_reasons(state))


def _edited(state: State, asked: Mapping[Span, list[Query]]) -> State:
    query_ids = {span: queries[0].id for span, queries in asked.items()}
    return with_card_edits(state, query_ids)


def _sentence(
    sentence: DraftSentence, drafts: Mapping[str, SectionDraft], before: Card, after: Card
) -> WrittenSentence:
    """Makes the record of a sentence: what it cited, and what it cites now; `before` and after its edits."""
    ids = drafts[sentence.section_id].evidence_ids
    status = status_of(after)
    return WrittenSentence(
        section_id=sentence.section_id,
        start=after.start,
        end=after.end,
        written=tuple(_citation(label, ids, before) for label in sentence.labels),
        evidence_ids=_quoted(after, "for" if after.verdict == "mixed" else None)
        if status == "supported"
        else (),
        disputed_by=_quoted(after, "against") if after.verdict == "mixed" else (),
        status=status,
    )


def _citation(label: str, ids: tuple[str, ...], card: Card) -> WrittenCitation:
    """Judges a citation of the writer: its passage is among those from which the sentence follows."""
    name = ids[int(label) - 1] if 1 <= int(label) <= len(ids) else ""
    judged = bool(card.verdict) and not card.unreliable
    entails = bool(name) and is_relied_on(card) and name in card.cited if judged or not name else None
    return WrittenCitation(label=label, evidence_id=name, entails=entails)


def _quoted(card: Card, side: str | None) -> tuple[str, ...]:
    """Returns the evidence that the card quotes on this side; None: on any."""
    quotes = (quote for quote in card.quotes if side is None or quote.side == side)
    return tuple(dict.fromkeys(quote.evidence_id for quote in quotes))
