"""Tests whether a reviser follows the passage in front of it, or repeats what its model remembers.

Longpre et al. 2021; Chen 2023, chapter 5. In the passage of a question, the answer is replaced by the answer
of another row of the same type. The reviser gets the sentence with the old answer, and the changed passage
alone.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, get_args

from pydantic import BeforeValidator, Field

from rarr.agent.revise import Reviser
from rarr.agent.wiring.components import wire
from rarr.backends.embedded.items import items_of
from rarr.backends.embedded.values import compare, values
from rarr.backends.phrases import phrases
from rarr.errors import InputError
from rarr.evals.benchmarks.bench import Bench, Options, Pairs, Part, ScoreTable, sampled
from rarr.evals.metrics import Measured, answer_words, is_same_answer, share, share_of
from rarr.evals.rows import Row, Text, Texts, listed, read_rows
from rarr.evals.run_folder import FinishedLine, digest
from rarr.records import Revision
from rarr.retrievers.given_passages import GivenPassages
from rarr.settings import Settings
from rarr.tools.text.blocks_and_sentences import sentences, split_sentences

Bucket = Literal["memory", "evidence", "other"]
"""What a reviser did with a changed passage: it kept the old answer, took the new one, or did neither."""
AnswerType = Literal["person", "organization", "location", "date", "number"]
_EXAMPLE = '{"question": "...", "answers": ["..."], "passage": "..."} for each question'
_PREPOSITION = re.compile(r"^(?:in|on|at|from|by|to)\s+(?=\S)", re.IGNORECASE)
_SHORTEST = 3  # letters of a word that names something alone
_MOST_NAME_WORDS = 5
_BEFORE_VALUE = re.compile(r"(?:\b(?:on|in|at|the|about|around)\b|\W)*", re.IGNORECASE)
_ASKED: dict[AnswerType, str] = {
    "person": r"^\W*(?:\w+\s+){0,3}?(?:who|whose|whom)\b",
    "location": r"\bwhere\b|\b(?:which|what)\s+(?:\w+\s+)?(?:city|country|state|town|river|island|county)\b",
    "organization": r"\b(?:which|what)\s+(?:\w+\s+)?(?:company|band|team|club|party|university|bank)\b",
}


def _texts(answers: Any) -> Any:
    """Returns the texts of answers, which have places beside them in QED."""
    parts = listed(answers)
    is_list = isinstance(parts, list)
    return [it.get("text") if isinstance(it, dict) else it for it in parts] if is_list else parts


class QuestionRow(Row):
    """A question, the variants of its answer and its type where known, and a passage that states it."""

    question: Text
    answers: Annotated[Texts, BeforeValidator(_texts)] = Field(min_length=1)
    passage: Text
    title: str = ""
    type: AnswerType | None = None


class Conflict(NamedTuple):
    """A question whose passage was changed: `new` stands in `changed` where an `old` answer stood.

    `old` are the forms of the answer without a preposition before them, the names of a person too; `stated`
    is the longest form in the passage, and `claim` the first sentence of the passage that has it.
    """

    id: str
    row: QuestionRow
    type: AnswerType
    old: tuple[str, ...]
    stated: str
    claim: str
    new: str = ""
    changed: str = ""


class ReactionLine(FinishedLine):
    """What the reviser did with one conflict, if it got the unchanged passage `right`."""

    right: bool | None = None
    bucket: Bucket | None = None
    text: str | None = None


def conflicts(data: Path, settings: Settings, options: Options) -> Bench:
    """Makes conflicts, at most `limit`, of the questions in the file `data`."""
    rows = read_rows(data, QuestionRow, _EXAMPLE)
    every, left_out = conflicts_of(rows)
    chosen = sampled(every)[: options.limit]
    if not chosen:
        reasons = "; ".join(f"{reason}: {count}" for reason, count in left_out.items())
        raise InputError(f"{data} gives no conflict ({reasons}): give rows whose passage states the answer")
    counts = {"questions": len(rows), "conflicts": len(chosen)}
    parts = {"the reviser": Part(every, ReactionLine, lambda: _ConflictReviser(settings), chosen)}
    return Bench("conflicts", "Conflicting knowledge", counts, parts, tables, left_out)


def conflicts_of(rows: Sequence[QuestionRow]) -> tuple[list[Conflict], dict[str, int]]:
    """Makes the same conflicts of the same rows, and counts what was left out, by reason."""
    found = [_stated(row) for row in rows]
    usable = [each for each in found if isinstance(each, Conflict)]
    made = [_substituted(each, usable) for each in usable]
    left_out = Counter(why for why in (*found, *made) if isinstance(why, str))
    return [each for each in made if isinstance(each, Conflict)], dict(left_out)


def _stated(row: QuestionRow) -> Conflict | str:
    """Finds answer, type and claim of a row, or the reason why the row cannot be used."""
    variants = tuple(dict.fromkeys(_PREPOSITION.sub("", answer) for answer in row.answers))
    stated = [answer for answer in variants if contains(row.passage, answer)]
    if not stated:
        return "no answer stands in the passage"
    if any(contains(row.question, answer) for answer in variants):
        return "an answer stands in the question"
    answer = max(stated, key=lambda variant: (len(variant), variant))
    if not all(set(answer_words(answer)) & set(answer_words(other)) for other in stated):
        return "the passage states several answers"
    kind = row.type or answer_type(answer, row.question)
    if kind is None:
        return "the answer is of no known type"
    claims = (span.of(row.passage) for span in sentences(row.passage))
    claim = next((claim for claim in claims if contains(claim, answer)), None)
    # Without the names of a person, the passage would go on with the surname or the first name.
    old = (*variants, *distinctive_words(answer)) if kind == "person" else variants
    if claim is None:
        return "no sentence has the whole answer"
    rest = replaced(row.passage, old, "") or row.passage
    if any(has_part_of(text, old) for text in (rest, row.title)):
        return "a part of the old answer would stay"
    return Conflict(row.id, row, kind, old, answer, claim)


def _substituted(conflict: Conflict, rows: Sequence[Conflict]) -> Conflict | str:
    """Takes an answer that neither question nor passage has, in a random order that the texts decide."""
    row, others = conflict.row, {each.stated for each in rows if each.type == conflict.type}
    for new in sorted(others, key=lambda each: digest(f"{row.id}\n{each}".encode())):
        changed = replaced(row.passage, conflict.old, new)
        may_be_same = has_part_of(new, conflict.old) or any(
            contains(old, new) or is_same_answer(new, old) for old in conflict.old
        )
        if changed and not (may_be_same or contains(row.question, new) or contains(row.passage, new)):
            return conflict._replace(new=new, changed=changed)
    return "no substitute fits"


def answer_type(answer: str, question: str) -> AnswerType | None:
    """Returns the type of an answer to a question; None if it is of no type, or if the type is not clear.

    A date or number must be all of the answer. The type of a name is told by the question.
    """
    found = values(answer)
    if found:
        rest = answer[: found[0].start] + answer[found[-1].end :]
        if len(found) > 1 or not _BEFORE_VALUE.fullmatch(rest) or found[0].kind == "identifier":
            return None
        return "date" if found[0].kind in ("date", "time") else "number"
    words = answer.split()
    if not 0 < len(words) <= _MOST_NAME_WORDS or not (words[0][0].isupper() and words[-1][0].isupper()):
        return None
    return next((kind for kind, asked in _ASKED.items() if re.search(asked, question, re.IGNORECASE)), None)


def contains(text: str, words: str) -> bool:
    """Do the words stand in the text, as whole words and in whatever case?"""
    return _place([words]).search(text) is not None


def replaced(text: str, variants: Sequence[str], new: str) -> str | None:
    """Replaces each variant of an answer by `new`, the longest first; None if there was nothing to replace.

    Only whole words are replaced, in whatever case. A variant inside a longer name, such as Washington in
    Washington Post, is another name and stays.
    """
    names = [
        (span.start + name.start, span.start + name.end)
        for span in split_sentences(text)
        for name in phrases(span.of(text))
        if name.items[0].is_name
    ]

    def substitute(match: re.Match[str]) -> str:
        at = match.span()
        is_part = any(start <= at[0] and at[1] <= end and at != (start, end) for start, end in names)
        return match[0] if is_part else new

    changed = _place(variants).sub(substitute, text)
    return changed if changed != text else None


def has_part_of(text: str, variants: Sequence[str]) -> bool:
    """Does a word or a value in `text` name an answer or a part of it?

    Mexico does so in New Mexico, Mexican for Mexico, and "41.5 ft" for "12.65 m". A reader that finds it may
    take it for the answer, and would seem to answer from memory.
    """
    words = [word[: max(_SHORTEST, len(word) - 1)] for each in variants for word in distinctive_words(each)]
    if any(re.search(rf"\b{re.escape(word)}", text) for word in words):
        return True
    known = [value for variant in variants for value in values(variant)]
    return any(compare(value, it) == "equal" for value in known for it in values(text))


def distinctive_words(answer: str) -> list[str]:
    """Returns the capitalised words of an answer that belong to no value."""
    words = [answer[item.start : item.end] for item in items_of(answer) if not item.value]
    return [word for word in words if len(word) >= _SHORTEST and word[0].isupper()]


def _place(variants: Sequence[str]) -> re.Pattern[str]:
    longest_first = sorted(set(variants), key=lambda variant: (-len(variant), variant))
    words = "|".join(map(re.escape, longest_first))
    return re.compile(rf"(?<!\w)(?<!\d[.,])(?:{words})(?!\w)(?![.,]\d)", re.IGNORECASE)


class _ConflictReviser:
    """Revises claims with a passage as the only source."""

    def __init__(self, settings: Settings) -> None:
        unsearched = settings.model_copy(update={"search": GivenPassages((), window=settings.window)})
        self._reviser = Reviser(components=wire(unsearched, measuring=True))
        self.aclose = self._reviser.aclose

    async def line(self, conflict: Conflict) -> ReactionLine:
        """Puts the unchanged passage to the reviser, and the changed one if it gets the first right."""
        revision = await self._revised(conflict, conflict.row.passage)
        if revision.changed or "contradicted" in _statuses(revision):
            return ReactionLine(id=conflict.id, right=False)
        revision = await self._revised(conflict, conflict.changed)
        return ReactionLine(id=conflict.id, right=True, bucket=bucket(revision, conflict), text=revision.text)

    async def _revised(self, conflict: Conflict, passage: str) -> Revision:
        given = [{"text": passage, "title": conflict.row.title}]
        asked = conflict.row.question
        return await self._reviser.arevise(conflict.claim, asked, sources=given, search="given")


def _statuses(revision: Revision) -> set[str]:
    return {sentence.status for sentence in revision.report.sentences}


def bucket(revision: Revision, conflict: Conflict) -> Bucket:
    """Sorts the revision of the claim with the old answer, by a reviser that had the changed passage alone.

    It follows the passage if it writes or suggests the new answer, or calls the claim contradicted. It keeps
    the old answer if it calls the unchanged claim supported.
    """
    texts = [revision.text, *(edit.new for edit in revision.edits if edit.state == "suggested")]
    if any(contains(text, conflict.new) for text in texts) or "contradicted" in _statuses(revision):
        return "evidence"
    return "memory" if not revision.changed and _statuses(revision) == {"supported"} else "other"


def tables(parts: Mapping[str, Pairs]) -> Iterator[ScoreTable]:
    """Scores all conflicts, and those of each type of answer."""
    pairs = [pair for each in parts.values() for pair in each]
    rows = {"all": reactions([line for _, line in pairs])}
    for kind in sorted({conflict.type for conflict, _ in pairs}):
        rows[kind] = reactions([line for conflict, line in pairs if conflict.type == kind])
    yield ScoreTable(title="by type of the answer", rows=rows)


def reactions(lines: Sequence[ReactionLine]) -> dict[str, Measured]:
    """Computes the memorisation ratio and the shares of reactions, over the conflicts that were judged.

    The ratio is that of memory among memory and evidence (Longpre et al. 2021; Chen 2023, section 5.3).
    `right before` is over all conflicts, and the other shares over those that were right with the unchanged
    passage.
    """
    counts = Counter(line.bucket for line in lines if line.bucket)
    shares = {name: share_of(counts[name], counts.total()) for name in get_args(Bucket)}
    ratio = share_of(counts["memory"], counts["memory"] + counts["evidence"])
    right = share([line.right if not line.error else None for line in lines])
    return {"memorisation ratio": ratio, **shares, "right before": right}
