"""Counts the requests that saved readings take the place of, with the recorded answers of a real model.

    python -m benchmarks.saved_readings

Revises the examples whose answers are recorded twice, over the same documents. Needs no model.
"""

import tempfile
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from benchmarks.examples import CORPUS, examples
from benchmarks.recorded_answers import KeptAnswers
from benchmarks.report import table
from rarr import Reviser, Settings
from rarr.tools.models.chat import Answer, CallFailure, ChatRequest

FILE = Path(__file__).parents[1] / "tests" / "benchmarks" / "real_model_answers.jsonl"
RECORDED = 17
"""The examples whose answers are recorded, from the first on."""
READINGS = ("fill_blank", "write_question", "read_evidence")


class RecordedModel(KeptAnswers):
    """Counts the requests that it answers, by prompt. Its readings are saved.

    A request whose answer is not recorded fails, and no failure is saved: `failed` counts them.
    """

    saved_as = "recorded answers"

    def __init__(self) -> None:
        super().__init__("vllm:1.5b", FILE)
        self.asked, self.failed = Counter[str](), 0

    async def complete(self, ask: ChatRequest) -> Answer:
        try:
            answer = await super().complete(ask)
        except CallFailure:
            self.failed += 1
            raise
        self.asked[ask.name] += 1
        return answer


class Pass(NamedTuple):
    """All texts, revised once: the answered requests by prompt, and how many failed; the saved answers."""

    requests: Counter[str]
    failed: int
    saved: int
    tokens: int
    texts: list[str]

    @property
    def readings(self) -> int:
        """The requests of readings."""
        return sum(self.requests[name] for name in READINGS)


def passes(home: Path, count: int = RECORDED, times: int = 2) -> list[Pass]:
    """Revises the first `count` examples several times, each time by a new reviser on one data folder."""
    return [_revised(home, count) for _ in range(times)]


def _revised(home: Path, count: int) -> Pass:
    model = RecordedModel()
    settings = Settings(corpus=CORPUS, home=home, trace=False, model=model, contrasts=False)
    with Reviser(settings) as reviser:
        revisions = [reviser.revise(example.text, example.context) for example in examples()[:count]]
    saved = sum(revision.usage.saved_calls for revision in revisions)
    tokens = sum(revision.usage.input_tokens for revision in revisions)
    return Pass(model.asked, model.failed, saved, tokens, [revision.text for revision in revisions])


def main() -> None:
    with tempfile.TemporaryDirectory() as home:
        first, second = passes(Path(home))
    names = sorted(first.requests, key=lambda name: (name not in READINGS, name))
    body = [[name, str(first.requests[name]), str(second.requests[name])] for name in names]
    body += [
        ["answered requests", str(first.requests.total()), str(second.requests.total())],
        ["requests without a recorded answer", str(first.failed), str(second.failed)],
        ["answers from the data folder", str(first.saved), str(second.saved)],
        ["tokens in", f"{first.tokens:,}", f"{second.tokens:,}"],
    ]
    print(table([f"{RECORDED} texts", "first time", "second time"], body))
    print(f"the same revised texts: {'yes' if first.texts == second.texts else 'NO'}")


if __name__ == "__main__":
    main()
