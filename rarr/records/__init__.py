"""The values that travel: frozen, comparable, and exact through JSON.

Offsets are in characters (code points) and half-open. In a revision, offsets of queries point into the
original text, those of sentences into the revised text, those of an edit into the text that it was applied
to, and those of evidence into the text extracted from its source.
"""

from datetime import datetime
from importlib import import_module
from typing import Literal, Self

from pydantic import field_validator, model_validator

from rarr.errors import InputError
from rarr.records.base import Record as Record
from rarr.records.edits import (
    Change as Change,
    Edit as Edit,
    EditState as EditState,
    with_edits as with_edits,
)
from rarr.records.usage import (
    Estimate as Estimate,
    ModelUsage as ModelUsage,
    NodeUsage as NodeUsage,
    Usage as Usage,
)

Verdict = Literal["agrees", "disagrees", "irrelevant", "unknown"]
Status = Literal["supported", "contradicted", "unconfirmed", "no_evidence", "retrieval_failed", "unjudged"]
PartState = Literal["confirmed", "differs", "open"]
AttributionClass = Literal["attributable", "extrapolatory", "contradictory"]
"""What evidence is to a sentence, as in AttrScore (Yue et al. 2023, section 2)."""


RUN_ID = r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}"
"""What names a run, as a regular expression."""
LONGEST_TITLE = 300
"""Characters of a title."""
UNNAMED = "unnamed:"
"""How the source of a passage begins where its retriever does not know it."""


class Question(Record):
    """What a query generator proposes: a question, and the characters of the text that it asks about.

    `start` and `end` mark the claimed value where the generator knows it, else the sentence.
    """

    text: str
    start: int
    end: int


class Query(Question):
    """A question that one round of research asks.

    `follows` names the edit whose correction it follows up, in a sentence that draws on the old value; it is
    asked of that edit's evidence. Empty for all others.
    """

    id: str
    round: int = 1
    follows: str = ""


class Passage(Record):
    """A window of a source's extracted text: `text` is that text from `start` to `end`.

    Of a `title`, the first `LONGEST_TITLE` characters are kept.

    Raises `InputError` for a place that is none, and for a source without a name.
    """

    text: str
    source: str
    title: str = ""
    start: int
    end: int
    retrieved_at: datetime
    published_at: datetime | None = None

    @field_validator("title")
    @classmethod
    def _title_is_short(cls, title: str) -> str:
        return title if len(title) <= LONGEST_TITLE else f"{title[: LONGEST_TITLE - 1].rstrip()}…"

    @model_validator(mode="after")
    def _has_a_place(self) -> Self:
        if not self.source:
            raise InputError("a passage has an empty source: give an address, or a name of its document")
        if not 0 <= self.start <= self.end:
            raise InputError(
                f"a passage of {self.source} goes from {self.start} to {self.end}: give its first character,"
                " counted from 0, and the one after its last"
            )
        return self


class Evidence(Passage):
    """A passage that the reranker kept for a query. `relevance` lies between 0 and 1.

    `suspicious` says why it seems to speak to a language model rather than to a reader: it is shown to none,
    and nothing is decided by it. Empty for all others.
    """

    id: str
    query_id: str
    relevance: float
    suspicious: str = ""


class Agreement(Record):
    """What an agreement checker says of one query and one evidence.

    `confidence`: the share of such verdicts that were right where it was measured; None: not measured.
    """

    verdict: Verdict
    text_answer: str = ""
    evidence_answer: str = ""
    reason: str = ""
    confidence: float | None = None


class Check(Agreement):
    """An agreement in the ledger. `stale`: the text it looked at was edited afterwards."""

    query_id: str
    evidence_id: str
    stale: bool = False


class Part(Record):
    """A place of the revised text that can be checked: a value, a name, or what a query asks about.

    `confirmed` by the passage `evidence_id`, which says `says` there; `differs` where that passage says
    something else and no edit was made; else `open`.
    """

    start: int
    end: int
    state: PartState
    evidence_id: str = ""
    says: str = ""


class Sentence(Record):
    """A sentence of the revised text with what supports it, as a whole and part by part.

    `support` is None where nothing judged it. It never makes up for a part that is not confirmed.
    """

    text: str
    start: int
    end: int
    status: Status
    evidence_ids: tuple[str, ...] = ()
    support: float | None = None
    parts: tuple[Part, ...] = ()

    @property
    def open_words(self) -> tuple[str, ...]:
        """The words of its parts that are not confirmed, in the order of the text."""
        waiting = (part for part in self.parts if part.state != "confirmed")
        return tuple(self.text[part.start - self.start : part.end - self.start] for part in waiting)


class Report(Record):
    """The attribution report. `coverage` is the sum over queries of the best relevance in the report."""

    evidence_ids: tuple[str, ...] = ()
    coverage: float = 0.0
    sentences: tuple[Sentence, ...] = ()


class Scores(Record):
    """Attribution (auto-AIS), preservation and their harmonic mean; None where nothing could be judged.

    `intent` is 1 where a language model judged that the revision keeps the text's intent, else 0; None where
    none was asked.
    """

    attribution_before: float | None = None
    attribution_after: float | None = None
    preservation: float | None = None
    f1_ap: float | None = None
    intent: float | None = None


class Notice(Record):
    """Something that went wrong and was survived; `query_id` where it concerns one query."""

    code: str
    message: str
    node: str
    query_id: str | None = None


class Revision(Record):
    """A revised text with its ledger. `model_dump_json()` is what every face of `rarr` prints."""

    run_id: str
    original: str
    text: str
    changed: bool
    queries: tuple[Query, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    checks: tuple[Check, ...] = ()
    edits: tuple[Edit, ...] = ()
    report: Report = Report()
    scores: Scores = Scores()
    usage: Usage = Usage()
    warnings: tuple[Notice, ...] = ()

    @model_validator(mode="after")
    def _ledger_leads_to_text(self) -> Self:
        if with_edits(self.original, self.edits) != self.text or self.changed != (self.text != self.original):
            raise ValueError("the accepted edits do not lead from original to text")
        return self

    def revert(self, *edit_ids: str) -> str:
        """The text without these edits, the other accepted edits kept.

        Raises `InputError` for an id that is not an accepted edit, and where a kept edit changed what a
        reverted one wrote: those can only be reverted together.
        """
        accepted = {edit.id for edit in self.edits if edit.accepted}
        if not all(isinstance(edit_id, str) for edit_id in edit_ids):
            raise InputError('edit ids are given one by one: revert("e1", "e2")')
        if unknown := [edit_id for edit_id in edit_ids if edit_id not in accepted]:
            raise InputError(f"no accepted edit {unknown[0]!r} in this revision: it has {sorted(accepted)}")
        return with_edits(self.original, self.edits, without=edit_ids)

    def accept(self, *edit_ids: str) -> "Revision":
        """The revision with these suggested edits applied, in the order of the ledger.

        Nothing is asked again: the sentences that change become `unjudged`, and the scores that depend on
        them None. Revise the text once more to have it judged.

        Raises `InputError` for an id that is not a suggested edit, and for an edit whose words another
        accepted edit changed.
        """
        # The records know no ledger: what joins an edit to a report is looked up by name.
        accepted: Revision = import_module("rarr.ledger.acceptance").with_accepted(self, edit_ids)
        return accepted

    def _repr_html_(self) -> str:
        # The records know no view: a notebook's HTML is looked up by name when a notebook asks for it.
        html: str = import_module("rarr.views.notebook").revision_html(self)
        return html
