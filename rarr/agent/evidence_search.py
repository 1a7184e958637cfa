"""Searches the sources of a reviser for a query, without a run."""

from collections.abc import Sequence
from dataclasses import replace

from langgraph.runtime import Runtime

from rarr.agent.final_revision import budget_of
from rarr.agent.given_evidence import GivenPassage, given_passages
from rarr.agent.input_checks import required_text
from rarr.agent.revise import Reviser
from rarr.agent.verify import ClaimVerifier
from rarr.components import Components
from rarr.errors import RetrievalError
from rarr.nodes.rerank import rerank
from rarr.nodes.retrieve import retrieve
from rarr.records import Passage, Query
from rarr.records.evidence_search_result import FoundEvidence
from rarr.records.verification import Verification
from rarr.state import Branch, State
from rarr.tools.concurrency import together, work
from rarr.tools.models.run_budget import METER, Meter
from rarr.tools.text.blocks_and_sentences import sentences
from rarr.tools.text.wording import is_failure

_PASSAGES_OF_SENTENCE = 5


async def find_evidence(reviser: Reviser, query: str, most: int, text: str = "") -> FoundEvidence:
    """Returns the `most` passages of the reviser's sources that are most relevant to `query`, best first.

    `text` is what the query is about, by which a graph tells namesakes apart. Passages that seem to speak to
    a language model are left out, with a warning. Raises `InputError` for an empty query, and
    `RetrievalError` if the sources cannot be searched or their passages not be ranked.
    """
    components = _keeping(reviser._components, most)
    meter = Meter(budget_of(components.settings), text=text)
    token = METER.set(meter)
    try:
        state = await _searched(required_text(query, "query"), components)
    finally:
        METER.reset(token)
    if failed := next(filter(is_failure, state["warnings"]), None):
        raise RetrievalError(failed.message)
    return FoundEvidence(
        query=query,
        evidence=tuple(passage for passage in state["evidence"] if not passage.suspicious),
        warnings=tuple(dict.fromkeys([*state["warnings"], *meter.warnings])),
    )


async def passages_about(reviser: Reviser, claim: str, question: str | None, most: int) -> Sequence[Passage]:
    """Returns for each sentence of `claim` the `most` passages that are most relevant to it, as one list.

    A passage that several sentences find comes once. The `question` is searched with each sentence. Raises as
    `find_evidence` does.
    """
    spans = await work(sentences, claim)
    asked = [f"{question or ''} {span.of(claim)}".strip() for span in spans] or [claim]
    found = await together(
        *(find_evidence(reviser, query, most, f"{question or ''}\n{claim}") for query in asked)
    )
    by_place = {(each.source, each.start, each.end): each for one in found for each in one.evidence}
    fields = Passage.model_fields
    return [Passage(**{name: getattr(each, name) for name in fields}) for each in by_place.values()]


async def verify_by_search(
    reviser: Reviser,
    verifier: ClaimVerifier,
    claim: str,
    question: str | None,
    given: Sequence[GivenPassage] = (),
) -> Verification:
    """Decides whether the reviser's sources support `claim`: five passages for each sentence of it.

    The `given` passages of a caller come first. Raises `InputError` for an empty claim or passage, and
    `RetrievalError` as `find_evidence` does.
    """
    claim, first = required_text(claim, "claim"), given_passages(list(given))
    question = None if question is None else required_text(question, "question")
    found = await passages_about(reviser, claim, question, _PASSAGES_OF_SENTENCE)
    return await verifier.averify_passages(claim, [*first, *found], question)


def _keeping(components: Components, most: int) -> Components:
    settings = components.settings
    more = {
        "evidence_per_query": most,
        "documents_per_query": max(most, settings.documents_per_query),
    }
    return replace(components, settings=settings.model_copy(update=more))


async def _searched(text: str, components: Components) -> State:
    """Runs the nodes retrieve and rerank for one query, and returns the update of rerank with the evidence.

    Raises the error of a failed search; a failed ranking is a warning of the update.
    """
    query = Query(id="q1", text=text, start=0, end=len(text))
    runtime = Runtime(context=components)
    passages = (await retrieve(Branch(query=query), runtime))["passages"]
    state = State(original=text, text=text, round=1, queries=[query], passages=passages)
    return await rerank(state, runtime)
