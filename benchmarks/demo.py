"""The demo's text with its documents: requests, tokens and statuses, by a strong model and by a yes-sayer.

    python -m benchmarks.demo [--pending DIR]

The strong model's answers were recorded (benchmarks/recorded); --pending writes requests that were not into a
folder. The yes-sayer calls every sentence supported, so its planted errors show that it is no use.
"""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.harness import EXAMPLES, parser, table
from benchmarks.recorded_reader import RecordedModel
from rarr import Revision, Settings, revise
from rarr.testing import ScriptedModel
from rarr.testing.scripted_model import Asked


def yes(asked: Asked) -> str:
    """Answers `yes` for each marked sentence, with the first line of the sources; asks no question."""
    if asked.prompt == "target_queries":
        return '{"questions": []}'
    numbers = re.findall(r"\[S(\d+)\] ", asked.user)
    return json.dumps({"cards": [{"s": int(number), "q": ["P1.1"], "v": "yes"} for number in numbers]})


def revised(model: Any) -> Revision:
    """Revises the demo's text with the default settings."""
    text = (EXAMPLES / "texts" / "demo.md").read_text(encoding="utf-8")
    return revise(text, settings=Settings(model=model, corpus=str(EXAMPLES / "corpus")))


def row(name: str, revision: Revision) -> tuple[str, str, str, str, str]:
    """The figures of a run."""
    usage, statuses = revision.usage, Counter(it.status for it in revision.report.sentences)
    tokens = f"{(usage.input_tokens or 0) + (usage.output_tokens or 0):,}"
    caught = f"{usage.controls.caught} of {usage.controls.planted}"
    shares = ", ".join(f"{count} {status}" for status, count in statuses.most_common())
    return name, str(usage.model_calls), tokens, caught, shares


def main() -> None:
    """Prints both rows."""
    made = parser(__doc__)
    made.add_argument("--pending", type=Path, help="write requests that are not recorded to this folder")
    options, strong = made.parse_args(), RecordedModel()
    rows = [row("strong, recorded", revised(strong)), row("says yes", revised(ScriptedModel(yes)))]
    print(table(("reader", "requests", "tokens", "planted errors caught", "sentences"), rows))
    strong.report_missing(options.pending)


if __name__ == "__main__":
    main()
