"""Shows whether a model follows its evidence, by the twenty questions that ship."""

import sys
from typing import TYPE_CHECKING

from rarr.settings import Settings

if TYPE_CHECKING:
    from rarr.evals.conflicts.shipped_conflicts import FollowsEvidence


def asked_conflicts(settings: Settings) -> "FollowsEvidence":
    """Asks the model, and shows the number of questions on a line of the terminal meanwhile."""
    from rarr.evals.conflicts.shipped_conflicts import follows_evidence
    from rarr.views.terminal.progress_line import Waiting

    with Waiting(watched=sys.stderr.isatty()) as waiting:
        return follows_evidence(settings, lambda done: waiting.say(f"{done} of 20 questions"))


def as_lines(found: "FollowsEvidence") -> str:
    """Writes how often the model followed the passage, and a line for each question in which it did not."""
    results = found.results
    of = f"{found.asked} that it was asked" if found.asked < len(results) else len(results)
    lines = [f"{found.model}, as {found.role}: follows its evidence in {found.followed} of {of}\n"]
    for each in results:
        if each.bucket == "original":
            lines.append(f"  {each.question} kept {each.memory!r}; the passage says {each.passage_says!r}\n")
        elif each.bucket == "other":
            lines.append(f"  {each.question} {each.answer!r}; the passage says {each.passage_says!r}\n")
        elif each.error:
            lines.append(f"  {each.question} not asked: {each.error}\n")
        elif each.bucket is None:
            lines.append(f"  {each.question} wrong with the true passage, so not asked again\n")
    return "".join(lines)
