"""Notes, queries about the notes, and a run that makes training rows."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from rarr.records import Evidence
from rarr.settings import Settings
from rarr.testing import RETRIEVED_AT, Asked, InMemoryRetriever, RuleModel, ScriptedModel
from rarr.training.noising import NoisingReport, make_training_data

NAMES = ("Alder", "Birch", "Cedar", "Elm", "Hazel", "Linden", "Maple", "Rowan")
NOTES = [f"The {name} Mill opened in {1901 + n}. It has {20 + n} looms." for n, name in enumerate(NAMES)]
QUERIES = [f"When did the {name} Mill open?" for name in NAMES]
Answers = Callable[[Asked], Any] | Mapping[str, Any]


def write_queries(folder: Path, *queries: str) -> Path:
    """Writes a file with these queries; without arguments, with all queries."""
    path = folder / "queries.txt"
    path.write_text("".join(f"{query}\n" for query in queries or QUERIES), encoding="utf-8")
    return path


def scripted(answers: Answers | None = None) -> ScriptedModel:
    """Makes a model that answers by the name of the prompt. `RuleModel` answers other prompts."""
    if isinstance(answers, Mapping):
        by_name = answers
        return ScriptedModel(lambda asked: by_name.get(asked.prompt or "") or RuleModel()(asked))
    return ScriptedModel(answers or RuleModel())


def made(queries: Path, out: Path, model: Any = None, **more: Any) -> NoisingReport:
    """Makes training rows from the notes. `more` are settings."""
    settings = {"model": model or scripted(), "search": InMemoryRetriever(NOTES)} | more
    return make_training_data(queries, out, settings=Settings(**settings), jobs=2)


def evidence(text: str, *, number: int = 1, title: str = "", relevance: float = 1.0) -> Evidence:
    """Makes a passage with its own source."""
    return Evidence(
        id=f"e{number}", query_id="query", text=text, title=title, source=f"note {number}", start=0,
        end=len(text), relevance=relevance, retrieved_at=RETRIEVED_AT,
    )  # fmt: skip
