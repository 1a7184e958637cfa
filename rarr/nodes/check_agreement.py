"""Step 4: does each evidence imply the same answer to its query as the text does?"""

import asyncio

from langgraph.runtime import Runtime

from rarr.agent.components import Components
from rarr.agent.state import State, failure
from rarr.agent.support import moved
from rarr.records import Agreement, Check, Evidence, Notice, Query


async def check_agreement(state: State, runtime: Runtime[Components]) -> State:
    """Checks every pair at once on the same text; after an edit, only those whose check is stale.

    A check that fails is `unknown`, never a verdict. Stale checks stay in the ledger, before what replaces
    them.
    """
    queries = {query.id: query for query in moved(state["queries"], state.get("edits", []))}
    done = state.get("checks", [])
    fresh = {check.evidence_id for check in done if not check.stale}
    unchecked = [one for one in state.get("evidence", []) if one.id not in fresh]
    outcomes = await asyncio.gather(
        *(_check(state, runtime.context, queries[one.query_id], one) for one in unchecked)
    )
    return {
        "checks": [*done, *(check for check, _ in outcomes)],
        "warnings": [notice for _, notice in outcomes if notice is not None],
    }


async def _check(
    state: State, components: Components, query: Query, evidence: Evidence
) -> tuple[Check, Notice | None]:
    notice = None
    try:
        agreement = await components.checker.check(state["text"], state["context"], query, evidence)
    except Exception as error:
        agreement = Agreement(verdict="unknown", reason=f"the check failed: {error}")
        notice = failure(
            "check_agreement", "agreement could not be checked", error, code="check_failed", query_id=query.id
        )
    return Check(**agreement.model_dump(), query_id=query.id, evidence_id=evidence.id), notice
