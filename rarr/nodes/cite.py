"""Step 3 of writing: reads the sentences of an article as cards, edits the wrong ones, and cites the rest."""

from collections.abc import Sequence

from langgraph.runtime import Runtime

from rarr.components import Components
from rarr.ledger.article_text import DraftSentence, article_text
from rarr.ledger.card_reading import Kept, read_cards
from rarr.ledger.card_report import card_checks, disagreement_notices, is_relied_on, status_of
from rarr.ledger.edit_gate import with_card_edits
from rarr.records.articles import WrittenCitation, WrittenSentence
from rarr.records.card import Card
from rarr.state import State, kept_for, usable
from rarr.tools.concurrency import work


async def cite(state: State, runtime: Runtime[Components]) -> State:
    """Puts the article together, and reads each sentence beside the passages that its section is from.

    A supported sentence cites the passages that its card quotes, whatever the writer cited. A sentence that
    they contradict is edited if the gate lets the edit through.
    """
    article = await work(article_text, state)
    sources = {
        it.id: [found.id for found in kept_for(state, it.query_id)] for it in state.get("sections", [])
    }
    places = [sentence.span for sentence in article.sentences]
    kept = Kept(usable(state), {it.span: sources[it.section.id] for it in article.sentences})
    written: State = {**state, "original": article.text, "text": article.text, "context": state["topic"]}
    read = await read_cards(written, places, kept, runtime.context)
    queries = {query.id: query for query in state["queries"]}
    asked = {it.span: [queries[it.section.query_id]] for it in article.sentences}
    query_ids = {it.span: it.section.query_id for it in article.sentences}
    edited = await work(with_card_edits, {**written, "cards": read.cards}, query_ids)
    sentences = [
        _sentence(sentence, sources[sentence.section.id], before, after)
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


def _sentence(sentence: DraftSentence, ids: Sequence[str], before: Card, after: Card) -> WrittenSentence:
    """Makes the record of a sentence: what it cited, and what it cites now; `before` and after its edits."""
    status, is_mixed = status_of(after), after.verdict == "mixed"
    cited = [quote.evidence_id for quote in after.quotes if quote.side == "for" or not is_mixed]
    return WrittenSentence(
        section_id=sentence.section.id,
        start=after.start,
        end=after.end,
        written=tuple(_citation(label, ids, before) for label in sentence.labels),
        evidence_ids=tuple(dict.fromkeys(cited)) if status == "supported" else (),
        status=status,
    )


def _citation(label: str, ids: Sequence[str], card: Card) -> WrittenCitation:
    """Judges a citation of the writer: its passage is among those from which the sentence follows."""
    name = ids[int(label) - 1] if 1 <= int(label) <= len(ids) else ""
    judged = bool(card.verdict) and not card.unreliable
    entails = bool(name) and is_relied_on(card) and name in card.cited if judged or not name else None
    return WrittenCitation(label=label, evidence_id=name, entails=entails)
