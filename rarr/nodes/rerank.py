"""Step 3: keeps the passages that are most relevant to each query, and leaves out overlapping passages."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import chain

from langgraph.runtime import Runtime

from rarr.components import Components
from rarr.ledger.evidence_selection import (
    PassagePlace,
    Scored,
    evidence_of,
    is_given_id,
    merged_excerpts,
    place_of,
    scores_by_query,
)
from rarr.records import Evidence, Notice, Passage, Query
from rarr.state import State, failed_queries_update, numbered_id
from rarr.tools.concurrency import work
from rarr.tools.guard.injection import suspicion
from rarr.tools.text.blocks_and_sentences import Span, sentences

LATER_ROUND_FACTOR = 2
"""A query of a later round keeps so many times the passages of a query of the first round.

The deciding line may have no word of the query: "Where was she born?", "She came into the world at Muirsk".
"""
_TRACED_PASSAGES = 10  # best passages of a query that its trace shows


async def rerank(state: State, runtime: Runtime[Components]) -> State:
    """Scores the passages of all queries at once, and adds the best passages of each query to the evidence.

    If the scoring of a query fails, only this query gets no evidence.
    """
    new = await work(_new_passages_by_query, state)
    wanted = {query: passages for query, passages in new.items() if passages}
    scores = await scores_by_query("rerank", wanted, runtime.context.reranker, best=_TRACED_PASSAGES)
    return await work(_update_with_best, state, wanted, scores, runtime.context)


def _update_with_best(
    state: State, wanted: Mapping[Query, Sequence[Passage]], scores: Sequence[Scored], components: Components
) -> State:
    # A later round of research keeps more passages. Sections of an article (also round 2) do not.
    widens = state.get("round", 1) > 1 and components.card_reader is not None and "topic" not in state
    most = components.settings.evidence_per_query * (LATER_ROUND_FACTOR if widens else 1)
    found = {
        query.id: _best_evidence(query, passages, scored, most=most, widens=widens)
        for (query, passages), scored in zip(wanted.items(), scores, strict=True)
    }
    update: State = {**failed_queries_update("rerank", found), "evidence": list(state.get("evidence", []))}
    for kept in found.values():
        if not isinstance(kept, Exception):
            update["warnings"] += suspicious_notices(kept, update["evidence"])
            update["evidence"] += kept
    if components.card_reader is not None:
        excerpts = _update_with_excerpts(state, update["evidence"], components)
        excerpts["warnings"] += update["warnings"]
        return {**update, **excerpts}
    return update


def _update_with_excerpts(state: State, evidence: Sequence[Evidence], components: Components) -> State:
    """Merges the passages of this round into excerpts, and adds all passages that the caller gave."""
    before = list(state.get("evidence", []))
    queries = [query for query in state["queries"] if query.round == state.get("round", 1)]
    new = list(evidence[len(before) :])
    given = components.given if not before and queries else ()
    new += [evidence_of(it, numbered_id(state, "g", n), queries[0].id) for n, it in enumerate(given, start=1)]
    new, again = _separate_known(new, before)
    excerpts, kept = merged_excerpts(new)
    excerpts = _with_whole_paragraphs(excerpts, state)
    kept = {name: [*again.get(name, ()), *kept.get(name, ())] for name in again | kept}
    if given:
        ids = [it.id for it in excerpts if is_given_id(it.id) and not it.suspicious]
        kept = {query.id: [*kept.get(query.id, ()), *ids] for query in queries}
        kept = {query_id: list(dict.fromkeys(names)) for query_id, names in kept.items()}
    return {
        "evidence": [*before, *excerpts],
        "kept": state.get("kept", {}) | kept,
        "warnings": suspicious_notices(new[len(new) - len(given) :], before) if given else [],
    }


def _with_whole_paragraphs(excerpts: Sequence[Evidence], state: State) -> list[Evidence]:
    """Lengthens each excerpt, by words of a found passage, up to the end of its last paragraph.

    The next sentence may limit the last sentence: "A new item is paid. If it is older than ten years, ...".
    """
    found: dict[str, dict[PassagePlace, Passage]] = defaultdict(dict)
    for passage in chain.from_iterable(state.get("passages", {}).values()):
        found[passage.source][place_of(passage)] = passage
    whole = []
    for excerpt in excerpts:
        longer = (it for it in found[excerpt.source].values() if it.start <= excerpt.end < it.end)
        rests = ((it.text[excerpt.end - it.start :].partition("\n")[0].rstrip(), it) for it in longer)
        rest, last = max(rests, key=lambda pair: len(pair[0]), default=("", excerpt))
        if rest and not suspicion(last.text):
            excerpt = excerpt.model_copy(update={"text": excerpt.text + rest, "end": excerpt.end + len(rest)})
        whole.append(excerpt)
    return whole


def _new_passages_by_query(state: State) -> dict[Query, list[Passage]]:
    """Returns for each query of this round the passages that are not yet evidence for its sentences."""
    spans = sentences(state["original"]) if state.get("evidence") else []
    new: dict[Query, list[Passage]] = {}
    for query in (it for it in state["queries"] if it.round == state.get("round", 1)):
        about = [span for span in spans if span.overlaps(Span(query.start, query.end))]
        earlier = {
            other.id
            for other in state["queries"]
            if any(span.overlaps(Span(other.start, other.end)) for span in about)
        }
        known = [it for it in state.get("evidence", []) if it.query_id in earlier]
        found = state.get("passages", {}).get(query.id, [])
        new[query] = [it for it in found if not any(is_same_place(it, other) for other in known)]
    return new


def _separate_known(
    new: Sequence[Evidence], before: Sequence[Evidence]
) -> tuple[list[Evidence], dict[str, list[str]]]:
    """Separates the `new` passages by whether an excerpt of an earlier round (`before`) contains them.

    Returns the passages that no excerpt contains, and for the others the ids of excerpts by query id.
    """
    rest: list[Evidence] = []
    again: dict[str, list[str]] = {}
    for passage in new:
        is_bad = bool(passage.suspicious)
        alike = (it for it in before if it.source == passage.source and bool(it.suspicious) == is_bad)
        whole = next((it for it in alike if it.start <= passage.start and passage.end <= it.end), None)
        if whole is None:
            rest.append(passage)
        elif whole.id not in again.setdefault(passage.query_id, []):
            again[passage.query_id].append(whole.id)
    return rest, again


def _best_evidence(
    query: Query, passages: Sequence[Passage], scores: Scored, *, most: int, widens: bool
) -> list[Evidence] | Exception:
    """Makes evidence of the `most` best passages with a score above 0, sorted by score and then by place.

    If passages overlap, keeps only the best passage; with `widens`, keeps all. Suspicious passages are kept
    in addition to the `most` other passages. Returns the error if the scoring failed.
    """
    if isinstance(scores, Exception):
        return scores
    if len(scores) != len(passages):
        return ValueError(f"the reranker gave {len(scores)} scores for {len(passages)} passages")
    relevant = [pair for pair in zip(scores, passages, strict=True) if pair[0] > 0]
    kept, clean = list[Evidence](), 0
    for score, passage in sorted(relevant, key=lambda pair: (-pair[0], *_place_key(pair[1]))):
        if clean == most:
            break
        made = evidence_of(passage, f"{query.id}.{len(kept) + 1}", query.id, score)
        # A suspicious passage must not replace a passage that is not suspicious.
        alike = (it for it in kept if bool(it.suspicious) == bool(made.suspicious))
        if not any(_place_key(made) == _place_key(it) if widens else is_same_place(made, it) for it in alike):
            kept.append(made)
            clean += not made.suspicious
    return kept


def _place_key(passage: Passage) -> tuple[str, int, str]:
    return passage.source, passage.start, passage.text


def suspicious_notices(kept: Sequence[Evidence], before: Sequence[Evidence]) -> list[Notice]:
    """Makes a notice for each suspicious passage in `kept` whose place is not in the evidence `before`."""
    warned = [passage for passage in before if passage.suspicious]
    return [
        Notice(
            code="suspicious_evidence",
            message=f"a passage of {passage.source} is not used: {passage.suspicious}",
            node="rerank",
            query_id=passage.query_id,
        )
        for passage in kept
        if passage.suspicious and not any(is_same_place(passage, other) for other in warned)
    ]


def is_same_place(passage: Passage, other: Passage) -> bool:
    """Tells whether two passages overlap in the same source, or have the same text."""
    overlap = passage.source == other.source and passage.start < other.end and other.start < passage.end
    return overlap or passage.text == other.text
