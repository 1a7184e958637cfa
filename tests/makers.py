"""Short ways to make the records and states that tests of nodes and of the graph need."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

from component_doubles import scripted_components
from hypothesis import strategies as st
from langgraph.runtime import Runtime

from rarr.components import Components
from rarr.records import Agreement, Check, Evidence, Passage, Query, Report, Revision, Sentence, Verdict
from rarr.records.cards_and_edits import Edit, with_edits
from rarr.settings import Settings
from rarr.state import State
from rarr.testing import RETRIEVED_AT

# Characters that records hold as they are: see rarr.unicode.
VALID = st.characters(codec="utf-8", exclude_characters="\0")
TEXT = "Georgia grows the most peaches."
ASKED = "Which state grows the most peaches?"
FACT = "California grows the most peaches."
BRIDGE = "It opened in 1937."


def runtime(settings: Settings | None = None, **components: Any) -> Runtime[Components]:
    """The context of a node: `components`, by the fields of `Components`, and doubles for the others."""
    return Runtime(context=replace(scripted_components(settings=settings), **components))


def query(start: int = 0, end: int = 7, *, id: str = "q1", text: str = ASKED) -> Query:  # noqa: A002  # the field
    return Query(id=id, text=text, start=start, end=end)


def passage(text: str = FACT, source: str = "peaches.md", start: int = 0) -> Passage:
    return Passage(text=text, source=source, start=start, end=start + len(text), retrieved_at=RETRIEVED_AT)


def evidence(text: str = FACT, *, source: str = "peaches.md", start: int = 0, **more: Any) -> Evidence:
    fields = passage(text, source, start).model_dump() | {"id": "q1.1", "relevance": 1.0} | more
    return Evidence(query_id=fields["id"].split(".")[0], **fields)


def disagrees(text_answer: str = "Georgia", evidence_answer: str = "California") -> Agreement:
    return Agreement(verdict="disagrees", text_answer=text_answer, evidence_answer=evidence_answer)


def check(verdict: Verdict = "disagrees", evidence_id: str = "q1.1", *, stale: bool = False) -> Check:
    found = "Georgia" if verdict == "agrees" else "California"
    ids = {"query_id": evidence_id.split(".")[0], "evidence_id": evidence_id}
    return Check(verdict=verdict, stale=stale, text_answer="Georgia", evidence_answer=found, **ids)


def edit(start: int, end: int, new: str, **fields: Any) -> Edit:
    ids = {"id": "e1", "query_id": "q1", "evidence_id": "q1.1"}
    known = ids | {"old": "", "reason": "so", "state": "accepted"}
    return Edit(**(known | fields), start=start, end=end, new=new)


def revision(original: str, *edits: Edit, statuses: Sequence[Any] = (), **fields: Any) -> Revision:
    """A revision whose sentences are its lines, in these statuses, each with a line as evidence."""
    text, sentences, at = with_edits(original, edits), [], 0
    for line, status in zip(text.splitlines(keepends=True), statuses, strict=False):
        span = {"text": line.strip(), "start": at, "end": at + len(line.rstrip())}
        sentences.append(Sentence(**span, status=status, evidence_ids=("q1.1",), support=0.9))
        at += len(line)
    report = Report(evidence_ids=("q1.1",), sentences=tuple(sentences))
    known = {"run_id": "r1", "report": report, "evidence": (evidence(BRIDGE, source="bridge.md"),)} | fields
    return Revision(original=original, text=text, changed=text != original, edits=edits, **known)


def statuses(made: Revision) -> list[str]:
    return [sentence.status for sentence in made.report.sentences]


@st.composite
def edited(
    draw: st.DrawFn, alphabet: st.SearchStrategy[str] = VALID, longest: int = 20
) -> tuple[str, list[Edit]]:
    """Any text, and any edits of it, each of the text that the one before left."""
    original = current = draw(st.text(alphabet, max_size=longest))
    edits: list[Edit] = []
    for number in range(draw(st.integers(0, 6))):
        start, end = sorted(draw(st.tuples(*[st.integers(0, len(current))] * 2)))
        state = draw(st.sampled_from(["accepted", "accepted", "refused"]))
        edits.append(edit(start, end, draw(st.text(alphabet, max_size=5)), state=state, id=f"e{number}"))
        current = with_edits(current, edits[-1:])
    return original, edits


def state(text: str = TEXT, *, found: Sequence[Evidence] = (), **more: Any) -> State:
    """A state of the first round. `more` are keys of `State`."""
    known: dict[str, Any] = {"original": text, "text": text, "context": None, "warnings": [], "round": 1}
    return cast(State, known | {"queries": [], "evidence": list(found), "checks": []} | more)
