"""Sorts what a model did with a changed passage: it kept the old answer, took the new one, or did neither."""

from collections.abc import Sequence
from typing import Literal

from rarr.evals.conflicts.policies import Conflict
from rarr.evals.conflicts.replacement import contains
from rarr.evals.metrics import exact_match
from rarr.records import Revision

Bucket = Literal["original", "substitute", "other"]


def bucket_of_answer(answer: str, old: Sequence[str], new: str) -> Bucket:
    """Sorts the answer of a reader, by an exact match with the new answer or with a variant of the old."""
    if exact_match(answer, new):
        return "substitute"
    return "original" if any(exact_match(answer, each) for each in old) else "other"


def bucket_of_revision(revision: Revision, conflict: Conflict) -> Bucket:
    """Sorts the revision of the claim with the old answer, by a reviser that had the changed passage alone.

    It follows the passage if it writes or suggests the new answer, or calls the claim contradicted. It keeps
    the old answer if it calls the unchanged claim supported. For an alias, it must leave the claim alone.
    """
    statuses = {sentence.status for sentence in revision.report.sentences}
    suggests = any(edit.state == "suggested" for edit in revision.edits)
    if conflict.policy == "alias":
        return "other" if revision.changed or suggests or "contradicted" in statuses else "substitute"
    proposed = [edit.new for edit in revision.edits if edit.state == "suggested"]
    if any(contains(text, conflict.new) for text in (revision.text, *proposed)) or "contradicted" in statuses:
        return "substitute"
    return "original" if not revision.changed and statuses == {"supported"} else "other"
