"""Compares scores of answers with people's judgements: the head by folds, the shipped head, and usual scores.

    python -m benchmarks.answer_scores --questions 200
    python -m benchmarks.answer_scores --fit head.json

A head that is fitted on the rows of NQ is tested on those of TriviaQA, and the other way (EVOUNA). The
shipped head is fitted by `--fit` on handwritten rows of the training data alone.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.shared_data import rows
from rarr.backends.encoder.answer_score import answer_features, head
from rarr.backends.encoder.model import shipped_encoder
from rarr.backends.logistic import Logistic
from rarr.backends.rules.answer_contradictions import contradiction
from rarr.backends.rules.answer_overlap import exact_match, token_f1
from rarr.evals.literature.benchmark_judging import digest
from rarr.evals.metrics import bootstrap, roc_auc, rouge_l
from rarr.training.logistic_regression import fitted


class Case(NamedTuple):
    """An answer with the features by its best reference, the judgement of people, and the usual scores."""

    right: bool
    features: dict[str, float]
    ruled_out: bool
    usual: dict[str, float]


def case(question: str, answer: str, references: list[str], right: bool) -> Case:
    """The best features over the references, by token F1 and containment."""
    encoder = shipped_encoder()
    each = [answer_features(answer, reference, question, encoder) for reference in references]
    best = max(range(len(each)), key=lambda n: (each[n]["contained"], each[n]["token_f1"]))
    usual = {
        "exact match": float(any(exact_match(answer, reference) for reference in references)),
        "token F1": max(token_f1(answer, reference) for reference in references),
        "ROUGE-L": max(rouge_l(answer, reference) for reference in references),
        "containment": max(features["contained"] for features in each),
        "cosine": max(features["cosine"] for features in each),
    }
    ruled_out = all(contradiction(answer, reference, question) for reference in references)
    return Case(right, each[best], ruled_out, usual)


def evouna(part: str, questions: int) -> list[Case]:
    """The judged answers of the first questions of NQ or TQ, in an order that the ids alone decide."""
    return [
        case(row["question"], row["answer"], row["references"], row["score"])
        for row in _rated(part, questions)
    ]


def _rated(part: str, questions: int) -> list[dict[str, Any]]:
    of_part = [row for row in rows("dev/metric/evouna.jsonl.gz") if f"/{part}/" in row["id"]]
    chosen = sorted((row for row in of_part if not row["improper"]), key=lambda row: digest(row["id"]))
    return [
        {
            "answer": each["answer"],
            "references": row["references"],
            "question": row["question"],
            "score": each["correct"],
        }
        for row in chosen[:questions]
        for each in row["candidates"]
        if each["answer"] and each["correct"] is not None
    ]


def handwritten(count: int) -> list[Case]:
    """Right and wrong sentences with the right words as the reference."""
    cases = list[Case]()
    for row in sorted(rows("train/handwritten.jsonl.gz"), key=lambda row: digest(row["id"]))[:count]:
        edit: dict[str, Any] = row["edits"][0]
        for text, right in ((row["supported"], True), (row["corrupted"], False)):
            cases.append(case(row["query"], text, [edit["right"]], right))
        cases.append(case(row["query"], edit["wrong"], [edit["right"]], False))
    return cases


def fit(cases: list[Case]) -> Logistic:
    return fitted([each.features for each in cases], [each.right for each in cases], [1.0] * len(cases))


def head_score(regression: Logistic, each: Case) -> float:
    """The score with the rules first, as `rarr.score` computes it."""
    if each.usual["exact match"]:
        return 1.0
    return 0.0 if each.ruled_out else regression.probability(each.features)


def _auc(scores: Sequence[tuple[float, bool]]) -> float | None:
    return roc_auc([score for score, _ in scores], [right for _, right in scores])


def shown_auc(scores: list[tuple[float, bool]]) -> str:
    auc = bootstrap(scores, _auc, resamples=300)
    return f"{auc.value:.3f} [{auc.low:.3f}, {auc.high:.3f}]" if auc.value is not None else "-"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--questions", type=int, default=200, help="questions of each part of EVOUNA")
    parser.add_argument("--fit", type=Path, help="fit the head that ships, and write it to this file")
    chosen = parser.parse_args()
    if chosen.fit:
        chosen.fit.write_text(fit(handwritten(800)).model_dump_json(indent=2) + "\n", encoding="utf-8")
        return
    parts = {part: evouna(part, chosen.questions) for part in ("NQ", "TQ")}
    for tested, other in (("NQ", "TQ"), ("TQ", "NQ")):
        cases, fold = parts[tested], fit(parts[other])
        print(f"{tested}: {len(cases)} answers, {sum(each.right for each in cases)} right; AUC")
        print(f"  head fitted on {other}: {shown_auc([(head_score(fold, c), c.right) for c in cases])}")
        print(f"  shipped head: {shown_auc([(head_score(head(), c), c.right) for c in cases])}")
        for name in cases[0].usual:
            print(f"  {name}: {shown_auc([(c.usual[name], c.right) for c in cases])}")


if __name__ == "__main__":
    main()
