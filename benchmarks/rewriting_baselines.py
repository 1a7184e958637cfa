"""What EFEC and LaMDA do to texts that people corrected, beside minimal edits by one language model.

    python -m benchmarks.rewriting_baselines                  the rules in place of a model, behind a socket
    python -m benchmarks.rewriting_baselines --model vllm:NAME --base-url URL --rows 4

EFEC (Thorne and Vlachos 2021) corrects the whole text by all its evidence in one call; LaMDA Research
(Thoppilan et al. 2022) asks its own searches and writes the text anew. Rows are drawn at random, with a fixed
seed, from each set, and bring the evidence that its people saw. The embedded encoder judges attribution.
"""

import argparse
import json
import tempfile
from contextlib import ExitStack
from pathlib import Path

from benchmarks.quality import SETS, nothing, rows_of, sample
from benchmarks.quality_page import Set, pooled, set_tables
from benchmarks.report import machine
from benchmarks.shared_data import rows
from rarr import Settings
from rarr.components import EditorKind
from rarr.evals import evaluate
from rarr.testing import ScriptedServer
from rarr.testing.rule_model import RuleModel

SYSTEMS: dict[str, EditorKind] = {"default": "minimal", "EFEC": "efec", "LaMDA": "lamda"}
"""The editor of each system."""
CHOSEN = ("fib_fir", "factcheckgpt_claim", "expertqa_claim", "fever_symmetric_pair", "bump", "handwritten")
"""The sets with short texts."""


def main() -> None:
    """Runs the three systems on all sets, and prints the tables of all rows together."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--model", help="a language model; without it, the rules in its place")
    parser.add_argument("--base-url", help="where its server answers, ending in /v1")
    parser.add_argument("--rows", type=int, default=20, help="rows of each set (%(default)s)")
    options = parser.parse_args()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        model, base_url = options.model, options.base_url
        if model is None:
            base_url = stack.enter_context(ScriptedServer(RuleModel(), models=["rules"])).url
            model = "vllm:rules"
        settings = Settings(
            model=model, base_url=base_url, search="corpus", corpus=nothing(str(folder)), home=folder,
            timeout_s=900.0, trace=False,
        )  # fmt: skip
        sets = [_of_set(name, options.rows, settings, folder / name) for name in CHOSEN]
    print(f"{machine()}; {model}; {options.rows} rows of each of {', '.join(CHOSEN)}\n")
    print(set_tables(pooled(sets)))


def _of_set(name: str, count: int, settings: Settings, folder: Path) -> Set:
    """Runs each system on `count` rows of a set."""
    file, about = SETS[name]
    given = list(rows_of(rows(f"dev/{file}")))
    folder.mkdir()
    data = folder / "rows.jsonl"
    lines = [json.dumps(row) + "\n" for row in sample(given, min(count, len(given)))]
    data.write_text("".join(lines), encoding="utf-8")
    reports = {}
    for system, editor in SYSTEMS.items():
        reports[system] = evaluate(data, folder / system, settings=settings, jobs=1, editor=editor)
        print(f"{name}: {system}", flush=True)
    return Set(name, about, reports)


if __name__ == "__main__":
    main()
