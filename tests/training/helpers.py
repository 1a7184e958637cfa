"""Notes, queries about the notes, and a run that makes training rows."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rarr.settings import Settings
from rarr.testing import InMemoryRetriever, RuleModel, ScriptedModel
from rarr.training.noising import NoisingReport, make_training_data

NAMES = ("Alder", "Birch", "Cedar", "Elm", "Hazel", "Linden", "Maple", "Rowan")
NOTES = [f"The {name} Mill opened in {1901 + n}. It has {20 + n} looms." for n, name in enumerate(NAMES)]
QUERIES = [f"When did the {name} Mill open?" for name in NAMES]


def write_queries(folder: Path, *queries: str) -> Path:
    """Writes a file with these queries; without arguments, with all queries."""
    path = folder / "queries.txt"
    path.write_text("".join(f"{query}\n" for query in queries or QUERIES), encoding="utf-8")
    return path


def make_model(answers: Mapping[str, Any] = {}) -> ScriptedModel:
    """Makes a model that answers by the name of the prompt. `RuleModel` answers other prompts."""
    return ScriptedModel(lambda asked: answers.get(asked.prompt or "") or RuleModel()(asked))


def made(queries: Path, out: Path, model: Any = None, **more: Any) -> NoisingReport:
    """Makes training rows from the notes. `more` are settings."""
    settings = {"model": model or make_model(), "search": InMemoryRetriever(NOTES)} | more
    return make_training_data(queries, out, settings=Settings(**settings), jobs=2)
