"""Compares the default with RARR, its baselines and its ablations (Gao et al. 2023; Chen 2023, chapter 6).

A model judges the attribution of a text (auto-AIS), and whether its revision keeps the intent. Preservation
measures how many characters stay (Pres_Lev). F1_AP is the harmonic mean of the average attribution and the
average preservation. If a row has a person's revision, the benchmark counts the right sentences that changed.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import Field, model_validator

from rarr.agent.wiring.models import LanguageModels
from rarr.backends.prompted.judging import PromptedRater
from rarr.backends.prompted.prompts import Prompts
from rarr.backends.prompted.writing import PromptedAnswerWriter
from rarr.components import NO_BASELINE, PURR, Baseline
from rarr.errors import InputError, RarrError, SettingsError
from rarr.evals.benchmarks.bench import Bench, BenchOptions, Part, Tables, in_random_order
from rarr.evals.evaluation import revising_worker
from rarr.evals.metrics import Measurement, f1_ap_of_set, mean, share, share_of
from rarr.evals.rows import EvalRow, Text, read_rows
from rarr.evals.run_folder import FinishedLine, Pairs, Worker
from rarr.records import Revision
from rarr.settings import EMBEDDED, Settings
from rarr.tools.models.chat import name_of
from rarr.tools.text.blocks_and_sentences import sentences

EXAMPLE = '{"text": "..."} or {"question": "..."} for each text'
TEXTS = "texts"  # the name of the part in which the model writes a text to each question
_PAPER = {"preset": "paper"}
SYSTEMS: dict[str, tuple[Mapping[str, Any], Baseline]] = {
    "default": ({}, NO_BASELINE),
    "rarr": (_PAPER, NO_BASELINE),
    "efec": (_PAPER, Baseline(editor="efec")),
    "lamda": (_PAPER, Baseline(editor="lamda")),
    "unedited": (_PAPER, Baseline(editor="none")),
    "rarr without gate": (_PAPER, Baseline(agreement=False)),
    "rarr by text": (_PAPER | {"queries": "text", "evidence_per_query": 3}, NO_BASELINE),
    "rarr by sentences": (_PAPER | {"queries": "sentences"}, NO_BASELINE),
    "rarr without wikipedia": (_PAPER | {"exclude_domains": ("wikipedia.org",)}, NO_BASELINE),
}
"""For each system of tables 6.1 (the first five), 6.2 and 6.3: its changed settings and its baseline."""


class RevisionRow(EvalRow):
    """A text to revise. If the text is empty, the model writes a text that answers the `question`."""

    text: str = ""
    question: Text | None = None

    @model_validator(mode="after")
    def _require_text_or_question(self) -> "RevisionRow":
        if not self.text.strip() and self.question is None:
            raise ValueError('it has neither a "text" nor a "question"')
        return self


class TextLine(FinishedLine):
    """The text that a model wrote as an answer to the question of a row."""

    text: str = ""


class RevisionLine(FinishedLine):
    """A revised text with its scores."""

    text: str = ""
    numbers: dict[str, float | None] = Field(default_factory=dict)  # the scores by name
    right: int = 0  # the number of sentences that the person did not change
    right_changed: int = 0  # how many of these sentences the system changed


def rarr_bench(data: Path, settings: Settings, options: BenchOptions) -> Bench:
    """Makes the benchmark `rarr`. Raises `RarrError` if a system is unknown, or without a language model."""
    names = options.judges or ("default", "rarr", "efec", "lamda", "unedited")
    if unknown := [name for name in names if name not in SYSTEMS and not name.startswith(PURR)]:
        raise InputError(f"system {unknown[0]!r} is unknown: give purr:FOLDER, {', '.join(SYSTEMS)}")
    if settings.model in EMBEDDED:
        raise SettingsError("bench rarr needs a language model: name it with model (--model)")
    judge = settings.models.get("attribute", settings.model)
    rows = in_random_order(read_rows(data, RevisionRow, EXAMPLE))
    chosen, written, parts = rows[: options.limit], list[TextLine](), dict[str, Part]()
    asked, missing = ([row for row in some if not row.text.strip()] for some in (rows, chosen))
    if missing:
        parts[TEXTS] = Part(asked, TextLine, partial(_text_worker, settings), missing, on_end=written.extend)
    for name in dict.fromkeys(names):
        changes, baseline = SYSTEMS.get(name) or (_PAPER, Baseline(editor=name))
        given = {field: getattr(settings, field) for field in settings.model_fields_set}
        models = {"models": {**settings.models, "attribute": judge}, "trace": False}
        own = Settings(**{**given, **changes, **models})
        parts[name] = Part(rows, RevisionLine, partial(_system_worker, own, baseline, written), chosen)
    title = f"means over texts; auto-AIS by {name_of(judge)}, intent by {name_of(settings.model)}"
    return Bench("rarr", "RARR", {"texts": len(chosen)}, parts, partial(system_tables, title))


def _text_worker(settings: Settings) -> Worker:
    models = LanguageModels(settings, [settings.model])
    answerer = PromptedAnswerWriter(models[settings.model], Prompts(settings.prompts))

    async def make_line(row: RevisionRow) -> TextLine:
        return TextLine(id=row.id, text=await answerer.answer_from_memory(row.question or ""))

    return Worker(make_line, models.all)


def _system_worker(settings: Settings, baseline: Baseline, written: Sequence[TextLine]) -> Worker:
    """Returns a worker that revises texts. A model rates whether a revision keeps the intent of its text."""
    revising, models = revising_worker(settings, baseline), LanguageModels(settings, [settings.model])
    rater = PromptedRater(models[settings.model], Prompts(settings.prompts))
    texts = {line.id: line.text for line in written}  # by a model, for rows that have only a question

    async def make_line(row: RevisionRow) -> RevisionLine:
        text = row.text if row.text.strip() else texts.get(row.id, "")
        context = row.context or row.question
        if not text:
            return RevisionLine(id=row.id, error="the model wrote no text to the question")
        made: Any = await revising.make_line(row.model_copy(update={"text": text, "context": context}))
        if made.revision is None:
            return RevisionLine(id=row.id, error=made.error)
        intent, failures = None if made.revision.changed else 1.0, made.failures
        try:
            intent = intent or await rater.rate_intent(text, made.revision.text, context)
        except RarrError as error:  # the other measures do not need the intent
            failures += (f"intent could not be judged: {error}",)
        return _line_with_scores(row, text, made.revision, intent).model_copy(update={"failures": failures})

    return Worker(make_line, (*revising.opened, *models.all))


def _line_with_scores(row: RevisionRow, text: str, revision: Revision, intent: float | None) -> RevisionLine:
    right = [span.of(text) for span in sentences(text) if row.revised and span.of(text) in row.revised]
    changed, usage = sum(sentence not in revision.text for sentence in right), revision.usage
    tokens = usage.input_tokens + usage.output_tokens
    numbers = revision.scores.model_dump(exclude={"f1_ap"}) | {"intent": intent}
    numbers |= {"requests": usage.model_calls, "tokens": tokens, "seconds": usage.seconds}
    texts = {"id": row.id, "text": revision.text}
    return RevisionLine(**texts, numbers=numbers, right=len(right), right_changed=changed)


def system_tables(title: str, parts: Mapping[str, Pairs]) -> Tables:
    """Makes a table of all systems, and a table of differences from the first system on the same texts."""
    lines = {name: {it.id: it for _, it in pairs} for name, pairs in parts.items()}
    lines.pop(TEXTS, None)
    first, *others = lines
    differences = {name: _differences(lines[name], lines[first]) for name in others}
    found = {title: {name: _system_measures(list(of.values())) for name, of in lines.items()}}
    return found | ({f"differences from {first} on the same texts": differences} if others else {})


def _system_measures(lines: Sequence[RevisionLine]) -> dict[str, Measurement]:
    numbers = [line.numbers for line in lines]  # after an error, a text has no numbers: it counts as unjudged
    measures = {name: mean([its.get(name) for its in numbers]) for name in next(filter(None, numbers), {})}
    intents = [its.get("intent") for its in numbers]
    measures["intent_kept"] = share([None if intent is None else intent == 1 for intent in intents])
    scores = [(its.get("attribution_after"), its.get("preservation")) for its in numbers]
    measures["f1_ap"] = f1_ap_of_set(scores)
    changed = share_of(sum(line.right_changed for line in lines), sum(line.right for line in lines))
    return measures | ({"right_changed": changed} if changed.n else {})


def _differences(own: Mapping[str, RevisionLine], base: Mapping[str, RevisionLine]) -> dict[str, Measurement]:
    rises = defaultdict[str, list[float | None]](list)
    names = next(filter(None, (line.numbers for line in own.values())), {})
    for text in own.keys() & base.keys():
        for name in names:  # after an error, a text has no numbers, and counts as unjudged
            one, other = own[text].numbers.get(name), base[text].numbers.get(name)
            rises[name].append(None if one is None or other is None else one - other)
    return {name: mean(values) for name, values in rises.items()}
