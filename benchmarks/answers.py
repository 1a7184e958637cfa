"""Revises answers about invented documents, with planted errors. Counts the results of marked sentences.

    python -m benchmarks.answers [--half tuned|held_out|unseen|all|later] [--each] [--alone] [--model M]
                                 [--base-url URL] [--rounds N] [--good-record] [--pending DIR]

`--model recorded` repeats the recorded answers of a strong model (benchmarks/recorded). A request without a
recorded answer counts as `not recorded`. --pending writes these requests into a folder, and --add FILE adds
their answers. `in other words` are corrections that a person called right (`also` in marks.jsonl).

`all` means the first three parts, whose documents are one corpus (with recorded answers: the first two).
`later` means the answers in `examples/answers_later`, in four languages, with another corpus. An answer is
revised as a whole. With --alone, each marked sentence is revised by itself. You may look at the cases of
`tuned`. Of all other parts, only totals are printed. `held_out` was seen while the prompts were chosen.
"""

import argparse
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from benchmarks import recorded_reader
from benchmarks.harness import EXAMPLES, half_parser, parse_halves, report_time, sentence_place, share, table
from benchmarks.recorded_reader import NOT_RECORDED, RecordedModel, count_unrecorded, read_lines, wire_reader
from rarr import Reviser, Revision, Sentence, Settings, Usage
from rarr.components import Baseline
from rarr.records import Status
from rarr.tools.text.blocks_and_sentences import Span

HALVES = ("tuned", "held_out", "unseen")
RECORDED_HALVES = ("tuned", "held_out")
"""The parts for which answers of a strong model are recorded."""
LANGUAGES = ("english", "german", "french", "chinese")
CORRECTED, DAMAGED, CHANGED = "corrected exactly", "damaged", "changed"
IN_OTHER_WORDS = "corrected in other words"
STATUSES: tuple[str, ...] = get_args(Status)


class Mark(NamedTuple):
    """A marked sentence. `wrong` and `right`: its wrong words and the correction; None if it is right."""

    sentence: str
    wrong: str | None
    right: str | None
    kind: str
    also: tuple[str, ...] = ()
    """Other sentences that a person called right."""

    @property
    def corrected(self) -> str:
        if self.wrong is None or self.right is None:
            return self.sentence
        return self.sentence.replace(self.wrong, self.right)


class Answer(NamedTuple):
    """An answer of a half, its marked sentences, and the document that it is about."""

    name: str
    half: str
    document: Path
    text: str
    marks: tuple[Mark, ...]

    def parts(self, *, alone: bool) -> list[tuple[str, tuple[Mark, ...]]]:
        """Returns the texts to revise with their marks: the answer, or (`alone`) each marked sentence."""
        return [(mark.sentence, (mark,)) for mark in self.marks] if alone else [(self.text, self.marks)]


class Outcome(NamedTuple):
    """The result for a marked sentence: the change by the run, or the status of an unchanged sentence."""

    answer: str
    mark: Mark
    sentence: str
    result: str
    evidence: tuple[str, ...]  # the passages that the sentence or its edits cite
    suggested: tuple[str, ...] = ()  # the sentence after each suggested edit, if it were accepted alone


def read_answers(*halves: str) -> list[Answer]:
    parents = {half: EXAMPLES / ("answers_later" if half in LANGUAGES else "answers") for half in halves}
    return [_read_answer(it, folder) for it in halves for folder in sorted((parents[it] / it).iterdir())]


def corpus_folder(folder: Path, halves: Sequence[str] = HALVES) -> Path:
    """Copies the documents of `halves` into a new folder inside `folder`. Returns the new folder."""
    corpus = folder / "corpus"
    corpus.mkdir(parents=True)
    for answer in read_answers(*halves):
        shutil.copy(answer.document, corpus / f"{answer.name}{answer.document.suffix}")
    return corpus


def make_reviser(folder: Path, **settings: Any) -> Reviser:
    """Makes a reviser with the documents of all parts. Copies and index are in `folder`."""
    return Reviser(Settings(corpus=corpus_folder(folder), home=folder / "home", **settings))


def outcomes(reviser: Reviser, answer: Answer, *, alone: bool = False) -> list[Outcome]:
    """Revises an answer, or (`alone`) each marked sentence by itself. Returns an outcome for each mark."""
    return [
        outcome(revision, answer.name, mark)
        for text, marks in answer.parts(alone=alone)
        for revision in [reviser.revise(text)]
        for mark in marks
    ]


def outcome(revision: Revision, answer: str, mark: Mark) -> Outcome:
    known = [it for it in (mark.sentence, mark.corrected, *mark.also) if it in revision.text]
    at = revision.text.index(known[0]) if known else 0  # an editor may write the whole text anew
    place = Span(at, at + len(known[0])) if known else sentence_place(revision, mark.sentence)
    sentence = place.of(revision.text)
    judged = _report_sentence(revision, place)
    result: str = CHANGED if mark.wrong is None else DAMAGED
    if sentence == mark.sentence:
        result = judged.status if judged else "unjudged"
    elif mark.wrong is not None and sentence in (mark.corrected, *mark.also):
        result = CORRECTED if sentence == mark.corrected else IN_OTHER_WORDS
    cited = tuple(_cited_passages(revision, place, judged))
    return Outcome(answer, mark, sentence, result, cited, tuple(_suggestions(revision, mark, sentence)))


def hits_by_result(outcomes: Sequence[Outcome], *, wrong: bool) -> dict[str, list[bool]]:
    """Returns a list for each result: whether each wrong (or right) sentence has the result."""
    group = [outcome for outcome in outcomes if (outcome.mark.wrong is not None) == wrong]
    results = (CORRECTED, IN_OTHER_WORDS, DAMAGED, NOT_RECORDED) if wrong else (CHANGED, NOT_RECORDED)
    counts = {name: [outcome.result == name for outcome in group] for name in (*results, *STATUSES)}
    if wrong:
        right = [outcome.mark.corrected in outcome.suggested for outcome in group]
        counts["its correction is suggested"] = right
    other = [bool(set(outcome.suggested) - {outcome.mark.corrected}) for outcome in group]
    return counts | {"another change is suggested": other}


def _suggestions(revision: Revision, mark: Mark, sentence: str) -> Iterator[str]:
    """Yields the marked sentence as it would be after each suggested edit that changes it."""
    for edit in revision.edits:
        if edit.state == "suggested":
            accepted = revision.accept(edit.id)
            changed = sentence_place(accepted, mark.sentence).of(accepted.text)
            if changed != sentence:
                yield changed


def _read_answer(half: str, folder: Path) -> Answer:
    (document,) = folder.glob("document.*")
    rows = read_lines(folder / "marks.jsonl")
    marks = tuple(Mark(**{**row, "also": tuple(row.get("also", ()))}) for row in rows)
    return Answer(folder.name, half, document, (folder / "answer.md").read_text(encoding="utf-8"), marks)


def _report_sentence(revision: Revision, place: Span) -> Sentence | None:
    """Returns the sentence of the report that shares most characters with `place`."""

    def shared(sentence: Sentence) -> int:
        return min(sentence.end, place.end) - max(sentence.start, place.start)

    best = max(revision.report.sentences, key=shared, default=None)
    return best if best and shared(best) > 0 else None


def _cited_passages(revision: Revision, place: Span, judged: Sentence | None) -> Iterator[str]:
    """Yields the passages that accepted edits of the sentence cite, then those that the sentence cites."""
    words = place.of(revision.text)
    ids = [edit.evidence_id for edit in revision.edits if edit.accepted and edit.new in words]
    ids += judged.evidence_ids if judged else ()
    texts = {passage.id: " ".join(passage.text.split()) for passage in revision.evidence}
    yield from dict.fromkeys(texts[passage_id] for passage_id in ids)


def print_half(half: str, outcomes: Sequence[Outcome]) -> None:
    print(f"\n## {half}: {len({outcome.answer for outcome in outcomes})} answers\n")
    for title, wrong in (("wrong sentences", True), ("right sentences", False)):
        body = [[name, share(hits)] for name, hits in hits_by_result(outcomes, wrong=wrong).items()]
        print(f"{table([title, 'count, share and interval'], body)}\n")


def print_each(outcomes: Sequence[Outcome]) -> None:
    """Prints each sentence with its result, its wrong words, and its evidence."""
    for outcome in sorted(outcomes, key=lambda outcome: (outcome.mark.wrong is None, outcome.result)):
        mark = outcome.mark
        wrong = f" [{mark.kind}: {mark.wrong} → {mark.right}]" if mark.wrong else ""
        print(f"- {outcome.result}: {outcome.answer}: {outcome.sentence}{wrong}")
        for passage in outcome.evidence:
            print(f"    {passage}")


class GoodRecord:
    """A record of a reader (a model that reads evidence) which missed no planted error."""

    def standing(self, language: str) -> Literal["good", "unknown", "bad"]:
        return "good"

    def add_result(self, served: str, **facts: Any) -> None:
        """Does nothing."""


def add_usage(spent: Usage, *revisions: Revision) -> Usage:
    """Adds the usage of `revisions` to `spent`. The field `saved_calls` counts sentences here."""
    for revision in revisions:
        usage = revision.usage
        spent = Usage(
            model_calls=spent.model_calls + usage.model_calls,
            input_tokens=spent.input_tokens + usage.input_tokens,
            output_tokens=spent.output_tokens + usage.output_tokens,
            controls=spent.controls + usage.controls,
            saved_calls=spent.saved_calls + len(revision.report.sentences),
        )
    return spent


def print_costs(spent: Usage) -> None:
    """Prints the cost of a sentence, and how many planted errors the reader caught."""
    count, planted = spent.saved_calls, spent.controls
    if not spent.model_calls:
        return
    tokens = (spent.input_tokens / count, spent.output_tokens / count)
    print(f"{12 * spent.model_calls / count:.2f} requests for 12 sentences")
    print(f"{tokens[0]:.0f} tokens in and {tokens[1]:.0f} out a sentence")
    print(
        f"planted errors caught: {planted.caught} of {planted.planted}, of them borrowed values"
        f" {planted.borrowed_caught} of {planted.borrowed}; repetitions right: {planted.confirmed} of"
        f" {planted.repeated}; blocks without: {planted.blocks_without}"
    )


def main() -> None:
    made = half_parser(__doc__, (*HALVES, *LANGUAGES, "later"))
    made.add_argument("--alone", action="store_true", help="revise each marked sentence by itself")
    made.add_argument("--good-record", action="store_true", help="as if the model had a good record")
    made.add_argument("--add", type=Path, help="add the answers of this store to the recorded ones, and end")
    made.add_argument("--first", type=int, metavar="N", help="only the first N answers of each half")
    made.add_argument("--preset", default="default", help="a preset of the settings, such as paper")
    made.add_argument("--editor", default="minimal", help="an editor of rarr eval, such as efec")
    options = parse_halves(made, HALVES)
    if options.add:
        print(f"{recorded_reader.add_answers(options.add)} recorded answers")
        return
    if options.half == "all" and isinstance(options.model, RecordedModel):
        options.halves = RECORDED_HALVES
    elif options.half == "later":
        options.halves = LANGUAGES
    together = LANGUAGES if set(options.halves) <= set(LANGUAGES) else HALVES
    given = {"model": options.model, "base_url": options.base_url, "preset": options.preset}
    if options.preset == "default":
        given["rounds"] = options.rounds
    with report_time(options), tempfile.TemporaryDirectory() as folder:
        settings = Settings(corpus=corpus_folder(Path(folder), together), home=Path(folder) / "home", **given)
        record = GoodRecord() if options.good_record else None
        spent = Usage()
        wired = wire_reader(settings, baseline=Baseline(editor=options.editor))
        with Reviser(components=replace(wired, record=record)) as reader:
            for half in options.halves:
                half_outcomes, used = _measure_half(reader, half, options)
                spent = add_usage(spent, *used)
                print_half(half, half_outcomes)
                if options.each and half == "tuned":
                    print_each(half_outcomes)
        print_costs(spent)


def _measure_half(
    reader: Reviser, half: str, options: argparse.Namespace
) -> tuple[list[Outcome], list[Revision]]:
    """Revises the answers of a half. If a request is not recorded, its answer counts as not recorded."""
    half_outcomes, revisions, model = list[Outcome](), list[Revision](), options.model
    for answer in read_answers(half)[: options.first]:
        before = count_unrecorded(model)
        for text, marks in answer.parts(alone=options.alone):
            revisions.append(reader.revise(text))
            found = [outcome(revisions[-1], answer.name, mark) for mark in marks]
            lacks = count_unrecorded(model) > before
            half_outcomes += [
                each._replace(result=NOT_RECORDED, suggested=()) if lacks else each for each in found
            ]
    return half_outcomes, revisions


if __name__ == "__main__":
    main()
