"""Makes conflicts of question rows by four policies of substitution (Longpre et al. 2021; Chen 2023, ch. 5).

alias        another form of the same answer: no conflict, which tests stability
corpus       the answer of another row, of the same type
type-swap    the answer of another row, of another type: nonsense on purpose, once for each type
popularity   the answer of another row, of the same type, once for each of five bins of popularity
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Literal, NamedTuple, get_args

from rarr.evals.conflicts.question_rows import AnswerType, QuestionRow, StatementPair
from rarr.evals.conflicts.replacement import (
    answer_type,
    contains,
    distinctive_words,
    part_of_answer,
    replaced,
)
from rarr.evals.literature.benchmark_judging import digest
from rarr.evals.metrics import exact_match, is_same_answer
from rarr.evals.metrics.answers import answer_words
from rarr.records import Record
from rarr.tools.text.blocks_and_sentences import sentences

Policy = Literal["corpus", "alias", "type-swap", "popularity"]
POLICIES: tuple[Policy, ...] = get_args(Policy)
BINS = 5
_NO_SUBSTITUTE = "no substitute fits"
_CURES: dict[Policy, str] = {
    "alias": "other forms of an answer, which are no date or number",
    "corpus": "more rows with answers of the same type",
    "type-swap": "more rows with answers of other types",
    "popularity": 'more rows with answers of the same type and a number "popularity"',
}
"""What lets a policy find a substitute."""
_PREPOSITION = re.compile(r"^(?:in|on|at|from|by|to)\s+(?=\S)", re.IGNORECASE)


class Conflict(Record):
    """A question whose passage was changed: `new` stands in `changed` where an old answer stood in `passage`.

    `old` are all variants of the old answer, `stated` the one in `claim`, the first sentence of the passage
    that has it. `bin`: the bin of popularity of the new answer, 1 to 5; 0 for other policies.

    The policy of a pair of statements is "given": `stated` and `new` are the statements, and `passage` and
    `changed` the passage of each.
    """

    id: str
    policy: Policy | Literal["given"]
    type: AnswerType | Literal["statement"]
    question: str
    old: tuple[str, ...]
    stated: str
    new: str
    passage: str
    changed: str
    title: str = ""
    claim: str
    bin: int = 0


class Typed(NamedTuple):
    """A row whose answer has a type.

    `variants` are its answers without a preposition before them, and `stated` is the longest in the passage.
    """

    row: QuestionRow
    variants: tuple[str, ...]
    type: AnswerType
    stated: str
    claim: str


class Made(NamedTuple):
    """The conflicts of all rows, and the number of rows or substitutions that were left out, by reason."""

    conflicts: list[Conflict]
    left_out: dict[str, int]


def conflicts_of(rows: Sequence[QuestionRow | StatementPair], policies: Sequence[Policy], seed: int) -> Made:
    """Makes the conflicts of all questions by each policy, and one of each pair of statements.

    The same rows and seed give the same conflicts.
    """
    left_out = Counter[str]()
    typed = list[Typed]()
    for row in rows:
        if isinstance(row, QuestionRow):
            each = _typed(row)
            if isinstance(each, str):
                left_out[each] += 1
            else:
                typed.append(each)
    conflicts = [_given(row) for row in rows if isinstance(row, StatementPair)]
    for policy in policies:
        for each in typed:
            if policy != "alias" and _keeps_a_part(each):
                left_out[f"{policy}: a part of the old answer would stay"] += 1
                continue
            made = list(_MAKERS[policy](each, typed, seed))
            conflicts += made
            if not made:
                left_out[f"{policy}: {_NO_SUBSTITUTE}"] += 1
    return Made(conflicts, dict(left_out))


def _given(pair: StatementPair) -> Conflict:
    return Conflict(
        id=f"{pair.id}/given",
        policy="given",
        type="statement",
        question=pair.question,
        old=(pair.memory,),
        stated=pair.memory,
        new=pair.counter,
        passage=pair.memory_passage,
        changed=pair.counter_passage,
        claim=pair.memory,
    )


def why_none(made: Made) -> str:
    """Tells why there is no conflict: the reasons with their counts in brackets, and what to give instead."""
    reasons = "; ".join(f"{reason}: {count}" for reason, count in made.left_out.items())
    cures = [cure for policy, cure in _CURES.items() if f"{policy}: {_NO_SUBSTITUTE}" in made.left_out]
    return f"({reasons}): give {'; '.join(cures) or 'rows whose passage states the answer'}"


def by_alias(row: Typed, rows: Sequence[Typed], seed: int) -> Iterator[Conflict]:
    """Substitutes another variant of the row's own answer that the passage does not have; not of values."""
    if row.type in ("date", "number"):
        return
    own = [variant for variant in row.variants if not exact_match(variant, row.stated)]
    yield from _first(row, "alias", own, seed)


def by_corpus(row: Typed, rows: Sequence[Typed], seed: int) -> Iterator[Conflict]:
    """Substitutes the answer of another row, of the same type."""
    yield from _first(row, "corpus", [each.stated for each in rows if each.type == row.type], seed)


def by_type_swap(row: Typed, rows: Sequence[Typed], seed: int) -> Iterator[Conflict]:
    """Substitutes answers of other rows, one of each other type."""
    for other in get_args(AnswerType):
        if other != row.type:
            answers = [each.stated for each in rows if each.type == other]
            yield from _first(row, "type-swap", answers, seed, f"/{other}")


def by_popularity(row: Typed, rows: Sequence[Typed], seed: int) -> Iterator[Conflict]:
    """Substitutes answers of the same type, one of each bin; the bins hold equally many answers."""
    known = {
        each.stated: each.row.popularity
        for each in rows
        if each.type == row.type and each.row.popularity is not None
    }
    ordered = sorted(known, key=lambda answer: (known[answer] or 0.0, answer))
    for number in range(BINS):
        part = ordered[number * len(ordered) // BINS : (number + 1) * len(ordered) // BINS]
        for each in _first(row, "popularity", part, seed, f"/{number + 1}"):
            yield each.model_copy(update={"bin": number + 1})


_MAKERS: dict[Policy, Callable[[Typed, Sequence[Typed], int], Iterator[Conflict]]] = {
    "alias": by_alias,
    "corpus": by_corpus,
    "type-swap": by_type_swap,
    "popularity": by_popularity,
}


def _typed(row: QuestionRow) -> Typed | str:
    """Finds answer, type and claim of a row; if the row cannot be used, returns the reason."""
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
    return Typed(row, variants, kind, answer, claim) if claim else "no sentence has the whole answer"


def _first(
    row: Typed, policy: Policy, answers: Sequence[str], seed: int, suffix: str = ""
) -> Iterator[Conflict]:
    """Yields the conflict with the first answer that fits, in a random order that `seed` decides."""
    name = f"{row.row.id}/{policy}{suffix}"
    for new in sorted(set(answers), key=lambda answer: (digest(f"{seed}\n{name}\n{answer}"), answer)):
        if (changed := _changed(row, new, is_alias=policy == "alias")) is not None:
            yield Conflict(
                id=name,
                policy=policy,
                type=row.type,
                question=row.row.question,
                old=row.variants,
                stated=row.stated,
                new=new,
                passage=row.row.passage,
                changed=changed,
                title=row.row.title,
                claim=row.claim,
            )
            return


def _changed(row: Typed, new: str, *, is_alias: bool) -> str | None:
    """Returns the passage with `new` for the answer; None if `new` does not fit.

    It does not fit if the question or the passage has it, or if it may mean an old answer (except an alias).
    """
    if contains(row.row.question, new) or contains(row.row.passage, new):
        return None
    if not is_alias and any(_may_be_same(new, each) for each in row.variants):
        return None
    return replaced(row.row.passage, [row.stated] if is_alias else _with_parts(row), new)


def _with_parts(row: Typed) -> list[str]:
    """Adds the names of a person: otherwise the passage would go on with the surname or the first name."""
    return [*row.variants, *distinctive_words(row.stated)] if row.type == "person" else [*row.variants]


def _keeps_a_part(row: Typed) -> bool:
    """Would the passage or its title still name the old answer, or a part of it, whatever replaces it?"""
    old = _with_parts(row)
    rest = replaced(row.row.passage, old, "") or row.row.passage
    return any(part_of_answer(text, old) for text in (rest, row.row.title))


def _may_be_same(new: str, old: str) -> bool:
    return bool(part_of_answer(new, [old])) or contains(old, new) or is_same_answer(new, old)
