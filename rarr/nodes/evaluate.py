"""Step 7: attribution before and after, preservation, and their harmonic mean."""

from collections.abc import Sequence

from langgraph.runtime import Runtime
from rapidfuzz.distance import Levenshtein

from rarr.agent.components import Components
from rarr.agent.state import State
from rarr.agent.support import sentence_support
from rarr.records import Notice, Scores


async def evaluate(state: State, runtime: Runtime[Components]) -> State:
    """Scores the run by the report's supports; the original is judged by the same evidence."""
    after = attribution([sentence.support for sentence in state["report"].sentences])
    before, failures = after, list[Notice]()
    if state["text"] != state["original"]:
        supports, failures = await sentence_support(
            "evaluate", state, state["original"], state["queries"], runtime.context
        )
        before = attribution([one.best for one in supports])
    kept = preservation(state["original"], state["text"])
    scores = Scores(
        attribution_before=before, attribution_after=after, preservation=kept, f1_ap=f1_ap(after, kept)
    )
    return {"scores": scores, "warnings": failures}


def attribution(supports: Sequence[float | None]) -> float | None:
    """Auto-AIS: the mean over sentences of the best entailment by one evidence (Gao et al. 2023, section 4).

    Sentences that could not be judged stay out; None where none could be.
    """
    judged = [support for support in supports if support is not None]
    return sum(judged) / len(judged) if judged else None


def preservation(original: str, revised: str) -> float:
    """Pres_Lev: max(1 - Lev(x, y) / len(x), 0) over characters (Gao et al. 2023, section 4)."""
    if original == revised:
        return 1.0
    return max(1 - Levenshtein.distance(original, revised) / len(original), 0.0)


def f1_ap(attribution: float | None, preservation: float) -> float | None:
    """The harmonic mean of attribution and preservation; None where attribution could not be judged."""
    if attribution is None:
        return None
    total = attribution + preservation
    return 2 * attribution * preservation / total if total else 0.0
