"""Step 5 of writing: checks each citation of an article, and replaces those that are wrong."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from langgraph.runtime import Runtime

from rarr.components import Components
from rarr.ledger.article_text import ArticleText, DraftSentence, article_text
from rarr.ledger.citation_support import Judged, Judgements, judged_citations
from rarr.ledger.disputed_sentences import with_disputes
from rarr.ledger.passages_of_one_namesake import of_one_namesake
from rarr.ledger.section_gaps import gap_reasons
from rarr.ledger.sentence_support import moved_place
from rarr.records import Edit, Evidence, Notice
from rarr.records.articles import SectionDraft, WrittenCitation, WrittenSentence
from rarr.state import State, usable
from rarr.tools.concurrency.worker_threads import work
from rarr.tools.models.run_budget import meter
from rarr.tools.text.blocks_and_sentences import Span


async def cite(state: State, runtime: Runtime[Components]) -> State:
    """Puts the article together and judges its citations; after edits, judges the edited sentences again.

    A sentence keeps those of its citations that support it. A sentence without such a citation gets the
    passage of its section that supports it best. If none does, it is listed in `lacking`, to be researched.
    A supported sentence that another passage of the article contradicts is marked as such.
    """
    if "sentences" in state:
        return await _cited_again(state, runtime.context)
    written = await work(_written, state)
    chosen = of_one_namesake(state["topic"], usable(state))
    drafts, evidence = state.get("drafts", {}), {passage.id: passage for passage in chosen.passages}
    cited = {sentence.span: _cited_ids(sentence, drafts) for sentence in written.sentences}
    judged, warnings = await _judged(written.text, cited, evidence, runtime.context)
    others = {
        span: drafts[section].evidence_ids
        for span, section, _ in written.sentences
        if not any(judged[span, name].entails for name in cited[span])
    }
    untried = {span: [name for name in names if name not in cited[span]] for span, names in others.items()}
    more, failures = await _judged(written.text, untried, evidence, runtime.context)
    supported = [_sentence(each, drafts, judged, more) for each in written.sentences]
    sentences, disputes = await work(with_disputes, written.text, supported, list(evidence.values()))
    lacking = [Span(each.start, each.end) for each in sentences if each.status == "unconfirmed"]
    return {
        "original": written.text,
        "text": written.text,
        "sentences": sentences,
        "settled": [passage.id for passage in state.get("evidence", [])],
        "lacking": [] if meter().exhausted else lacking,
        "round": 3,
        "warnings": [*chosen.notices(), *warnings, *failures, *disputes],
    }


def _written(state: State) -> ArticleText:
    sections, drafts = state.get("sections", []), state.get("drafts", {})
    return article_text(state["topic"], sections, drafts, gap_reasons(state))


def _cited_ids(sentence: DraftSentence, drafts: Mapping[str, SectionDraft]) -> list[str]:
    """Returns the ids of the passages that a sentence cites; a number without a passage is left out."""
    ids = drafts[sentence.section_id].evidence_ids
    return [name for label in sentence.labels if (name := _passage_id(label, ids))]


def _passage_id(label: str, ids: Sequence[str]) -> str:
    return ids[int(label) - 1] if 1 <= int(label) <= len(ids) else ""


async def _judged(
    text: str,
    names: Mapping[Span, Sequence[str]],
    evidence: Mapping[str, Evidence],
    components: Components,
) -> tuple[Judgements, list[Notice]]:
    """Judges each sentence against its passages in `names`."""
    pairs: dict[str, list[Span]] = defaultdict(list)
    for span, ids in names.items():
        for name in ids:
            pairs[name].append(span)
    return await judged_citations(text, pairs, evidence, components)


def _sentence(
    sentence: DraftSentence, drafts: Mapping[str, SectionDraft], cited: Judgements, others: Judgements
) -> WrittenSentence:
    """Makes the record of a sentence: what it cited, and what it cites now."""
    span, section, labels = sentence
    ids = drafts[section].evidence_ids
    written = tuple(
        WrittenCitation(label=label, evidence_id=name, entails=cited[span, name].entails if name else False)
        for label in labels
        for name in [_passage_id(label, ids)]
    )
    own = {
        citation.evidence_id: cited[span, citation.evidence_id]
        for citation in written
        if citation.evidence_id
    }
    rest = {name: each for (place, name), each in others.items() if place == span}
    kept = tuple(name for name, each in own.items() if each.entails) or best_passage(rest)
    return _with_outcome(
        WrittenSentence(section_id=section, start=span.start, end=span.end, written=written), own | rest, kept
    )


def best_passage(judged: Mapping[str, Judged]) -> tuple[str, ...]:
    """Returns the id of the passage that supports a sentence best, as a tuple; an empty one if none does."""
    able = [name for name, each in judged.items() if each.entails]
    return (max(able, key=lambda name: judged[name].support or 0.0),) if able else ()


def _with_outcome(
    sentence: WrittenSentence, judged: Mapping[str, Judged], kept: tuple[str, ...]
) -> WrittenSentence:
    supports = [each.support for each in judged.values() if each.support is not None]
    unknown = any(each.entails is None for each in judged.values()) or not judged
    status = "supported" if kept else "unjudged" if unknown else "unconfirmed"
    support = max(supports, default=None)
    # Who disputed the sentence before an edit need not dispute its new words.
    return sentence.model_copy(
        update={"evidence_ids": kept, "support": support, "status": status, "disputed_by": ()}
    )


async def _cited_again(state: State, components: Components) -> State:
    """Moves the sentences to the edited text, and judges those whose words have changed."""
    text, original = state["text"], state["original"]
    edits = [edit for edit in state.get("edits", []) if edit.accepted]
    moved = [_moved(sentence, edits) for sentence in state["sentences"]]
    changed = {
        Span(after.start, after.end): after
        for before, after in zip(state["sentences"], moved, strict=True)
        if text[after.start : after.end] != original[before.start : before.end]
    }
    if not changed:
        return {"sentences": moved, "lacking": []}
    evidence = {passage.id: passage for passage in of_one_namesake(state["topic"], usable(state)).passages}
    new = [edit.evidence_id for edit in edits]
    names = {
        span: [name for name in (*new, *_of_section(sentence, state)) if name in evidence]
        for span, sentence in changed.items()
    }
    judged, warnings = await _judged(text, names, evidence, components)
    again = [_judged_again(sentence, changed, names, judged) for sentence in moved]
    sentences, disputes = await work(with_disputes, text, again, list(evidence.values()))
    return {"sentences": sentences, "lacking": [], "warnings": [*warnings, *disputes]}


def _moved(sentence: WrittenSentence, edits: Sequence[Edit]) -> WrittenSentence:
    place = moved_place(Span(sentence.start, sentence.end), edits)
    return sentence.model_copy(update=place._asdict())


def _of_section(sentence: WrittenSentence, state: State) -> tuple[str, ...]:
    return state["drafts"][sentence.section_id].evidence_ids


def _judged_again(
    sentence: WrittenSentence,
    changed: Mapping[Span, WrittenSentence],
    names: Mapping[Span, Sequence[str]],
    judged: Judgements,
) -> WrittenSentence:
    span = Span(sentence.start, sentence.end)
    if span not in changed:
        return sentence
    own = {name: judged[span, name] for name in names[span]}
    return _with_outcome(sentence, own, best_passage(own))
