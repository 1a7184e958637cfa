"""Short ways to make the records and states that tests of nodes and of the graph need."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from component_doubles import scripted_components
from hypothesis import strategies as st
from langgraph.runtime import Runtime

from rarr.components import NO_BASELINE, Baseline, Components
from rarr.records import Agreement, Check, Edit, Evidence, Passage, Query, Verdict
from rarr.settings import Settings
from rarr.state import State
from rarr.testing import RETRIEVED_AT

# Characters that records hold as they are: see rarr.unicode.
VALID = st.characters(codec="utf-8", exclude_characters="\0")
TEXT = "Georgia grows the most peaches."
ASKED = "Which state grows the most peaches?"
FACT = "California grows the most peaches."


def runtime(
    settings: Settings | None = None, *, baseline: Baseline = NO_BASELINE, **components: Any
) -> Runtime[Components]:
    """The context of a node: `components`, by the fields of `Components`, and doubles for the others."""
    return Runtime(context=replace(scripted_components(settings=settings), baseline=baseline, **components))


def query(start: int = 0, end: int = 7, *, id: str = "q1", text: str = ASKED) -> Query:  # noqa: A002  # the field
    return Query(id=id, text=text, start=start, end=end)


def passage(text: str = FACT, source: str = "peaches.md", start: int = 0) -> Passage:
    return Passage(text=text, source=source, start=start, end=start + len(text), retrieved_at=RETRIEVED_AT)


def evidence(
    text: str = FACT,
    *,
    id: str = "q1.1",  # noqa: A002  # the field
    relevance: float = 1.0,
    source: str = "peaches.md",
    start: int = 0,
) -> Evidence:
    fields = passage(text, source, start).model_dump()
    return Evidence(**fields, id=id, query_id=id.split(".")[0], relevance=relevance)


def disagrees(text_answer: str = "Georgia", evidence_answer: str = "California") -> Agreement:
    return Agreement(verdict="disagrees", text_answer=text_answer, evidence_answer=evidence_answer)


def check(
    verdict: Verdict = "disagrees",
    evidence_id: str = "q1.1",
    *,
    mine: str = "Georgia",
    its: str | None = None,
    stale: bool = False,
) -> Check:
    default = mine if verdict == "agrees" else "California"
    answers = {"text_answer": mine, "evidence_answer": default if its is None else its}
    ids = {"query_id": evidence_id.split(".")[0], "evidence_id": evidence_id}
    return Check(verdict=verdict, stale=stale, **answers, **ids)


def edit(start: int, end: int, new: str, *, accepted: bool = True, query_id: str = "q1") -> Edit:
    fields = {"id": "e1", "old": "", "query_id": query_id, "evidence_id": f"{query_id}.1", "reason": ""}
    return Edit(start=start, end=end, new=new, state="accepted" if accepted else "refused", **fields)


def state(
    text: str = TEXT,
    *,
    original: str | None = None,
    queries: Sequence[Query] = (),
    found: Sequence[Evidence] = (),
    checks: Sequence[Check] = (),
    **more: Any,
) -> State:
    made: State = {"original": original or text, "text": text, "context": None, "warnings": [], "round": 1}
    made |= {"queries": list(queries), "evidence": list(found), "checks": list(checks)}
    made.update(more)  # type: ignore[typeddict-item]  # keys of State, as the tests give them
    return made
