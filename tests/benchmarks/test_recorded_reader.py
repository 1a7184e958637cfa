"""Two answers are read again by the recorded answers of a strong model."""

from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.answers import (
    CORRECTED,
    IN_OTHER_WORDS,
    Answer,
    Outcome,
    answers,
    corpus_folder,
    outcomes,
)
from benchmarks.recorded_reader import RecordedModel, components
from rarr import Reviser, Settings


@pytest.mark.parametrize("name", ["device-manual", "court-decision"])
def test_recorded_reader_corrects_an_answer_in_other_words(name: str, tmp_path: Path) -> None:
    [answer] = [each for each in answers("tuned") if each.name == name]
    model = RecordedModel()
    found = _read(answer, model, tmp_path)
    assert model.missing == {}
    wrong = [each.result for each in found if each.mark.wrong is not None]
    right = [each.result for each in found if each.mark.wrong is None]
    assert set(wrong) <= {CORRECTED, IN_OTHER_WORDS}
    assert set(right) == {"supported"}


def _read(answer: Answer, model: RecordedModel, folder: Path) -> list[Outcome]:
    settings = Settings(
        corpus=corpus_folder(folder), home=folder / "home", model=model, rounds=1, trace=False
    )
    with Reviser(components=replace(components(settings), record=None)) as reviser:
        return outcomes(reviser, answer)
