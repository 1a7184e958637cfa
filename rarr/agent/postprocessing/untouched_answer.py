"""Makes the result of an answer that nothing was done with: the answer as it came, and why."""

from rarr.records.postprocessing import Outcome, Postprocessed, PostprocessMode
from rarr.valid_unicode import valid


def untouched(answer: str, mode: PostprocessMode, outcome: Outcome, notice: str) -> Postprocessed:
    """Makes the result without a run. `notice` says why there was none."""
    return Postprocessed(
        text=answer,
        original=answer,
        changed=False,
        mode=mode,
        outcome=outcome,
        notice=valid(notice),
    )
