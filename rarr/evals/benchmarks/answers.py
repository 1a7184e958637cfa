"""The benchmarks of short answers: `answers` and `conflicts`.

`answers` compares scores of answers with ratings by people, as LERC does (Chen 2023, chapter 3). `conflicts`
tests whether a reviser follows a passage, or the memory of its model (Longpre et al. 2021; Chen 2023, chapter
5). The benchmark replaces the right answer in the passage by an answer of another row. The reviser gets a
sentence with the right answer as its text, and the changed passage as its only evidence.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from statistics import StatisticsError, correlation
from typing import Any, Literal, NamedTuple, get_args

from pydantic import AliasChoices, BaseModel, Field, model_validator

from rarr.agent.revise import Reviser
from rarr.agent.wiring.components import wire
from rarr.agent.wiring.models import LanguageModels
from rarr.backends.embedded.items import items_of
from rarr.backends.embedded.values.comparing import compare
from rarr.backends.embedded.values.reading import values
from rarr.backends.phrases import values_and_names
from rarr.backends.prompted.judging import PromptedRater
from rarr.backends.prompted.prompts import Prompts
from rarr.errors import InputError
from rarr.evals.benchmarks.bench import Bench, BenchOptions, Part, Tables, in_random_order
from rarr.evals.metrics import (
    Measurement,
    answer_score,
    answer_words,
    bootstrap_each,
    exact_match,
    roc_auc,
    rouge_l,
    share,
    share_of,
    token_f1,
)
from rarr.evals.rows import Row, Text, Texts, Variants, read_rows
from rarr.evals.run_folder import FinishedLine, Pairs, Worker, digest
from rarr.records import Revision
from rarr.retrievers.given_passages import GivenPassages
from rarr.settings import EMBEDDED, Settings
from rarr.tools.models.chat import name_of
from rarr.tools.text.blocks_and_sentences import sentences, split_sentences

RATED_EXAMPLE = '{"answer": "...", "references": ["..."], "score": 0.5} for each answer'
ASKED_EXAMPLE = '{"question": "...", "answers": ["..."], "passage": "..."} for each question'
RESAMPLES = 300

ANSWER_SCORES: dict[str, Callable[[str, str], float]] = {
    "values and words": answer_score, "token F1": token_f1, "exact match": exact_match, "ROUGE-L": rouge_l,
}  # fmt: skip


class RatedAnswer(BaseModel):
    """An answer that a person rated from 0 (wrong) to 1 (right). A rating of true means 1, and false 0."""

    answer: Text
    score: float = Field(ge=0, le=1, validation_alias=AliasChoices("score", "correct"))


class RatedRow(Row):
    """A question with right answers (`references`) and with rated answers (`candidates`)."""

    references: Texts = Field(min_length=1)
    question: Text | None = None
    passage: Text | None = None
    candidates: tuple[RatedAnswer, ...]
    unrated: int = 0  # the number of answers that have no rating, or that reply to an improper question

    @model_validator(mode="before")
    @classmethod
    def _make_candidates(cls, given: Any) -> Any:
        if not isinstance(given, dict) or "answer" in given or "candidates" not in given:
            return {**given, "candidates": [given]} if isinstance(given, dict) else given
        every = [] if given.get("improper") else list(map(dict, given["candidates"]))
        rated = [it for it in every if str(it.get("answer", "")).strip() and "correct" in it]
        given["references"] = [it for it in given.get("references", ()) if str(it).strip()]
        return {**given, "candidates": rated, "unrated": len(given["candidates"]) - len(rated)}


class AnswerRow(NamedTuple):
    """An answer, the rating (`score`) that a person gave the answer, and the row of the question."""

    id: str
    question_row: RatedRow
    answer: str
    score: float


class ScoreLine(FinishedLine):
    """The score from 0 to 1 that the language model gave an answer; None after an error."""

    score: float | None = None


def answers_bench(data: Path, settings: Settings, options: BenchOptions) -> Bench:
    """Makes the benchmark `answers`. Raises `InputError` if people gave all answers the same rating."""
    questions = read_rows(data, RatedRow, RATED_EXAMPLE)
    every = [(row, at, it) for row in questions for at, it in enumerate(row.candidates, start=1)]
    rows = in_random_order(AnswerRow(f"{row.id}/{at}", row, it.answer, it.score) for row, at, it in every)
    chosen = rows[: options.limit]
    ratings = [row.score for row in chosen]
    if len(set(ratings)) < 2:
        raise InputError(f"all ratings in {data} are equal: give right and wrong answers")
    part = Part(rows, ScoreLine, partial(_scoring_worker, settings), chosen)
    parts = {} if settings.model in EMBEDDED else {name_of(settings.model): part}

    def tables(pairs: Mapping[str, Pairs]) -> Tables:
        scores: dict[str, Sequence[float | None]] = {
            name: [max(float(score(row.answer, it)) for it in row.question_row.references) for row in chosen]
            for name, score in ANSWER_SCORES.items()
        }
        scores |= {name: [line.score for _, line in each] for name, each in pairs.items()}
        rows = {name: rating_agreement(values, ratings) for name, values in scores.items()}
        return {"agreement with people's ratings": rows}

    counts = {"answers": len(chosen), "right by people": sum(rating >= 0.5 for rating in ratings)}
    left_out = {"without a rating, or to an improper question": sum(row.unrated for row in questions)}
    return Bench("answers", "Answers", counts, parts, tables, left_out)


def _scoring_worker(settings: Settings) -> Worker:
    models = LanguageModels(settings, [settings.model])
    rater = PromptedRater(models[settings.model], Prompts(settings.prompts))

    async def make_line(row: AnswerRow) -> ScoreLine:
        asked = row.question_row
        score = await rater.score_answer(row.answer, asked.references, asked.question, asked.passage)
        return ScoreLine(id=row.id, score=score)

    return Worker(make_line, models.all)


def rating_agreement(scores: Sequence[float | None], ratings: Sequence[float]) -> dict[str, Measurement]:
    """Compares scores with people's ratings by Pearson's `r` and `auc` (ratings from 0.5 up mean right)."""
    pairs = [(score, rating) for score, rating in zip(scores, ratings, strict=True) if score is not None]

    def measures(drawn: Sequence[tuple[float, float]]) -> dict[str, float | None]:
        try:
            pearson = correlation(*zip(*drawn, strict=True))
        except StatisticsError:
            pearson = None
        return {"r": pearson, "auc": roc_auc([(score, rating >= 0.5) for score, rating in drawn])}

    return bootstrap_each(pairs, measures, unjudged=len(scores) - len(pairs), resamples=RESAMPLES)


Reaction = Literal["memory", "evidence", "other"]
"""What a reviser followed: the memory of its model, the changed passage (`evidence`), or neither of them."""
AnswerType = Literal["person", "organization", "location", "date", "number"]
_PREPOSITION = re.compile(r"^(?:in|on|at|from|by|to)\s+(?=\S)", re.IGNORECASE)
_BEFORE_VALUE = re.compile(r"(?:\b(?:on|in|at|the|about|around)\b|\W)*", re.IGNORECASE)
_SHORTEST, _MOST_NAME_WORDS = 3, 5  # fewest letters of a distinctive word, and most words of a name
_TYPE_PATTERNS: dict[AnswerType, str] = {
    "person": r"^\W*(?:\w+\s+){0,3}?(?:who|whose|whom)\b",
    "location": r"\bwhere\b|\b(?:which|what)\s+(?:\w+\s+)?(?:city|country|state|town|river|island|county)\b",
    "organization": r"\b(?:which|what)\s+(?:\w+\s+)?(?:company|band|team|club|party|university|bank)\b",
}


class QuestionRow(Row):
    """A question with its answer and a passage that has the answer."""

    question: Text
    answers: Variants = Field(min_length=1)  # all forms of the answer; in QED, a form is an object
    passage: Text
    title: str = ""
    type: AnswerType | None = None  # None: the code finds the type


class ConflictQuestion(NamedTuple):
    """A question whose passage was changed: the new answer stands in place of the old answer."""

    id: str
    row: QuestionRow
    type: AnswerType
    old_answers: tuple[str, ...]  # all forms of the old answer, which is right
    stated_answer: str  # the longest form in the passage
    claim: str  # the first sentence of the passage with `stated_answer`
    new_answer: str = ""  # an answer of another row; "" until one is chosen
    changed_passage: str = ""


class ReactionLine(FinishedLine):
    """What the reviser did with a claim, given the original passage and then the changed passage."""

    right: bool | None = None  # whether the reviser kept the claim with the unchanged passage
    bucket: Reaction | None = None  # None if `right` is not True
    text: str | None = None  # the claim after a revision with the changed passage


def conflicts_bench(data: Path, settings: Settings, options: BenchOptions) -> Bench:
    """Makes the benchmark `conflicts`. Raises `InputError` if no row gives a `ConflictQuestion`."""
    rows = read_rows(data, QuestionRow, ASKED_EXAMPLE)
    every, left_out = make_conflicts(rows)
    chosen = in_random_order(every)[: options.limit]
    if not chosen:
        reasons = "; ".join(f"{reason}: {count}" for reason, count in left_out.items())
        raise InputError(f"{data} gives no conflict ({reasons}): give rows whose passage has the answer")
    counts = {"questions": len(rows), "conflicts": len(chosen)}
    parts = {"the reviser": Part(every, ReactionLine, partial(_reacting_worker, settings), chosen)}
    return Bench("conflicts", "Conflicting knowledge", counts, parts, reaction_tables, left_out)


def make_conflicts(rows: Sequence[QuestionRow]) -> tuple[list[ConflictQuestion], dict[str, int]]:
    """Returns the conflicts, and a dict: each reason why a row gives no conflict, with the number of rows."""
    found = [_find_conflict(row) for row in rows]
    usable = [each for each in found if isinstance(each, ConflictQuestion)]
    made = [_add_new_answer(each, usable) for each in usable]
    left_out = Counter(why for why in (*found, *made) if isinstance(why, str))
    return [each for each in made if isinstance(each, ConflictQuestion)], dict(left_out)


def _find_conflict(row: QuestionRow) -> ConflictQuestion | str:
    """Makes a conflict of a row, still without `new_answer`, or returns why the row gives no conflict."""
    variants = tuple(dict.fromkeys(_PREPOSITION.sub("", answer) for answer in row.answers))
    if not (stated := [answer for answer in variants if contains_words(row.passage, answer)]):
        return "the passage contains no answer"
    if any(contains_words(row.question, answer) for answer in variants):
        return "the question contains an answer"
    answer = max(stated, key=lambda variant: (len(variant), variant))
    if not all(set(answer_words(answer)) & set(answer_words(other)) for other in stated):
        return "the passage contains several answers"
    kind = row.type or answer_type(answer, row.question)
    if kind is None:
        return "the type of the answer is unknown"
    claims = (span.of(row.passage) for span in sentences(row.passage))
    claim = next((claim for claim in claims if contains_words(claim, answer)), None)
    if claim is None:
        return "no sentence has the whole answer"
    # A passage may also use only the surname or the first name of a person.
    old = (*variants, *distinctive_words(answer)) if kind == "person" else variants
    rest = with_words_replaced(row.passage, old, "") or row.passage
    if any(hints_at_answer(text, old) for text in (rest, row.title)):
        return "a part of the old answer would remain"
    return ConflictQuestion(row.id, row, kind, old, answer, claim)


def _add_new_answer(conflict: ConflictQuestion, rows: Sequence[ConflictQuestion]) -> ConflictQuestion | str:
    """Puts an answer of another row into the passage of the conflict. Returns a reason if no answer fits."""
    row, old = conflict.row, conflict.old_answers
    others = {each.stated_answer for each in rows if each.type == conflict.type}
    for new in sorted(others, key=lambda each: digest(f"{row.id}\n{each}".encode())):
        equal = (contains_words(it, new) or exact_match(new, it) or _have_equal_value(new, it) for it in old)
        if any(equal) or hints_at_answer(new, old) or contains_words(f"{row.question}\n{row.passage}", new):
            continue
        if changed := with_words_replaced(row.passage, old, new):
            return conflict._replace(new_answer=new, changed_passage=changed)
    return "no substitute fits"


def answer_type(answer: str, question: str) -> AnswerType | None:
    """Returns the type of an answer; None if the type is unclear. For a name, words of `question` decide."""
    if found := values(answer):
        rest = answer[: found[0].start] + answer[found[-1].end :]
        if len(found) > 1 or not _BEFORE_VALUE.fullmatch(rest) or found[0].kind == "identifier":
            return None
        return "date" if found[0].kind in ("date", "time") else "number"
    words = answer.split()
    if not 0 < len(words) <= _MOST_NAME_WORDS or not (words[0][0].isupper() and words[-1][0].isupper()):
        return None
    kinds = (kind for kind, asked in _TYPE_PATTERNS.items() if re.search(asked, question, re.IGNORECASE))
    return next(kinds, None)


def contains_words(text: str, words: str) -> bool:
    """Tells whether `text` contains `words` as whole words. Upper and lower case are equal."""
    return _words_pattern([words]).search(text) is not None


def with_words_replaced(text: str, variants: Sequence[str], new: str) -> str | None:
    """Replaces `variants` of an answer in `text` with `new`, in any case. Returns None if nothing changes.

    A variant inside a longer name is not replaced: "Washington" stays in "Washington Post".
    """
    names = [
        (span.start + name.start, span.start + name.end)
        for span in split_sentences(text)
        for name in values_and_names(span.of(text))
        if name.items[0].is_name
    ]

    def substitute(match: re.Match[str]) -> str:
        at = match.span()
        is_part = any(start <= at[0] and at[1] <= end and at != (start, end) for start, end in names)
        return match[0] if is_part else new

    changed = _words_pattern(variants).sub(substitute, text)
    return changed if changed != text else None


def hints_at_answer(text: str, variants: Sequence[str]) -> bool:
    """Tells whether a reader may recognise in `text` one of `variants`, the forms of an answer.

    A hint is a distinctive word ("Mexico" for New Mexico), or an equal value ("41.5 ft" for "12.65 m").
    """
    words = (word[: max(_SHORTEST, len(word) - 1)] for each in variants for word in distinctive_words(each))
    has_word = any(re.search(rf"\b{re.escape(word)}", text) for word in words)
    return has_word or any(_have_equal_value(variant, text) for variant in variants)


def _have_equal_value(text: str, other: str) -> bool:
    return any(compare(value, second) == "equal" for value in values(text) for second in values(other))


def distinctive_words(answer: str) -> list[str]:
    """Returns the capitalised words of an answer that have three letters or more and belong to no value."""
    words = [answer[item.start : item.end] for item in items_of(answer) if not item.value]
    return [word for word in words if len(word) >= _SHORTEST and word[0].isupper()]


def _words_pattern(variants: Sequence[str]) -> re.Pattern[str]:
    longest_first = sorted(set(variants), key=lambda variant: (-len(variant), variant))
    words = "|".join(map(re.escape, longest_first))
    return re.compile(rf"(?<!\w)(?<!\d[.,])(?:{words})(?!\w)(?![.,]\d)", re.IGNORECASE)


def _reacting_worker(settings: Settings) -> Worker:
    unsearched = settings.model_copy(update={"search": GivenPassages((), window=settings.window)})
    reviser = Reviser(components=wire(unsearched, measuring=True))

    async def revised(conflict: ConflictQuestion, passage: str) -> Revision:
        given = [{"text": passage, "title": conflict.row.title}]
        return await reviser.arevise(conflict.claim, conflict.row.question, sources=given, search="given")

    async def make_line(conflict: ConflictQuestion) -> ReactionLine:
        revision = await revised(conflict, conflict.row.passage)
        if revision.changed or "contradicted" in _statuses(revision):
            return ReactionLine(id=conflict.id, right=False)
        new = await revised(conflict, conflict.changed_passage)
        return ReactionLine(id=conflict.id, right=True, bucket=reaction_of(new, conflict), text=new.text)

    return Worker(make_line, [reviser])


def _statuses(revision: Revision) -> set[str]:
    return {sentence.status for sentence in revision.report.sentences}


def reaction_of(revision: Revision, conflict: ConflictQuestion) -> Reaction:
    """Returns what the reviser followed when it revised the claim with only the changed passage as evidence.

    `evidence`: the reviser wrote or suggested the new answer, or called the claim contradicted. `memory`: the
    reviser did not change the claim, and called it supported. `other`: neither of these.
    """
    texts = [revision.text, *(edit.new for edit in revision.edits if edit.state == "suggested")]
    statuses, new = _statuses(revision), conflict.new_answer
    if any(contains_words(text, new) for text in texts) or "contradicted" in statuses:
        return "evidence"
    return "memory" if not revision.changed and statuses == {"supported"} else "other"


def reaction_tables(parts: Mapping[str, Pairs]) -> Tables:
    """Makes a table of the reactions, with a row for all conflicts and a row for each type of answer."""
    [pairs] = parts.values()
    rows = {"all": reaction_scores([line for _, line in pairs])}
    for kind in sorted({conflict.type for conflict, _ in pairs}):
        rows[kind] = reaction_scores([line for conflict, line in pairs if conflict.type == kind])
    return {"by type of the answer": rows}


def reaction_scores(lines: Sequence[ReactionLine]) -> dict[str, Measurement]:
    """Computes the share of each reaction, and the memorisation ratio: memory / (memory + evidence).

    `right before` is the share of claims that the reviser kept with the unchanged passage. Only these claims
    have a reaction. Source: Longpre et al. 2021; Chen 2023, section 5.3.
    """
    counts = Counter(line.bucket for line in lines if line.bucket)
    shares = {name: share_of(counts[name], counts.total()) for name in get_args(Reaction)}
    ratio = share_of(counts["memory"], counts["memory"] + counts["evidence"])
    right = share([line.right if not line.error else None for line in lines])
    return {"memorisation ratio": ratio, **shares, "right before": right}
