"""Postprocesses the answer of a model within a deadline. After a failure, returns the original answer."""

import csv
import io
import json
from collections import Counter
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from typing import Any, get_args

from rarr.agent.inputs import required_text
from rarr.agent.marks import insert_marks, planned_citations
from rarr.errors import InputError
from rarr.ledger.edit_gate import moved_records, moved_sentences
from rarr.records import Revision, Sentence
from rarr.records.cards_and_edits import Change, moved_range
from rarr.records.citations import Cited
from rarr.records.postprocessing import (
    AnswerCitation,
    Doubt,
    DoubtMark,
    Outcome,
    Postprocessed,
    PostprocessMode,
)
from rarr.tools.concurrency import by_deadline, work
from rarr.tools.models.answer_parsing import reasoning_end
from rarr.tools.text.wording import counted, is_failure, why_nothing_checked
from rarr.valid_unicode import valid

_PostprocessCall = Callable[[str], Coroutine[Any, Any, Postprocessed]]
_NOTICE_ADDITIONS = {  # words that a warning with this code adds to the end of the notice
    "source_failed": "; a source could not be searched",
    "reader_unreliable": "; the reader missed planted errors",
    "html_not_checked": "; blocks of HTML were not read",
    "table_not_checked": "; a table was not read",
    "character_replaced": "; characters that are not valid became U+FFFD",
}
_ALL_CLASSES = ("corrected", "contradicted", "not confirmed", "not judged", "confirmed", "not checked")
"""The classes of sentences. Each sentence is in one class. A `not checked` sentence had nothing to check."""
_STATUS_CLASS = {"supported": "confirmed", "contradicted": "contradicted", "retrieval_failed": "not judged"}


def require_valid_call(
    answer: object = "an answer", mode: object = "revise", deadline_s: float | None = None
) -> None:
    """Raises `InputError` if an argument of `postprocess` is wrong."""
    required_text(answer, "answer")
    if mode not in (modes := get_args(PostprocessMode)):
        raise InputError(f"mode is {mode!r}: give one of {', '.join(map(repr, modes))}")
    is_number = isinstance(deadline_s, int | float) and not isinstance(deadline_s, bool)
    if deadline_s is not None and not (is_number and deadline_s > 0):
        raise InputError(f"deadline_s is {deadline_s!r}: give seconds above 0, or None for no deadline")


async def result_by_deadline(
    call: _PostprocessCall, answer: str, mode: PostprocessMode, deadline_s: float | None
) -> Postprocessed:
    """Runs `call` on `answer` without its reasoning. After `deadline_s` seconds, keeps `answer` unchanged."""
    require_valid_call(answer, mode, deadline_s)
    answer = valid(answer)
    reasoning = answer[: reasoning_end(answer)]
    if not (text := answer[len(reasoning) :]):
        why = "nothing to check: the model gave no answer behind its reasoning"
        return untouched_result(answer, mode, "nothing_to_check", why)
    late = f"not checked: the deadline of {deadline_s or 0:g} s came first"
    result = await by_deadline(call(text), deadline_s) or untouched_result(text, mode, "deadline", late)
    return await work(_with_reasoning, result, reasoning) if reasoning else result


def _with_reasoning(result: Postprocessed, reasoning: str) -> Postprocessed:
    """Puts the reasoning before the texts of `result`. Moves all places by the length of the reasoning."""
    by, of_sentence, run = len(reasoning), ("sentence_start", "sentence_end"), result.revision
    update: dict[str, Any] = {"original": reasoning + result.original, "text": reasoning + result.text}
    update["citations"] = moved_records(result.citations, by)
    update["existing"] = moved_records(result.existing, by, *of_sentence)
    update["marks"] = moved_records(result.marks, by, "at", *of_sentence)
    if run:
        new: dict[str, Any] = {"original": reasoning + run.original, "text": reasoning + run.text}
        new |= {"queries": moved_records(run.queries, by), "edits": moved_records(run.edits, by)}
        new["report"] = run.report.model_copy(update={"sentences": moved_sentences(run.report.sentences, by)})
        update["revision"] = run.model_copy(update=new)
    return result.model_copy(update=update)


def untouched_result(
    answer: str, mode: PostprocessMode, outcome: Outcome, why: str, **more: Any
) -> Postprocessed:
    """Makes the result for an answer that is returned unchanged. `why` becomes the notice of the result."""
    facts = {"mode": mode, "outcome": outcome, "notice": valid(why), **more}
    return Postprocessed(text=answer, original=answer, changed=False, **facts)


def result_of_run(mode: PostprocessMode, revision: Revision, cited: Cited | None = None) -> Postprocessed:
    """Makes the result of a run. Only the modes cite and annotate put marks into the text of the answer."""
    outcome, notice = outcome_and_notice(revision, cited)
    facts = {"revision": revision, "existing": cited.existing if cited else ()}
    if outcome == "failed":
        return untouched_result(revision.original, mode, outcome, notice, **facts)
    text, marks = revision.text, tuple[DoubtMark, ...]()
    if cited:
        text, found = cited.text, [(it.start, it.end, it.passage) for it in cited.citations]
    else:
        planned = planned_citations(revision)
        if mode == "annotate" and not is_data_format(text):
            doubtful = [it for name, it in classified_sentences(revision) if name in get_args(Doubt)]
            text, marks = annotated_text(text, doubtful)
        inserted = sorted({(mark.start, mark.end) for mark in marks})
        changes = [Change(start=start, end=start, new=text[start:end]) for start, end in inserted]
        found = [(*moved_range(it.start, it.end, changes), passage) for it, passage in planned]
    citations = tuple(
        AnswerCitation(start=start, end=end, source=it.source, title=it.title, evidence_id=it.id)
        for start, end, it in found
    )
    facts |= {"text": text, "changed": text != revision.original, "marks": marks, "citations": citations}
    return Postprocessed(original=revision.original, mode=mode, outcome=outcome, notice=notice, **facts)


def is_data_format(text: str) -> bool:
    """Tells whether the text is JSON, lines of JSON, XML or CSV. A mark would make this text invalid."""
    if text.lstrip().startswith("<") and text.rstrip().endswith(">"):
        return True
    for parts in ([text], text.strip().splitlines()):
        with suppress(ValueError, RecursionError):
            return all(isinstance(json.loads(part), dict | list) for part in parts if part.strip())
    for delimiter in ",;\t":
        with suppress(csv.Error):
            rows = [row for row in csv.reader(io.StringIO(text), strict=True, delimiter=delimiter) if row]
            is_even = len(rows) > 1 and len(rows[0]) > 1 and len(set(map(len, rows))) == 1
            if is_even and not any(cell[:1].isspace() for row in rows for cell in row):
                return True
    return False


def annotated_text(original: str, sentences: Sequence[Sentence]) -> tuple[str, tuple[DoubtMark, ...]]:
    """Puts `[contradicted]` or else `[not confirmed]` behind each sentence. Returns new text and marks."""
    kinds = ["contradicted" if it.status == "contradicted" else "not confirmed" for it in sentences]
    text, places = insert_marks(original, [*zip(sentences, (f"[{kind}]" for kind in kinds), strict=True)])
    return text, tuple(DoubtMark(kind=kind, **it) for kind, it in zip(kinds, places, strict=True))


def outcome_and_notice(revision: Revision, cited: Cited | None = None) -> tuple[Outcome, str]:
    """Returns the outcome of a run, and a notice that counts sentences, corrections and citations."""
    if why := why_nothing_checked(revision):
        return "failed", f"not checked: {why}"
    classes = Counter(name for name, _ in classified_sentences(revision))
    counts = {name: classes[name] for name in _ALL_CLASSES} | {"cited": len(cited.citations) if cited else 0}
    parts = [f"{count:,} {what}" for what, count in counts.items() if count]
    if wrong := sum(check.state == "not_supported" for check in (cited.existing if cited else ())):
        parts.append(counted(wrong, "wrong citation"))
    codes = Counter(notice.code for notice in revision.warnings)
    disputed = codes["sources_disagree"]
    more = f"; sources disagree about {counted(disputed, 'sentence')}" if disputed else ""
    more += "".join(line for code, line in _NOTICE_ADDITIONS.items() if codes[code])
    if all(part.endswith("not checked") for part in parts):
        return "nothing_to_check", f"nothing to check{more}"
    is_unread = classes["not judged"] and _has_failure(revision)
    is_unsure = codes["doubt_failed"] or codes["reader_unreliable"]
    return "partial" if is_unread or is_unsure else "finished", ", ".join(parts) + more


def classified_sentences(revision: Revision) -> list[tuple[str, Sentence]]:
    """Returns a pair for each sentence of the report: its class, such as "corrected", and the sentence.

    An edited sentence is `corrected` only if it is supported after the edit. An unjudged sentence is `not
    judged` if it has parts to check, or if something failed in the run. Otherwise, it is `not checked`.
    """
    failed, edits = _has_failure(revision), [edit for edit in revision.edits if edit.accepted]
    changed = [moved_range(it.start, it.start + len(it.new), edits[n:]) for n, it in enumerate(edits, 1)]

    def name(sentence: Sentence) -> str:
        is_changed = any(start < sentence.end and sentence.start <= end for start, end in changed)
        if is_changed and sentence.status == "supported":
            return "corrected"
        if sentence.status == "unjudged":
            return "not judged" if failed or sentence.parts else "not checked"
        return _STATUS_CLASS.get(sentence.status, "not confirmed" if sentence.parts else "not checked")

    return [(name(sentence), sentence) for sentence in revision.report.sentences]


def _has_failure(revision: Revision) -> bool:
    """Tells whether a search or a judgement of the run failed, or some text was not read."""
    unsearched = any(sentence.status == "retrieval_failed" for sentence in revision.report.sentences)
    return unsearched or any(map(is_failure, revision.warnings))
