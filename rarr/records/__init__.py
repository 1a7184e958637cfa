"""Declares the records of a run. A record is frozen, and equals the record that is read from its JSON.

A place begins at the character `start` and ends before the character `end`. Characters (code points) count
from 0. In a revision, places of queries are in the original text, places of sentences in the revised text,
the place of an edit in the text before this edit, and places of evidence in the extracted source text.
"""

from collections.abc import Sequence
from datetime import datetime
from importlib import import_module
from typing import Literal, Self

from pydantic import field_validator, model_validator

from rarr.errors import InputError
from rarr.records.base import (
    ModelUsage as ModelUsage,
    NodeUsage as NodeUsage,
    Record as Record,
    Usage as Usage,
)
from rarr.records.cards_and_edits import (
    Change as Change,
    Edit as Edit,
    Quote as Quote,
    moved_range as moved_range,
    pres_lev as pres_lev,
    refuse_accepted_edit,
    require_edits_in_state,
    with_edits as with_edits,
)

Verdict = Literal["agrees", "disagrees", "irrelevant", "unknown"]
Status = Literal["supported", "contradicted", "unconfirmed", "no_evidence", "retrieval_failed", "unjudged"]
NOT_JUDGED: frozenset[Status] = frozenset(("retrieval_failed", "unjudged"))
"""The statuses of a sentence that could not be judged."""
PartState = Literal["confirmed", "differs", "open"]
AttributionClass = Literal["attributable", "extrapolatory", "contradictory"]
"""The relation of evidence to a sentence, as in AttrScore (Yue et al. 2023, section 2)."""
RUN_ID = r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}"
"""The regular expression that the id of a run matches."""
LONGEST_TITLE = 300
"""The most characters of the title of a passage."""
UNNAMED = "unnamed:"
"""The prefix of `source` in a passage without an address or name of its document."""


class Question(Record):
    """A question from a query generator, and the place in the text that the question asks about.

    The place is the place of the claimed value (a number, date or name). If the generator does not know the
    value, the question has the place of the sentence.
    """

    text: str
    start: int
    end: int


class Query(Question):
    """A question of one round of research. The first `round` is 1.

    `searched` is False if nothing was searched for the query: its sentence is checked with other evidence.
    """

    id: str
    round: int = 1
    searched: bool = True


class Passage(Record):
    """Some sentences of a source: `text` is the extracted text of the source from `start` to `end`.

    A `title` of more than 300 characters is cut. `lead` has lines above the passage that a reader needs, such
    as its heading or the header of its table. Each line is a pair of an offset in the source and the words.
    Raises `InputError` for an empty `source`, and unless 0 <= `start` <= `end`.
    """

    text: str
    source: str
    title: str = ""
    start: int
    end: int
    retrieved_at: datetime
    published_at: datetime | None = None
    lead: tuple[tuple[int, str], ...] = ()

    @field_validator("title")
    @classmethod
    def _title_is_short(cls, title: str) -> str:
        return title if len(title) <= LONGEST_TITLE else f"{title[: LONGEST_TITLE - 1].rstrip()}…"

    @model_validator(mode="after")
    def _has_a_place(self) -> Self:
        if not self.source:
            raise InputError("a passage has an empty source: give an address, or a name of its document")
        if not 0 <= self.start <= self.end:
            cure = "give its first character, counted from 0, and the one after its last"
            raise InputError(f"a passage of {self.source} goes from {self.start} to {self.end}: {cure}")
        return self


class Evidence(Passage):
    """A passage that the reranker selected for a query. `relevance` is a score from 0 to 1.

    A passage is suspicious if it seems to give instructions to a language model. Then `suspicious` has the
    reason, otherwise "". No model sees a suspicious passage. The passage decides nothing.
    """

    id: str
    query_id: str
    relevance: float
    suspicious: str = ""


class Agreement(Record):
    """The answer of a checker. `verdict`: whether a text and an evidence give the same answer to a query."""

    verdict: Verdict
    text_answer: str = ""
    evidence_answer: str = ""
    reason: str = ""


class Check(Agreement):
    """The answer of a checker about one query and one evidence, with the ids of both.

    `stale` is True if an edit changed the checked text later. `quote` has the lines that gave the verdict.
    """

    query_id: str
    evidence_id: str
    stale: bool = False
    quote: str = ""


class Part(Record):
    """A part of a sentence of the revised text that can be checked, such as a number, a date or a name.

    `state` is `confirmed` if the passage `evidence_id` says the same, `differs` if it says something else and
    no edit was made, and `open` otherwise. `says` has the words of the passage, or "".
    """

    start: int
    end: int
    state: PartState
    evidence_id: str = ""
    says: str = ""


class Sentence(Record):
    """A sentence of the revised text, with its status and its parts.

    `support` is the score of a judge from 0 to 1, or None without a judge. `checkable` is False if the
    sentence states nothing. `quotes` are the words of sources that decide the status. A supported sentence
    has no open part.
    """

    text: str
    start: int
    end: int
    status: Status
    evidence_ids: tuple[str, ...] = ()
    support: float | None = None
    parts: tuple[Part, ...] = ()
    checkable: bool = True
    quotes: tuple[Quote, ...] = ()

    @property
    def open_words(self) -> tuple[str, ...]:
        """The words of all parts that are not confirmed, in the order of the text."""
        return tuple(self.words(part) for part in self.parts if part.state != "confirmed")

    def words(self, part: Part) -> str:
        """Returns the words of a part of this sentence."""
        return self.text[part.start - self.start : part.end - self.start]


class Report(Record):
    """The attribution report: the sentences with their status, and the ids of the chosen evidence.

    `coverage` is the sum over all queries of the best relevance of a chosen passage to the query.
    """

    evidence_ids: tuple[str, ...] = ()
    coverage: float = 0.0
    sentences: tuple[Sentence, ...] = ()


class Scores(Record):
    """Attribution (auto-AIS), preservation and their harmonic mean (`f1_ap`), from 0 to 1.

    Attribution is the mean over all sentences of the best support by a single passage of the report. A
    sentence that could not be judged counts as 0. A score is None if nothing could be judged.
    """

    attribution_before: float | None = None
    attribution_after: float | None = None
    preservation: float | None = None
    f1_ap: float | None = None


class Notice(Record):
    """A warning about a problem that did not end the run. If it is about one query, `query_id` is set."""

    code: str
    message: str
    node: str
    query_id: str | None = None


class Verification(Record):
    """The relation of evidence to a claim, in the classes of AttrScore (Yue et al. 2023, section 2).

    `label` is the worst class of the claim's sentences. The worst is `contradictory`, then `extrapolatory`,
    then `attributable`. `label` is None if the claim could not be judged. `probability` is the lowest support
    of a sentence, from 0 to 1, or None without a judge. `sentences` are as in the report of a revision.
    `evidence` has the passages that were read.
    """

    claim: str
    question: str | None = None
    label: AttributionClass | None = None
    probability: float | None = None
    sentences: tuple[Sentence, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    usage: Usage = Usage()
    warnings: tuple[Notice, ...] = ()

    @property
    def parts(self) -> tuple[Part, ...]:
        """The parts of all sentences of the claim. Each part is confirmed, differs, or is open."""
        return tuple(part for sentence in self.sentences for part in sentence.parts)


class Revision(Record):
    """The result of a run: the revised text with its queries, evidence, checks, edits and report.

    `model_dump_json()` returns the JSON that all commands of `rarr` print.
    """

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
    def _edits_lead_to_text(self) -> Self:
        if with_edits(self.original, self.edits) != self.text or self.changed != (self.text != self.original):
            raise ValueError("the accepted edits do not lead from original to text")
        return self

    def revert(self, *edit_ids: str) -> str:
        """Returns the text without the accepted edits of these ids. The revision does not change.

        Raises `InputError` if no id is given, if an id is of no accepted edit, or if a later edit changed the
        new words of a reverted edit. In the last case, revert both edits in one call.
        """
        return self.without(*edit_ids).text

    def accept(self, *edit_ids: str) -> "Revision":
        """Returns a new revision with the suggested edits of these ids applied, without new checks.

        A changed sentence becomes `supported` if all its edits are accepted and `confirmed`, and otherwise
        `unjudged`. `attribution_after` and `f1_ap` become None. Raises `InputError` if no id is given, if an
        id is of no suggested edit, or if another accepted edit changed the words that the edit replaces.
        """
        require_edits_in_state("suggested", self.edits, edit_ids)
        revision = self
        for edit_id in (edit.id for edit in self.edits if edit.id in edit_ids):
            revision = revision._with_accepted(edit_id)
        return revision

    def without(self, *edit_ids: str) -> "Revision":
        """Returns a new revision in which the accepted edits of these ids are refused.

        The sentences of these edits become `contradicted`. The scores `attribution_after` and `f1_ap` become
        None. Raises `InputError` in the same cases as `revert`.
        """
        require_edits_in_state("accepted", self.edits, edit_ids)
        edits, changes = [*self.edits], list[Change]()
        for number, edit in reversed([*enumerate(self.edits)]):
            if edit.accepted and edit.id in edit_ids:
                changes.append(refuse_accepted_edit(edits, number))
        return self._with_changes(changes, tuple(edits), "contradicted") if changes else self

    def sentence_of(self, edit: Edit | str) -> Sentence | None:
        """Returns the sentence that an edit changes or would change; None: the report has no such sentence.

        `edit` is the edit or its id. Raises `InputError` if the id is unknown.
        """
        start, _ = self._current_place(edit)
        return next((it for it in reversed(self.report.sentences) if it.start <= start), None)

    def _current_place(self, edit: Edit | str) -> tuple[int, int]:
        edit_id, ids = getattr(edit, "id", edit), [it.id for it in self.edits]
        if edit_id not in ids:
            raise InputError(f"edit {edit_id!r} is unknown; edits: {', '.join(ids) or 'none'}")
        found, *later = self.edits[ids.index(edit_id) :]
        return moved_range(found.start, found.end, [it for it in later if it.accepted])

    def _with_accepted(self, edit_id: str) -> "Revision":
        edit = next(it for it in self.edits if it.id == edit_id)
        (start, end), sentence = self._current_place(edit), self.sentence_of(edit)
        if self.text[start:end] != edit.old:
            why = f"{edit_id} replaces {edit.old!r}, which another edit changed"
            raise InputError(f"{why}: revise the text once more")
        others = [other for other in self.edits if other.id != edit_id]
        own = [it for it in others if self.sentence_of(it) is sentence and it.state != "refused"]
        is_supported = edit.confirmed and all(it.accepted and it.confirmed for it in own)
        edit = edit.model_copy(update={"state": "accepted", "start": start, "end": end})
        made = self._with_changes([edit], (*others, edit), "supported" if is_supported else "unjudged")
        told = f"{edit_id} was accepted after the run, and its sentence was not judged again"
        notice = Notice(code="not_judged_again", message=told, node="edit")
        return made if is_supported else made.model_copy(update={"warnings": (*self.warnings, notice)})

    def _with_changes(self, changes: Sequence[Change], edits: tuple[Edit, ...], status: Status) -> "Revision":
        """Returns the revision with the list `edits`. Sentences that `changes` touch get this `status`."""
        text = with_edits(self.original, edits)
        sentences = tuple(_sentence_after(it, changes, text, status) for it in self.report.sentences)
        scores = {"attribution_after": None, "f1_ap": None, "preservation": pres_lev((self.original, text))}
        update = {
            "text": text,
            "changed": text != self.original,
            "edits": edits,
            "report": self.report.model_copy(update={"sentences": sentences}),
            "scores": self.scores.model_copy(update=scores),
        }
        return self.model_copy(update=update)

    def _repr_html_(self) -> str:
        # Records must not import views, so a notebook imports the function by name.
        return str(import_module("rarr.views.pages").revision_html(self))


def _sentence_after(sentence: Sentence, changes: Sequence[Change], text: str, status: Status) -> Sentence:
    """Returns the sentence after `changes`. If its words changed, it gets `status`, and quotes that fit."""
    start, end = moved_range(sentence.start, sentence.end, changes)
    parts = tuple(_part_after(part, sentence.words(part), changes, status) for part in sentence.parts)
    update: dict[str, object] = {"start": start, "end": end, "text": text[start:end], "parts": parts}
    if text[start:end] != sentence.text:
        side = "for" if status == "supported" else "against"
        quotes = tuple(quote.model_copy(update={"side": side}) for quote in sentence.quotes)
        update |= {"status": status, "support": None, "quotes": quotes}
        if status == "unjudged":
            update |= {"quotes": (), "evidence_ids": ()}
    return sentence.model_copy(update=update)


def _part_after(part: Part, words: str, changes: Sequence[Change], status: Status) -> Part:
    """Moves a part of a sentence to its place after `changes`. After an overlap, `status` gives its state."""
    state = {"supported": "confirmed", "unjudged": "open"}.get(status, "differs")  # if a change overlaps
    for change in changes:
        start, end = moved_range(part.start, part.end, [change])
        update: dict[str, object] = {"start": start, "end": end}
        if part.start < change.end and change.start < part.end:
            update["state"] = state
            if state == "open":
                update |= {"evidence_id": "", "says": ""}
            elif (part.state, state) == ("confirmed", "differs"):
                update["says"] = words
        part = part.model_copy(update=update)
    return part
