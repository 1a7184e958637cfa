"""Makes conflicts of questions: replaces the answer in a passage so that it still reads well."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Any, Literal, NamedTuple, get_args

from pydantic import BeforeValidator, Field

from rarr.backends.embedded.items import items_of
from rarr.backends.embedded.phrases import phrases
from rarr.backends.embedded.values import compare, values
from rarr.evals.benchmarks.report import digest
from rarr.evals.metrics.answers import answer_words, exact_match, is_same_answer
from rarr.evals.rows import Row, Text
from rarr.records import Record
from rarr.tools.text.blocks_and_sentences import sentences, split_sentences

AnswerType = Literal["person", "organization", "location", "date", "number"]
Policy = Literal["corpus", "alias"]
POLICIES: tuple[Policy, ...] = get_args(Policy)
_PREPOSITION = re.compile(r"^(?:in|on|at|from|by|to)\s+(?=\S)", re.IGNORECASE)
_ARTICLE = re.compile(r"\b(an?)(\s+)$", re.IGNORECASE)
_VOWEL = re.compile(r"(?!uni|use|eu|one\b|u[A-Z])[aeiou]", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")
_SHORTEST = 3  # letters of a word that names something alone
_POSSESSIVE = re.compile(r"['’](?!\w)")
_MOST_NAME_WORDS = 5
_BEFORE_VALUE = re.compile(r"(?:\b(?:on|in|at|the|about|around)\b|\W)*", re.IGNORECASE)
_ASKED: dict[AnswerType, re.Pattern[str]] = {
    "person": re.compile(r"^\W*(?:\w+\s+){0,3}?(?:who|whose|whom)\b", re.IGNORECASE),
    "location": re.compile(
        r"\bwhere\b|\b(?:which|what)\s+(?:\w+\s+)?(?:city|country|state|town|river|island|county)\b",
        re.IGNORECASE,
    ),
    "organization": re.compile(
        r"\b(?:which|what)\s+(?:\w+\s+)?(?:company|band|team|club|party|university|bank)\b", re.IGNORECASE
    ),
}


def _texts(given: Any) -> Any:
    pieces = [given] if isinstance(given, str) else given
    texts = [piece.get("text") if isinstance(piece, dict) else piece for piece in pieces or ()]
    return list(dict.fromkeys(text.strip() if isinstance(text, str) else text for text in texts))


class QuestionRow(Row):
    """A question, the variants of its answer (texts, or objects with "text"), and a passage that states it.

    `type`: the type of the answer; None if it is to be found from the answer.
    """

    question: Text
    answers: Annotated[tuple[Text, ...], BeforeValidator(_texts), Field(min_length=1)]
    passage: Text
    title: str = ""
    type: AnswerType | None = None


class Conflict(Record):
    """A question whose passage was changed: `new` stands in `changed` where an old answer stood in `passage`.

    `old` are all variants of the old answer, `stated` the one in `claim`, the first sentence of the passage
    that has it.
    """

    id: str
    policy: Policy
    type: AnswerType
    question: str
    old: tuple[str, ...]
    stated: str
    new: str
    passage: str
    changed: str
    title: str = ""
    claim: str


class Typed(NamedTuple):
    """A row whose answer has a type.

    `variants` are its answers without a preposition before them, and `stated` is the longest in the passage.
    """

    row: QuestionRow
    variants: tuple[str, ...]
    type: AnswerType
    stated: str
    claim: str


def conflicts_of(
    rows: Sequence[QuestionRow], policies: Sequence[Policy]
) -> tuple[list[Conflict], dict[str, int]]:
    """Makes a conflict of each question by each policy; and counts what was left out, by reason.

    The same rows give the same conflicts.
    """
    left_out, typed, conflicts = Counter[str](), list[Typed](), list[Conflict]()
    for row in rows:
        if isinstance(each := _typed(row), str):
            left_out[each] += 1
        else:
            typed.append(each)
    for policy in policies:
        for each in typed:
            if policy == "corpus" and _keeps_a_part(each):
                left_out["corpus: a part of the old answer would stay"] += 1
            elif made := _substituted(each, policy, typed):
                conflicts.append(made)
            else:
                left_out[f"{policy}: no substitute fits"] += 1
    return conflicts, dict(left_out)


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


def _substituted(row: Typed, policy: Policy, rows: Sequence[Typed]) -> Conflict | None:
    """Makes the conflict with the first answer that fits, in a random order that the texts decide."""
    name = f"{row.row.id}/{policy}"
    for new in sorted(
        set(_candidates(row, policy, rows)), key=lambda each: (digest(f"{name}\n{each}"), each)
    ):
        if (changed := _changed(row, new, is_alias=policy == "alias")) is not None:
            return Conflict(
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
    return None


def _candidates(row: Typed, policy: Policy, rows: Sequence[Typed]) -> Iterator[str]:
    """Yields other variants of the row's own answer (not of values), or answers of other rows of its type."""
    if policy == "corpus":
        yield from (each.stated for each in rows if each.type == row.type)
    elif row.type not in ("date", "number"):
        yield from (variant for variant in row.variants if not exact_match(variant, row.stated))


def _changed(row: Typed, new: str, *, is_alias: bool) -> str | None:
    """Returns the passage with `new` for the answer; None if `new` does not fit.

    It does not fit if the question or the passage has it, or if it may mean an old answer (except an alias).
    """
    if contains(row.row.question, new) or contains(row.row.passage, new):
        return None
    may_be_same = any(
        part_of_answer(new, [old]) or contains(old, new) or is_same_answer(new, old) for old in row.variants
    )
    if not is_alias and may_be_same:
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
    return next((kind for kind, asked in _ASKED.items() if asked.search(question)), None)


def contains(text: str, words: str) -> bool:
    """Do the words stand in the text, as whole words and in whatever case?"""
    return re.search(_place([words]), text, re.IGNORECASE) is not None


def replaced(text: str, variants: Sequence[str], new: str) -> str | None:
    """Replaces each variant of an answer by `new`, the longest first; None if there was nothing to replace.

    Only whole words are replaced, in whatever case. A possessive stays, and "a" and "an" fit the new words. A
    variant inside a longer name, such as Washington in Washington Post, is another name and stays.
    """
    names = [
        (span.start + name.start, span.start + name.end)
        for span in split_sentences(text)
        for name in phrases(span.of(text))
        if name.items[0].is_name
    ]
    pieces, end = list[str](), 0
    for match in re.finditer(_place(variants), text, re.IGNORECASE):
        if any(
            start <= match.start() and match.end() <= last and match.span() != (start, last)
            for start, last in names
        ):
            continue
        before = _with_article(text[end : match.start()], match[0], new)
        after = match.end()
        pieces += [before, new]
        if mark := _POSSESSIVE.match(text, after) if match[0].endswith("s") else None:
            pieces.append(mark[0] if new.endswith("s") else f"{mark[0]}s")
            after = mark.end()
        end = after
    return "".join([*pieces, text[end:]]) if end else None


def part_of_answer(text: str, variants: Sequence[str]) -> str:
    """Returns a word or a value in `text` that names an answer or a part of it; empty if there is none.

    Mexico does so in New Mexico, Mexican for Mexico, and "41.5 ft" for "12.65 m". A reader that finds it may
    take it for the answer, and would seem to answer from memory.
    """
    parts = {word.casefold() for variant in variants for word in distinctive_words(variant)}
    for match in _WORD.finditer(text):
        word = match[0]
        same = (word.casefold().startswith(part[: max(_SHORTEST, len(part) - 1)]) for part in parts)
        if word[0].isupper() and any(same):
            return word
    known = [value for variant in variants for value in values(variant)]
    stated = (it.text for it in values(text) if any(compare(value, it) == "equal" for value in known))
    return next(stated, "")


def distinctive_words(answer: str) -> list[str]:
    """Returns the capitalised words of an answer that belong to no value."""
    words = [answer[item.start : item.end] for item in items_of(answer) if not item.value]
    return [word for word in words if len(word) >= _SHORTEST and word[0].isupper()]


def _place(variants: Iterable[str]) -> str:
    longest_first = sorted(set(variants), key=lambda variant: (-len(variant), variant))
    return rf"(?<!\w)(?<!\d[.,])(?:{'|'.join(map(re.escape, longest_first))})(?!\w)(?![.,]\d)"


def _with_article(before: str, old: str, new: str) -> str:
    """Changes the article at the end of `before` if the new words need the other one."""
    article = _ARTICLE.search(before)
    if article is None or bool(_VOWEL.match(old)) == bool(_VOWEL.match(new)):
        return before
    first = article[1][0]
    return f"{before[: article.start()]}{first}{'n' if _VOWEL.match(new) else ''}{article[2]}"
