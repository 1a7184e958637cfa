"""Measures a real language model on examples, whole answers and hand-written claims.

    python -m benchmarks.real_model --base-url URL --model NAME [--answers FILE] [--texts N] [--claims N]
                                    [--halves HALF ...] [--alone]

FILE keeps every answer of the model: an interrupted run continues from it, and the tests replay it without a
model. Prints shares with 95% Wilson intervals. The claims are a random sample, with a fixed seed, of the
development half. The prompts were written with the example texts in view.
"""

import json
import random
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import answers
from benchmarks.answers import Outcome
from benchmarks.examples import CORPUS, Example, examples, outcome
from benchmarks.harness import machine, parser, rows, share, table
from benchmarks.recorded_answers import KeptAnswers
from rarr import Reviser, Revision, Settings
from rarr.tools.models.langchain_chat import langchain_chat

TIMEOUT_S = 900.0
CLAIMS = "dev/editing/handwritten.jsonl.gz"


class Run(NamedTuple):
    """The result for one text, and its cost."""

    planted: int
    mended: int
    elsewhere: int
    sentences: int
    calls: int
    tokens: int


def revised(example: Example, model: KeptAnswers, home: Path) -> Revision:
    """An example's text, revised by `model` as by default."""
    settings = Settings(corpus=CORPUS, home=home, trace=False, timeout_s=TIMEOUT_S, model=model)
    with Reviser(settings) as reviser:
        return reviser.revise(example.text, example.context)


def run_of(example: Example, revision: Revision) -> Run:
    """The counts of `revision`."""
    counts = outcome(example, revision)
    return Run(
        counts.planted, counts.corrected, counts.wrong, len(revision.report.sentences),
        revision.usage.model_calls, revision.usage.input_tokens,
    )  # fmt: skip


def answered(half: str, model: KeptAnswers, home: Path, *, alone: bool) -> list[Outcome]:
    """Revises the answers of a half, or with `alone` each marked sentence by itself.

    Returns an outcome for each marked sentence.
    """
    outcomes: list[Outcome] = []
    settings = {"model": model, "trace": False, "timeout_s": TIMEOUT_S}
    with answers.reviser(home / half, **settings) as reviser:
        for answer in answers.answers(half):
            for text, marks in answer.parts(alone=alone):
                revision = reviser.revise(text)
                outcomes += [answers.outcome(revision, answer.name, mark) for mark in marks]
    return outcomes


class Claim(NamedTuple):
    """The result for a hand-written claim, revised against its gold passage."""

    wrong: bool
    disagrees: bool
    changed: bool
    exact: bool


def claim(item: dict[str, Any], version: str, model: KeptAnswers) -> Claim:
    """Revises the `supported` or `corrupted` claim of an item against its passage alone."""
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder) / "passage.json"
        passage = {"text": item["evidence"], "title": item["title"] or "", "source": item["id"]}
        corpus.write_text(json.dumps(passage), encoding="utf-8")
        home = Path(folder) / "home"
        settings = Settings(corpus=corpus, home=home, model=model, trace=False, timeout_s=TIMEOUT_S)
        with Reviser(settings) as reviser:
            revision = reviser.revise(item[version])
    disagrees = any(check.verdict == "disagrees" for check in revision.checks)
    return Claim(version == "corrupted", disagrees, revision.changed, revision.text == item["supported"])


def print_runs(runs: Sequence[Run], model: KeptAnswers, seconds: float) -> None:
    """Prints the table of the examples, with the time only if no answer came from the file."""
    hits = [n < run.mended for run in runs for n in range(run.planted)]
    calls, tokens = sum(run.calls for run in runs), sum(run.tokens for run in runs)
    body = [
        ["texts", str(len(runs))],
        ["planted errors mended", share(hits)],
        ["changes elsewhere", str(sum(run.elsewhere for run in runs))],
        ["requests", str(calls)],
        ["tokens in, a sentence", f"{tokens / max(1, sum(run.sentences for run in runs)):.0f}"],
        ["seconds", f"{seconds:.0f}" if not model.repeated else f"- ({model.repeated} answers were kept)"],
    ]
    print(f"\n## Examples\n\n{table(['measure', 'value'], body)}", flush=True)


def print_claims(claims: Sequence[Claim]) -> None:
    """Prints how many hand-written claims disagree, are corrected, and are wrongly changed."""
    wrong = [claimed for claimed in claims if claimed.wrong]
    right = [claimed for claimed in claims if not claimed.wrong]
    print("\n## Hand-written claims of the development half, each with its passage\n")
    body = [
        ["wrong claims that disagree", share([claimed.disagrees for claimed in wrong])],
        ["right claims that disagree", share([claimed.disagrees for claimed in right])],
        ["wrong claims that became exactly right", share([claimed.exact for claimed in wrong])],
        [
            "wrong claims that were changed, and are exactly right",
            share([claimed.exact for claimed in wrong if claimed.changed]),
        ],
        ["right claims that were changed", share([claimed.changed for claimed in right])],
    ]
    print(table(["measure", "value"], body), flush=True)


def main() -> None:
    made = parser(__doc__)
    made.add_argument("--base-url", required=True, help="where its server answers, ending in /v1")
    made.add_argument("--model", required=True, help="the name that the server has for it")
    made.add_argument(
        "--answers",
        type=Path,
        default=Path("real_model_answers.jsonl"),
        help="the file that keeps its answers",
    )
    made.add_argument("--texts", type=int, default=35, help="how many examples, from the first on")
    made.add_argument("--claims", type=int, default=60, help="hand-written items, two claims each")
    made.add_argument(
        "--halves",
        nargs="*",
        choices=answers.HALVES,
        default=answers.HALVES,
        help="the halves of the answers; none to leave them out",
    )
    made.add_argument("--alone", action="store_true", help="revise each marked sentence by itself")
    options = made.parse_args()
    live = langchain_chat(
        f"vllm:{options.model}", base_url=options.base_url, max_retries=0, timeout=TIMEOUT_S
    )
    model = KeptAnswers(f"vllm:{options.model}", options.answers, live)
    print(f"# {options.model} on {machine()}", flush=True)
    texts = examples()[: options.texts]
    with tempfile.TemporaryDirectory() as home:
        started = time.perf_counter()
        runs = [run_of(example, revised(example, model, Path(home))) for example in texts]
        print_runs(runs, model, time.perf_counter() - started)
        for half in options.halves:
            answers.print_half(half, answered(half, model, Path(home), alone=options.alone))
    if options.claims:
        items = random.Random(20).sample(rows(CLAIMS), options.claims)
        print_claims(
            [claim(item, version, model) for item in items for version in ("supported", "corrupted")]
        )


if __name__ == "__main__":
    main()
