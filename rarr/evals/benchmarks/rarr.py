"""Measures RARR, its baselines and its ablations beside the default, as its tables do (Gao et al. 2023).

Tables 6.1 to 6.3 of Chen 2023: attribution is auto-AIS by the judge that is named, preservation is that of
characters (Pres_Lev) and of intent by a model, and F1_AP is the harmonic mean of a set's averages. Whether
right sentences change is measured too, where a person's revision tells which are right.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import model_validator

from rarr.agent.wiring.components import wire
from rarr.agent.wiring.models import LanguageModels
from rarr.backends.prompted.judging import PromptedJudge
from rarr.backends.prompted.prompts import Prompts
from rarr.backends.prompted.writing import PromptedAnswers
from rarr.components import NO_BASELINE, PURR, Baseline
from rarr.errors import InputError, RarrError, SettingsError
from rarr.evals.benchmarks.bench import Bench, Options, Pairs, Part, ScoreTable, sampled
from rarr.evals.evaluation import RowReviser
from rarr.evals.metrics.statistics import Measured, mean, measured_f1_ap, share
from rarr.evals.rows import EvalRow, Text, read_all
from rarr.evals.run_folder import FinishedLine
from rarr.records import Scores
from rarr.settings import EMBEDDED, Settings
from rarr.tools.models.chat import name_of
from rarr.tools.text.blocks_and_sentences import sentences

EXAMPLE = '{"text": "..."} or {"question": "..."} for each text'
TEXTS = "texts"
"""The part that writes the texts of questions."""


@dataclass(frozen=True)
class System:
    """A way to revise: settings that differ from the run's, and a baseline."""

    changes: Mapping[str, Any]
    baseline: Baseline = NO_BASELINE


_PAPER = {"preset": "paper"}
SYSTEMS: dict[str, System] = {
    "default": System({}),
    "rarr": System(_PAPER),
    "efec": System(_PAPER, Baseline(editor="efec")),
    "lamda": System(_PAPER, Baseline(editor="lamda")),
    "unedited": System(_PAPER, Baseline(editor="none")),
    "rarr without gate": System(_PAPER, Baseline(agreement=False)),
    "rarr by text": System(_PAPER | {"queries": "text", "evidence_per_query": 3}),
    "rarr by sentences": System(_PAPER | {"queries": "sentences"}),
    "rarr without wikipedia": System(_PAPER | {"exclude_domains": ("wikipedia.org",)}),
}
"""The systems of tables 6.1 (the first five), 6.2 and 6.3, by name."""
USUAL = ("default", "rarr", "efec", "lamda", "unedited")


class RevisionRow(EvalRow):
    """A text to revise, or a question, to which the model in use writes the text."""

    text: str = ""
    question: Text | None = None

    @model_validator(mode="after")
    def _has_text(self) -> "RevisionRow":
        if not self.text.strip() and self.question is None:
            raise ValueError('it has no "text" and no "question"')
        return self


class TextLine(FinishedLine):
    """The text that a model wrote to a question."""

    text: str = ""


class RevisionLine(FinishedLine):
    """A revision with its scores. `intent` is 1, 0.5 or 0; `right_changed` counts changed right sentences."""

    text: str = ""
    scores: Scores = Scores()
    intent: float | None = None
    right: int = 0
    right_changed: int = 0
    model_calls: int = 0
    tokens: int = 0
    seconds: float = 0.0


def rarr(data: Path, settings: Settings, options: Options) -> Bench:
    """Reads the texts and questions in the file `data`, and makes a part for each system.

    Raises `InputError` for data of another form and for an unknown system, and `SettingsError` without a
    language model.
    """
    names = options.judges or USUAL
    if unknown := [name for name in names if name not in SYSTEMS and not name.startswith(PURR)]:
        raise InputError(f"system {unknown[0]!r} is unknown: give purr:FOLDER, {', '.join(SYSTEMS)}")
    if settings.model in EMBEDDED:
        raise SettingsError("bench rarr needs a language model: name it with model (--model)")
    judge = settings.models.get("attribute", settings.model)
    rows = sampled(read_all(data, RevisionRow, EXAMPLE))
    chosen = rows[: options.limit]
    questions = [row for row in chosen if not row.text.strip()]
    written = dict[str, str]()

    def keep(lines: Sequence[FinishedLine]) -> None:
        written.update((line.id, line.text) for line in lines if isinstance(line, TextLine))

    parts = {}
    if questions:
        asked = [row for row in rows if not row.text.strip()]
        parts[TEXTS] = Part(asked, TextLine, partial(_Writer, settings), questions, then=keep)
    for name in dict.fromkeys(names):
        system = SYSTEMS.get(name) or System(_PAPER, Baseline(editor=name))
        given = {field: getattr(settings, field) for field in settings.model_fields_set}
        own = Settings(**{**given, **system.changes, "models": {**settings.models, "attribute": judge}})
        parts[name] = Part(rows, RevisionLine, partial(_Reviser, own, system.baseline, written), chosen)
    title = f"means over texts; auto-AIS by {name_of(judge)}, intent by {name_of(settings.model)}"
    return Bench("rarr", "RARR", {"texts": len(chosen)}, parts, partial(tables, title))


class _Writer:
    """Writes the texts of questions by the language model of the settings."""

    def __init__(self, settings: Settings) -> None:
        models = LanguageModels(settings, [settings.model])
        self._answerer = PromptedAnswers(models[settings.model], Prompts(settings.prompts))
        self.aclose: Callable[[], Any] = models[settings.model].aclose

    async def line(self, row: RevisionRow) -> TextLine:
        """Writes a text; the line has an error if the model failed."""
        try:
            return TextLine(id=row.id, text=await self._answerer.answer(row.question or ""))
        except RarrError as error:
            return TextLine(id=row.id, error=str(error))


class _Reviser:
    """Revises texts by one system, and has the intent of each revision judged."""

    def __init__(self, settings: Settings, baseline: Baseline, written: Mapping[str, str]) -> None:
        self._revising = RowReviser(wire(settings.model_copy(update={"trace": False}), baseline=baseline))
        self._models = LanguageModels(settings, [settings.model])
        model = self._models[settings.model]
        self._judge, self._written = PromptedJudge(model, Prompts(settings.prompts)), written

    async def line(self, row: RevisionRow) -> RevisionLine:
        """Revises a text; the line has an error if it has no text, or nothing of it could be checked."""
        text = row.text if row.text.strip() else self._written.get(row.id, "")
        context = row.context or row.question
        if not text:
            return RevisionLine(id=row.id, error="no text was written to its question")
        made = await self._revising.line(row.model_copy(update={"text": text, "context": context}))
        revision = made.revision
        if revision is None:
            return RevisionLine(id=row.id, error=made.error)
        try:
            intent = await self._judge.intent(text, revision.text, context) if revision.changed else 1.0
        except RarrError:
            intent = None
        right = [span.of(text) for span in sentences(text) if row.revised and span.of(text) in row.revised]
        return RevisionLine(
            id=row.id,
            text=revision.text,
            scores=revision.scores,
            intent=intent,
            right=len(right),
            right_changed=sum(sentence not in revision.text for sentence in right),
            model_calls=revision.usage.model_calls,
            tokens=revision.usage.input_tokens + revision.usage.output_tokens,
            seconds=revision.usage.seconds,
        )

    async def aclose(self) -> None:
        """Closes the models and sources of this system."""
        await self._revising.aclose()
        for model in self._models.all:
            await model.aclose()


def tables(title: str, parts: Mapping[str, Pairs]) -> Iterator[ScoreTable]:
    """Yields the measures of each system, and their differences from the first one on the same texts."""
    lines = {
        name: {line.id: line for _, line in pairs if not line.error}
        for name, pairs in parts.items()
        if name != TEXTS
    }
    yield ScoreTable(title=title, rows={name: _measures(list(of.values())) for name, of in lines.items()})
    first, *others = lines
    differences = {name: _differences(lines[name], lines[first]) for name in others}
    if differences:
        yield ScoreTable(title=f"differences from {first} on the same texts", rows=differences)


def _measures(lines: Sequence[RevisionLine]) -> dict[str, Measured]:
    pairs = [(line.scores.attribution_after, line.scores.preservation) for line in lines]
    judged = [None if after is None or kept is None else (after, kept) for after, kept in pairs]
    whole = [None if line.intent is None else line.intent == 1 for line in lines]
    changed = [number < line.right_changed for line in lines for number in range(line.right)]
    measures = {
        "attribution_before": mean([line.scores.attribution_before for line in lines]),
        "attribution_after": mean([after for after, _ in pairs]),
        "preservation": mean([kept for _, kept in pairs]),
        "intent_kept": share(whole),
        "f1_ap": measured_f1_ap(judged),
        "requests": mean([float(line.model_calls) for line in lines]),
        "tokens": mean([float(line.tokens) for line in lines]),
        "seconds": mean([line.seconds for line in lines]),
    }
    return measures | ({"right_changed": share(changed)} if changed else {})


def _differences(
    lines: Mapping[str, RevisionLine], others: Mapping[str, RevisionLine]
) -> dict[str, Measured]:
    both = [(lines[name], others[name]) for name in lines if name in others]
    measures: dict[str, Callable[[RevisionLine], float | None]] = {
        "attribution_after": lambda line: line.scores.attribution_after,
        "preservation": lambda line: line.scores.preservation,
        "intent_kept": lambda line: line.intent,
        "requests": lambda line: float(line.model_calls),
        "tokens": lambda line: float(line.tokens),
    }
    return {name: mean([_difference(of(one), of(two)) for one, two in both]) for name, of in measures.items()}


def _difference(value: float | None, other: float | None) -> float | None:
    return None if value is None or other is None else value - other
