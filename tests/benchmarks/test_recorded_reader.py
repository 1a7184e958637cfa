"""Two answers are read again by the recorded answers of a strong model."""

import json
import re
from argparse import Namespace
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks.answers import CORRECTED, IN_OTHER_WORDS, GoodRecord, corpus_folder, outcomes, read_answers
from benchmarks.harness import EXAMPLES, read_lines, report_time, serve_apart
from benchmarks.recorded_reader import RecordedModel, add_answers, wire_reader
from rarr import Reviser, Settings
from rarr.ledger.reader_record import ReaderRecord
from rarr.testing import Asked, ScriptedModel


@pytest.mark.parametrize("name", ["device-manual", "court-decision"])
def test_recorded_reader_corrects_an_answer_in_other_words(name: str, tmp_path: Path) -> None:
    [answer] = [each for each in read_answers("tuned") if each.name == name]
    model = RecordedModel()
    settings = Settings(corpus=corpus_folder(tmp_path), model=model, rounds=1, trace=False)
    with Reviser(components=replace(wire_reader(settings), record=None)) as reviser:
        found = outcomes(reviser, answer)
    assert model.missing == {}
    assert {each.result for each in found if each.mark.wrong is not None} <= {CORRECTED, IN_OTHER_WORDS}
    assert {each.result for each in found if each.mark.wrong is None} == {"supported"}


@pytest.mark.parametrize(("model", "requests", "tokens"), [(RecordedModel(), 3, 5000), (None, 4, 6340)])
def test_demo_costs_no_more_than_was_measured(model: Any, requests: int, tokens: int) -> None:
    """Read by the strong model, and by one that says yes to all, and misses its planted errors."""
    text, corpus = (EXAMPLES / "texts" / "demo.md").read_text(encoding="utf-8"), str(EXAMPLES / "corpus")
    settings = Settings(model=model or ScriptedModel(_yes), corpus=corpus, trace=False)
    with Reviser(settings) as reviser:
        expected, usage = reviser.estimate(text), reviser.revise(text).usage
    assert 0.4 < expected.input_tokens / usage.input_tokens < 2.5
    assert getattr(model, "missing", {}) == {}
    assert usage.model_calls <= requests
    assert (usage.input_tokens or 0) + (usage.output_tokens or 0) <= tokens


def _yes(asked: Asked) -> dict[str, Any]:
    numbers = re.findall(r"\[S(\d+)\] ", asked.user)
    return {"questions": [], "cards": [{"s": int(it), "q": ["P1.1"], "v": "yes"} for it in numbers]}


def test_answers_are_kept_by_lines_and_one_without_a_seed_is_named(tmp_path: Path) -> None:
    store, file = tmp_path / "store.jsonl", tmp_path / "answers.jsonl"
    row = {"prompt": "Why?\u2028", "answer": "Because\x85 it fell."}
    store.write_text(json.dumps(row, ensure_ascii=False), encoding="utf-8")
    assert (add_answers(store, file), add_answers(store, file), read_lines(file)) == (1, 1, [row])
    store.write_text(json.dumps(row | {"id": "none"}))
    with pytest.raises(ValueError, match="row none has no seed from 0 to 99"):
        add_answers(store, file)


@pytest.mark.loopback
def test_error_of_a_benchmark_is_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(EOFError), report_time(Namespace()), serve_apart(len, unknown=True):
        pass
    assert "seconds by embedded" in capsys.readouterr().out


def test_good_record_has_the_methods_of_a_record() -> None:
    assert all(hasattr(ReaderRecord, name) for name in vars(GoodRecord) if name[0] != "_")
