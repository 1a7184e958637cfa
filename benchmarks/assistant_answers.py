"""Answers of a chat assistant (Factcheck-GPT), revised against their evidence, beside a human's revision."""

import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any, NamedTuple, get_args

from benchmarks.shared_data import rows
from rarr import Edit, InputError, Reviser, Revision, Settings
from rarr.records import Status, with_edits

ANSWERS = "dev/editing/factcheckgpt_response.jsonl"
ANNOTATIONS = ("factual", "not factual", "not annotated")
_AROUND = 60  # characters on either side of an edit
_EVIDENCE = 300  # characters of an edit's evidence, at most


class JudgedEdit(NamedTuple):
    """An accepted edit beside the human revision: `correct`, `wrong` or `undecided`."""

    answer: str
    verdict: str
    before: str
    edit: Edit
    evidence: str


def print_answers() -> None:
    """Part 2 of `benchmarks.real_text`."""
    print("\n## Answers with their evidence\n")
    statuses: Counter[tuple[str, str]] = Counter()
    edits: Counter[str] = Counter()
    judged: list[JudgedEdit] = []
    refused = 0
    problems: list[str] = []
    answers = rows(ANSWERS)
    for answer in answers:
        try:
            revision = revised(answer)
        except InputError as error:  # an answer that came without evidence
            problems.append(f"{answer['id']}: {error}")
            refused += 1
            continue
        statuses.update(annotated(answer, revision))
        edits.update("accepted" if edit.accepted else "rejected" for edit in revision.edits)
        judged += judgements(answer, revision)
        problems += [f"{answer['id']}: {notice.code}: {notice.message}" for notice in revision.warnings]
    verdicts = Counter(judgement.verdict for judgement in judged)
    print(f"answers: {len(answers)}, revised {len(answers) - refused}, refused {refused}\n")
    print(f"| status | sentences | {' | '.join(ANNOTATIONS)} |\n|---|---:|---:|---:|---:|")
    for status in get_args(Status):
        counts = [statuses[status, annotation] for annotation in ANNOTATIONS]
        print(f"| {status} | {sum(counts)} | {' | '.join(map(str, counts))} |")
    print(f"\nedits: {_counts(edits)}; of the accepted, by the human revision: {_counts(verdicts)}")
    print("\nwarnings and refusals:", *problems or ["none"], sep="\n- ")
    print("\naccepted edits:")
    for judgement in judged:
        print(
            f"- {judgement.answer} {judgement.edit.id} {judgement.verdict}: {_marked(judgement)}"
            f" | evidence: {judgement.evidence}"
        )


def revised(answer: dict[str, Any]) -> Revision:
    """The revision of an answer, with its question as context and its evidence as the corpus."""
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder) / "evidence"
        corpus.mkdir()
        for number, passage in enumerate(answer["evidence"]):
            (corpus / f"{number:02}.txt").write_text(passage["text"], encoding="utf-8")
        reviser = Reviser(Settings(corpus=corpus, home=Path(folder) / "home"))
        return reviser.revise(answer["original"], answer["question"])


def judgements(answer: dict[str, Any], revision: Revision) -> Iterator[JudgedEdit]:
    """The accepted edits, each judged by the human revision."""
    evidence = {passage.id: " ".join(passage.text.split()) for passage in revision.evidence}
    for number, edit in enumerate(revision.edits):
        if edit.accepted:
            before = with_edits(revision.original, revision.edits[:number])
            human = [_sentence(answer, before, edit)["revised"], answer["revised"]]
            verdict = next(filter(None, (verdict_by(text, edit) for text in human)), "undecided")
            yield JudgedEdit(answer["id"], verdict, before, edit, evidence[edit.evidence_id][:_EVIDENCE])


def annotated(answer: dict[str, Any], revision: Revision) -> Iterator[tuple[str, str]]:
    """The status of each sentence, with the label that people gave to the sentence with the same words."""
    labels = {sentence["text"].strip(): sentence["factual"] for sentence in answer["meta"]["sentences"]}
    names: dict[Any, str] = {True: "factual", False: "not factual"}
    for sentence in revision.report.sentences:
        yield sentence.status, names.get(labels.get(sentence.text), "not annotated")


def verdict_by(human: str, edit: Edit) -> str:
    """`wrong` if the human text has the old value, `correct` if it has only the new value, else empty."""
    if _says(human, edit.old):
        return "wrong"
    return "correct" if _says(human, edit.new) else ""


def _sentence(answer: dict[str, Any], text: str, edit: Edit) -> dict[str, Any]:
    """The annotated sentence that is most like the text around the edit."""
    around = text[max(0, edit.start - _AROUND) : edit.end + _AROUND]
    sentences: Sequence[dict[str, Any]] = answer["meta"]["sentences"]
    holding = [sentence for sentence in sentences if edit.old in sentence["text"]] or sentences

    def likeness(sentence: dict[str, Any]) -> int:
        return SequenceMatcher(None, sentence["text"], around, False).find_longest_match().size

    return max(holding, key=likeness)


def _says(text: str, value: str) -> bool:
    return bool(re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text, re.IGNORECASE))


def _marked(judgement: JudgedEdit) -> str:
    edit = judgement.edit
    left = judgement.before[max(0, edit.start - _AROUND) : edit.start]
    right = judgement.before[edit.end :][:_AROUND]
    return " ".join(f"…{left}[{edit.old} → {edit.new}]{right}…".split())


def _counts(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.most_common()) or "none"
