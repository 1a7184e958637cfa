"""Step 4: checks whether each evidence implies the same answer to its query as the text does."""

import asyncio

from langgraph.runtime import Runtime

from rarr.components import Components
from rarr.ledger.support import moved_queries
from rarr.records import Agreement, Check, Evidence, Notice, Query
from rarr.state import State, failure, usable
from rarr.tools.concurrency.worker import work
from rarr.tools.models.meter import meter
from rarr.tools.spans import about


async def check_agreement(state: State, runtime: Runtime[Components]) -> State:
    """Checks every pair at once on the same text; after an edit, only those whose check is stale.

    A failed check is `unknown`, which is no verdict. Stale checks stay in the state, before the checks that
    replace them.
    """
    queries = {
        query.id: query for query in await work(moved_queries, state["queries"], state.get("edits", []))
    }
    outcomes = await asyncio.gather(
        *(
            _check_pair(state, runtime.context, queries[passage.query_id], passage)
            for passage in unchecked(state)
        )
    )
    return {
        "checks": [*state.get("checks", []), *(check for check, _ in outcomes)],
        "warnings": [notice for _, notice in outcomes if notice is not None],
    }


def unchecked(state: State) -> list[Evidence]:
    """The evidence without a check on the current text, except settled evidence."""
    done = {check.evidence_id for check in state.get("checks", []) if not check.stale}
    done.update(state.get("settled", []))
    return [passage for passage in usable(state) if passage.id not in done]


async def _check_pair(
    state: State, components: Components, query: Query, evidence: Evidence
) -> tuple[Check, Notice | None]:
    notice = None
    try:
        with about(evidence.id):
            async with meter().in_time():
                agreement = await components.checker.check(state["text"], state["context"], query, evidence)
    except Exception as error:
        agreement = Agreement(verdict="unknown", reason=f"the check failed: {error}")
        notice = failure(
            "check_agreement", "agreement could not be checked", error, code="check_failed", query_id=query.id
        )
    return Check(**agreement.model_dump(), query_id=query.id, evidence_id=evidence.id), notice
