"""Makes the object `rarr` of an answer: what was done to each of its texts."""

from typing import Any

from rarr.records.postprocessing import Postprocessed


def shown(result: Postprocessed, index: int, offset: int = 0) -> dict[str, Any]:
    """Returns the facts about one text, as JSON values. `offset` is where it begins in the whole text.

    `sentences` are those that evidence does not support.
    """
    revision = result.revision
    edits = revision.edits if revision else ()
    sentences = revision.report.sentences if revision else ()
    return {
        "index": index,
        "start": offset,
        "end": offset + len(result.text),
        "run_id": revision.run_id if revision else None,
        "mode": result.mode,
        "outcome": result.outcome,
        "changed": result.changed,
        "notice": result.notice,
        "edits": [
            {"id": edit.id, "state": edit.state, "old": edit.old, "new": edit.new, "reason": edit.reason}
            for edit in edits
        ],
        "sentences": [
            {"text": sentence.text, "status": sentence.status}
            for sentence in sentences
            if sentence.status != "supported"
        ],
        "citations": [citation.model_dump() for citation in result.citations],
    }
