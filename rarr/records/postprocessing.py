"""Declares the records of postprocessing: what an application sends out for the answer of a model."""

from typing import Literal, Self

from pydantic import model_validator

from rarr.records import Record, Revision
from rarr.records.citations import CitationCheck, Mark, unmarked

PostprocessMode = Literal["revise", "cite", "check", "annotate"]
"""The change to the answer: corrections, citations, none, or marks behind what is not confirmed."""
Outcome = Literal["finished", "partial", "nothing_to_check", "deadline", "failed"]
Doubt = Literal["contradicted", "not confirmed"]


class AnswerCitation(Record):
    """A passage that supports a place of the text: `start` to `end` of `Postprocessed.text`.

    The place is a sentence that the passage supports; in the mode `cite`, it is the mark behind the sentence.
    `evidence_id` is the passage's id in `Postprocessed.revision`.
    """

    start: int
    end: int
    source: str
    title: str = ""
    evidence_id: str


class DoubtMark(Mark):
    """A mark about a sentence or a cell of a table that evidence contradicts or does not confirm."""

    kind: Doubt


class Postprocessed(Record):
    """The answer of a model after postprocessing: `text` is what to send out.

    `notice` tells a user in one line what was done, or why nothing was done. The `outcome` is one of these:

    - `finished`: all of the answer was judged, as far as a question asks about it.
    - `partial`: some of the answer was not judged, because a search or a judgement failed or a limit was
      reached; the notice counts it, and the text has the changes to the rest.
    - `nothing_to_check`: the answer holds nothing that can be checked.
    - `deadline`: the deadline came first, and the text is the original.
    - `failed`: nothing could be judged, and the text is the original; the notice says why.

    `revision` is the run; None if there is none, as after a deadline. It has edits only in the mode `revise`.
    `citations` are the passages behind the supported sentences, `existing` (only in the mode `cite`) the
    checks of citations that the answer had, and `marks` (only in the mode `annotate`) the marks about doubts.
    """

    text: str
    original: str
    changed: bool
    mode: PostprocessMode
    outcome: Outcome
    notice: str
    revision: Revision | None = None
    citations: tuple[AnswerCitation, ...] = ()
    existing: tuple[CitationCheck, ...] = ()
    marks: tuple[DoubtMark, ...] = ()

    @model_validator(mode="after")
    def _is_sound(self) -> Self:
        if self.changed != (self.text != self.original):
            raise ValueError("changed does not tell whether the text is the original")
        if self.changed and (self.mode == "check" or self.outcome in ("deadline", "failed")):
            raise ValueError("the text must be the original")
        if self.mode == "annotate" and self.without_marks() != self.original:
            raise ValueError("the text without its marks is not the original")
        return self

    def without_marks(self) -> str:
        """Returns the text without the marks about doubts; in the mode `annotate`, exactly the original."""
        return unmarked(self.text, self.marks)
