"""Verifiers against people: is a claim attributable to the evidence that its annotators saw?

    python -m benchmarks.verifiers                     the rules and the embedded encoder on every open set
    python -m benchmarks.verifiers nli:FOLDER --rows 50    and a model of Hugging Face, on the first rows

A claim's evidence is read as the pipeline reads it: windows of four sentences, the three that overlap most
with the claim. Its support is the best of them, for the least supported of its sentences.
"""

import argparse
import asyncio
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from typing import Any, NamedTuple

from benchmarks.report import cell, machine, table
from benchmarks.shared_data import rows
from rarr import Settings
from rarr.agent.wiring.components import wire
from rarr.components import Classifier, Components, Verifier, close_all
from rarr.evals.metrics import Measured, bootstrap, classification, detection, roc_auc
from rarr.records import AttributionClass, Evidence
from rarr.retrievers.fetch.cached_page_passages import passages_of
from rarr.retrievers.rerank.overlap import OverlapReranker
from rarr.testing import InMemoryRetriever
from rarr.tools.text.attribution_class_by_support import attribution_class
from rarr.tools.text.blocks_and_sentences import Span, sentences

SETS = {
    "expertqa": "expertqa.jsonl",
    "factcheckgpt": "factcheckgpt.jsonl",
    "wice": "wice.jsonl.gz",
    "fm2": "fm2.jsonl.gz",
    "begin": "begin.jsonl",
    "faithdial_audit": "faithdial_audit.jsonl",
    "q2_wow": "q2_wow.jsonl",
    "qa_feedback": "qa_feedback.jsonl",
    "fever_symmetric": "fever_symmetric.jsonl",
    "dialfact_small": "dialfact_small.jsonl",
    "citint": "citint.jsonl",
    "summedits": "summedits.jsonl.gz",
    "bump": "bump.jsonl.gz",
    "fib": "fib.jsonl.gz",
    "xsum_halluc": "xsum_halluc.jsonl",
}
KEPT = 3
HEAD = (
    "set",
    "verifier",
    "n",
    "unjudged",
    "AUC",
    "balanced accuracy",
    "precision",
    "recall",
    "F1",
    "three-way macro F1",
)


BEST_FIRST: tuple[AttributionClass, ...] = ("attributable", "contradictory", "extrapolatory")
"""A sentence gets the first of these classes that any window gives it: one window in support is enough."""
WORST_FIRST: tuple[AttributionClass | None, ...] = ("contradictory", "extrapolatory", None, "attributable")
"""A claim gets the first of these classes that any of its sentences has.

An unjudged sentence (None) only keeps the claim from being called attributable.
"""


class ClaimWindows(NamedTuple):
    """A row of the data, and the windows of its evidence that the verifier reads."""

    row: Mapping[str, Any]
    windows: Sequence[Evidence]


class Judged(NamedTuple):
    """The judgement of people on a row, and that of the verifier.

    `verdict` is None where people gave no `label`.
    """

    supported: bool | None
    label: AttributionClass | None
    support: float | None
    verdict: AttributionClass | None


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("names", nargs="*", help="other verifiers, such as nli:FOLDER")
    parser.add_argument("--rows", type=int, help="the first so many rows of each set alone")
    options = parser.parse_args()
    print(section([line for name in SETS for line in lines_of(name, options.rows, options.names)]))
    print(machine())


def section(lines: Sequence[Sequence[str]]) -> str:
    """The part of a page, in Markdown, with these lines of its table."""
    return "\n\n".join([
        "## Verifiers against people",
        "Each claim with the evidence that its annotators saw. The threshold is the one that ships; word"
        " overlap is the embedded reranker's score of claim and passage, an untrained baseline. A claim is"
        " unjudged where people gave no label, or where one of its sentences could not be judged and no other"
        " settles it. Three classes where the annotators had three. Intervals are 95%, by bootstrap over"
        " claims.",
        table(HEAD, lines),
        "ExpertQA beside what its authors report of AutoAIS (Malaviya et al. 2023, table 6; other rows of the"
        " same data, so that levels can be compared and no winner named): TRUE T5-11B without training"
        " precision .88, recall .38, F1 .53; finetuned .82, .91, .86.",
    ])  # fmt: skip


def lines_of(name: str, limit: int | None = None, names: Sequence[str] = ()) -> list[list[str]]:
    """The lines of one set: each verifier, then word overlap."""
    claim_rows = [row for row in rows(f"dev/attribution/{SETS[name]}")[:limit] if row["evidence"]]
    claims = asyncio.run(claims_with_windows(claim_rows))
    lines = []
    for verifier in ("rules", "embedded", *names):
        judged = asyncio.run(judged_by(claims, _wired(verifier)))
        print(f"{name:22} {verifier:20} {len(judged):4} claims", flush=True)
        lines.append([name, verifier, *_cells(judged, Settings().support_threshold)])
    overlap = _auc(
        [max((window.relevance for window in claim.windows), default=None) for claim in claims],
        [claim.row.get("supported") for claim in claims],
    )
    unjudged = len(claims) - overlap.n
    return [*lines, [name, "word overlap", str(overlap.n), str(unjudged), cell(overlap), *["-"] * 5]]


@cache  # a model takes seconds to load; once in a process
def _wired(verifier: str) -> Components:
    return wire(Settings(search=InMemoryRetriever(), models={"attribute": verifier}))


async def claims_with_windows(claim_rows: Sequence[Mapping[str, Any]]) -> list[ClaimWindows]:
    """Each row with the windows of its evidence that the verifier reads."""
    return [
        ClaimWindows(row, await _nearest(row["claim"], list(_windows(row, Settings())))) for row in claim_rows
    ]


async def judged_by(claims: Sequence[ClaimWindows], components: Components) -> list[Judged]:
    """The judgement of the verifier on each row. Closes the components."""
    judged: list[Judged] = []
    try:
        for start in range(0, len(claims), 50):
            judged += await asyncio.gather(
                *(_judged_claim(claim, components) for claim in claims[start : start + 50])
            )
    finally:
        # They belong to this event loop; the next set opens its own.
        await close_all((*components.models, *components.opened))
    return judged


async def _judged_claim(claim_windows: ClaimWindows, components: Components) -> Judged:
    row, threshold = claim_windows.row, components.settings.support_threshold
    claim, context, label = row["claim"], row.get("question"), row.get("label3")
    spans = sentences(claim) or (Span(0, len(claim)),)
    supports = [
        await components.verifier.support(claim, context, spans, window) for window in claim_windows.windows
    ]
    classes: list[Sequence[AttributionClass | None]] = []
    if label is not None:
        classes = [
            await _classes(components.verifier, claim, context, spans, window, window_supports, threshold)
            for window, window_supports in zip(claim_windows.windows, supports, strict=True)
        ]
    return Judged(
        supported=row.get("supported"),
        label=label,
        support=_least(list(zip(*supports, strict=True)), threshold),
        verdict=_verdict(list(zip(*classes, strict=True))),
    )


async def _classes(
    verifier: Verifier, claim: str, context: str | None, spans: Sequence[Span], window: Evidence,
    supports: Sequence[float | None], threshold: float,
) -> Sequence[AttributionClass | None]:  # fmt: skip
    # A call to a Classifier gives classes or supports, never both. So it is called again, but only where
    # people gave one of three classes. The embedded classifier remembers what it judged. For other
    # verifiers the support is enough.
    if isinstance(verifier, Classifier):
        return await verifier.classify(claim, context, spans, window)
    return [attribution_class(support, threshold) for support in supports]


def _windows(row: Mapping[str, Any], settings: Settings) -> Iterator[Evidence]:
    for number, item in enumerate(row["evidence"]):
        title = item.get("title") or ""
        for passage in passages_of(
            item["text"], source=f"given:{number}", title=title, window=settings.window, step=settings.step,
            retrieved_at=datetime.now(UTC), published_at=None,
        ):  # fmt: skip
            yield Evidence(**passage.model_dump(), id=f"q1.{number}", query_id="q1", relevance=0.0)


async def _nearest(claim: str, windows: Sequence[Evidence]) -> list[Evidence]:
    scores = await OverlapReranker().score(claim, windows)
    ranked = sorted(zip(scores, windows, strict=True), key=lambda pair: -pair[0])[:KEPT]
    return [window.model_copy(update={"relevance": score}) for score, window in ranked]


def _verdict(by_sentence: Sequence[Sequence[AttributionClass | None]]) -> AttributionClass | None:
    """The class of the claim: that of its worst sentence, each sentence judged by its best window."""
    of_sentences = [
        next((name for name in BEST_FIRST if name in of_windows), None) for of_windows in by_sentence
    ]
    return next((name for name in WORST_FIRST if name in of_sentences), None)


def _least(by_sentence: Sequence[Sequence[float | None]], threshold: float) -> float | None:
    """The support of the claim: that of its least supported sentence, each judged by its best window.

    None where a sentence is unjudged and all others reach the threshold: the unjudged one might not.
    """
    best = [
        max((support for support in supports if support is not None), default=None)
        for supports in by_sentence
    ]
    least = min((support for support in best if support is not None), default=None)
    return None if least is None or (None in best and least >= threshold) else least


def _cells(judged: Sequence[Judged], threshold: float) -> list[str]:
    predicted = [
        None if judgement.support is None else judgement.support >= threshold for judgement in judged
    ]
    two = detection(predicted, [judgement.supported for judgement in judged])
    three = classification(
        [judgement.verdict for judgement in judged], [judgement.label for judgement in judged]
    )
    pairs = zip(predicted, (judgement.supported for judgement in judged), strict=True)
    balanced = bootstrap(
        [pair for pair in pairs if None not in pair],
        lambda pairs: detection([p for p, _ in pairs], [s for _, s in pairs]).balanced_accuracy,
        resamples=500,
    )
    has_three = len({judgement.label for judgement in judged} - {None}) == 3
    auc = _auc([judgement.support for judgement in judged], [judgement.supported for judgement in judged])
    numbers = (auc, balanced, two.precision, two.recall, two.f1, three.macro_f1 if has_three else None)
    return [str(two.n), str(two.unjudged), *(cell(number) for number in numbers)]


def _auc(scores: Sequence[float | None], labels: Sequence[bool | None]) -> Measured:
    pairs = [pair for pair in zip(scores, labels, strict=True) if None not in pair]
    return bootstrap(
        pairs,
        lambda sample: roc_auc([score for score, _ in sample], [label for _, label in sample]),
        resamples=200,
    )


if __name__ == "__main__":
    main()
