"""Tests whether a reviser follows the passage in front of it, or repeats what its model remembers.

Longpre et al. 2021; Chen 2023, chapter 5. In the passage of a question, the answer is replaced: by the answer
of another row of the same type (`corpus`), or by another form of the same answer (`alias`: no conflict, which
tests stability). The reviser gets the sentence with the old answer, and the changed passage alone.
"""

import asyncio
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, get_args

from pydantic import BeforeValidator, Field

from rarr.agent.revise import Reviser
from rarr.agent.wiring.components import wire
from rarr.backends.embedded.items import items_of
from rarr.backends.embedded.phrases import phrases
from rarr.backends.embedded.values import compare, values
from rarr.components import Components, close_all
from rarr.errors import InputError, RarrError
from rarr.evals.benchmarks.bench import Bench, Options, Pairs, Part, ScoreTable, digest, sampled
from rarr.evals.evaluation import RowRetriever
from rarr.evals.metrics.answers import answer_words, exact_match, is_same_answer
from rarr.evals.metrics.statistics import Measured, share
from rarr.evals.rows import Row, RowEvidence, Text, read_rows
from rarr.evals.run_folder import FinishedLine
from rarr.records import Record, Revision
from rarr.settings import Settings
from rarr.tools.concurrency import in_thread
from rarr.tools.text.blocks_and_sentences import sentences, split_sentences

Bucket = Literal["memory", "evidence", "other"]
"""What a reviser did with a changed passage: it kept the old answer, took the new one, or did neither."""
AnswerType = Literal["person", "organization", "location", "date", "number"]
Policy = Literal["corpus", "alias"]
_EXAMPLE = '{"question": "...", "answers": ["..."], "passage": "..."} for each question'
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

    `claim` is the first sentence of the passage that has the old answer.
    """

    id: str
    policy: Policy
    type: AnswerType
    question: str
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


class ReactionLine(FinishedLine):
    """What the reviser did with one conflict. `right`: it got the unchanged passage right.

    Where it did not, nothing more was asked.
    """

    right: bool | None = None
    bucket: Bucket | None = None
    text: str | None = None


def conflicts(data: Path, settings: Settings, options: Options) -> Bench:
    """Makes conflicts of the questions in the file `data`, at most `limit` of each policy.

    Raises `InputError` for data without a question or a conflict.
    """
    source = read_rows(data, QuestionRow, _EXAMPLE)
    every, left_out = conflicts_of(source.rows)
    by_policy = ([each for each in sampled(every) if each.policy == policy] for policy in get_args(Policy))
    chosen = [each for group in by_policy for each in group[: options.limit]]
    if not chosen:
        reasons = "; ".join(f"{reason}: {count}" for reason, count in left_out.items())
        raise InputError(f"{data} gives no conflict ({reasons}): give rows whose passage states the answer")
    return Bench(
        "conflicts",
        "Conflicting knowledge",
        {"questions": len(source.rows), "conflicts": len(chosen)},
        {"the reviser": Part(every, ReactionLine, lambda: _ConflictReviser(settings), chosen)},
        tables,
        source.unreadable,
        left_out,
    )


def conflicts_of(rows: Sequence[QuestionRow]) -> tuple[list[Conflict], dict[str, int]]:
    """Makes the same conflicts of the same rows, by each policy, and counts what was left out, by reason."""
    left_out, typed, conflicts = Counter[str](), list[Typed](), list[Conflict]()
    for row in rows:
        if isinstance(each := _typed(row), str):
            left_out[each] += 1
        else:
            typed.append(each)
    for policy in get_args(Policy):
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
    name, given = f"{row.row.id}/{policy}", row.row
    for new in sorted(
        set(_candidates(row, policy, rows)), key=lambda each: (digest(f"{name}\n{each}"), each)
    ):
        if (changed := _changed(row, new, is_alias=policy == "alias")) is not None:
            return Conflict(
                id=name, policy=policy, type=row.type, question=given.question, new=new,
                passage=given.passage, changed=changed, title=given.title, claim=row.claim,
            )  # fmt: skip
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


class _ConflictReviser:
    """Revises claims with a passage as the only source. An unchanged passage is read only once a question."""

    def __init__(self, settings: Settings) -> None:
        self._components: Components = wire(
            settings.model_copy(update={"search": RowRetriever((), settings)})
        )
        self._right: dict[str, asyncio.Task[bool]] = {}

    async def line(self, conflict: Conflict) -> ReactionLine:
        """Puts one conflict to the reviser; the line has an error if that failed. Only a defect raises."""
        key = f"{conflict.question}\n{conflict.passage}"
        if key not in self._right:
            self._right[key] = asyncio.create_task(self._is_right(conflict))
        try:
            if not await asyncio.shield(self._right[key]):
                return ReactionLine(id=conflict.id, right=False)
            revision = await self._revised(conflict, conflict.changed)
        except RarrError as error:
            return ReactionLine(id=conflict.id, error=str(error))
        return ReactionLine(id=conflict.id, right=True, bucket=bucket(revision, conflict), text=revision.text)

    async def aclose(self) -> None:
        """Closes models and sources in the running event loop."""
        await close_all((*self._components.models, *self._components.opened))

    async def _is_right(self, conflict: Conflict) -> bool:
        """Does it get the unchanged passage right? Otherwise the changed one shows nothing."""
        revision = await self._revised(conflict, conflict.passage)
        statuses = {sentence.status for sentence in revision.report.sentences}
        return not revision.changed and "contradicted" not in statuses

    async def _revised(self, conflict: Conflict, passage: str) -> Revision:
        source = RowRetriever([RowEvidence(text=passage, title=conflict.title)], self._components.settings)
        components = replace(self._components, retriever=source)
        reviser = await in_thread(lambda: Reviser(components=components))
        return await reviser.arevise(conflict.claim, conflict.question)


def bucket(revision: Revision, conflict: Conflict) -> Bucket:
    """Sorts the revision of the claim with the old answer, by a reviser that had the changed passage alone.

    It follows the passage if it writes or suggests the new answer, or calls the claim contradicted. It keeps
    the old answer if it calls the unchanged claim supported. For an alias, it must leave the claim alone.
    """
    statuses = {sentence.status for sentence in revision.report.sentences}
    proposed = [edit.new for edit in revision.edits if edit.state == "suggested"]
    if conflict.policy == "alias":
        return "other" if revision.changed or proposed or "contradicted" in statuses else "evidence"
    if any(contains(text, conflict.new) for text in (revision.text, *proposed)) or "contradicted" in statuses:
        return "evidence"
    return "memory" if not revision.changed and statuses == {"supported"} else "other"


def tables(parts: Mapping[str, Pairs]) -> Iterator[ScoreTable]:
    """Scores the conflicts of each policy, and those of each type of answer by policy."""
    groups: dict[str, list[ReactionLine]] = {}
    for conflict, line in (pair for pairs in parts.values() for pair in pairs):
        for name in (conflict.policy, f"{conflict.policy}, {conflict.type}"):
            groups.setdefault(name, []).append(line)
    rows = {name: reactions(groups[name], name) for name in sorted(groups)}
    yield ScoreTable(title="by policy and type of the answer", rows=rows)


def reactions(lines: Sequence[ReactionLine], name: str) -> dict[str, Measured]:
    """Computes the memorisation ratio and the shares of reactions, over the conflicts that were judged.

    The ratio is that of memory among memory and evidence (Longpre et al. 2021; Chen 2023, section 5.3); an
    alias has none, since both are right. `right before` is over all conflicts, and the other shares over
    those that were right with the unchanged passage.
    """
    right = [line.right if not line.error else None for line in lines]
    counts = Counter(line.bucket for line in lines if line.bucket)
    decided = [True] * counts["memory"] + [False] * counts["evidence"]
    shares = {
        each: share([line.bucket == each for line in lines if line.bucket]) for each in get_args(Bucket)
    }
    ratio = Measured() if name.startswith("alias") else share(decided)
    return {"memorisation ratio": ratio, **shares, "right before": share(right)}
