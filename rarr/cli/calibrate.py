"""`rarr calibrate`: fits how probable the "yes" of a judging model has to be, and the weights of judges."""

import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from rarr.cli import options
from rarr.cli.streams import complain, warn, write
from rarr.errors import InputError, ModelError, SettingsError
from rarr.tools.text.plurals_and_articles import counted

if TYPE_CHECKING:
    from rarr.backends.prompted.model_calibration import ModelCalibration
    from rarr.records import Usage
    from rarr.settings import Settings
    from rarr.training.judge_calibration import CalibrationReport, JudgeFigures, JudgementReport
    from rarr.training.judge_combination import CombinationReport


def calibrate(
    model: options.JudgingModel,
    data: options.Pairs = None,
    out: options.CalibrationFile = None,
    base_url: options.BaseUrl = None,
    prompts: options.Prompts = None,
    precision: options.Precision = None,
) -> int:
    """Calibrate a language model that judges support or intent, or combine several judges.

    Asks the model about labelled pairs, and fits its probability of "yes" on one half of them. The other
    half is used only to measure. From then on, runs in which this model judges support (models attribute)
    or intent (models evaluate) use the probability instead of the model's word. The server has to give
    logprobs, as vLLM and llama.cpp do. DATA has a pair a line: "claim", "evidence" and "supported", or
    "text", "revision" and "preserved", each true or false, and optionally "half": fit or measure. Without
    DATA, the pairs that ship are used. Exit status: 0 done; 2 the call or DATA is wrong; 3 the model
    could not be asked; 4 a judgement does not reach the precision, and keeps the word.

    Of several judges of support, joined by +, fits the weight of each on the same half of the pairs, and
    prints how they judge together and alone. Their name can be used as a judge from then on.

    \b
    Examples:
      rarr calibrate vllm:Qwen/Qwen3-8B --base-url http://localhost:8000/v1
      rarr calibrate embedded+vllm:Qwen/Qwen3-8B --base-url http://localhost:8000/v1
      rarr calibrate vllm:Qwen/Qwen3-8B pairs.jsonl --precision 0.95
    """
    from rarr.backends.judge_name_parsing import judges_in
    from rarr.settings import Settings

    settings = Settings(**options.given(model=model, base_url=base_url, prompts=prompts))
    combined = len(judges_in(model)) > 1
    if combined and precision is not None:
        raise InputError(
            "--precision belongs to one language model, and a combination is used with support_threshold:"
            " leave it out"
        )
    try:
        if combined:
            return _combine(settings, data, out)
        return _calibrate(settings, data, out, precision)
    except ModelError as error:
        return complain(str(error), 3)


def _calibrate(settings: "Settings", data: Path | None, out: Path | None, precision: float | None) -> int:
    from rarr.backends.prompted.model_calibration import calibration_path, write_calibration
    from rarr.training import judge_calibration
    from rarr.training.labelled_pairs import read_pairs
    from rarr.views.terminal.progress_line import Waiting

    precision = judge_calibration.PRECISION if precision is None else precision
    with Waiting(watched=sys.stderr.isatty()) as waiting:
        report = judge_calibration.calibrate(
            read_pairs(data),
            settings,
            precision=precision,
            on_pair=lambda done, total: waiting.say(f"{done} of {counted(total, 'pair')}"),
        )
    path: Path = out or calibration_path(settings.home, report.model)
    kept = _kept(path, report)
    if kept is not None:
        write_calibration(path, kept, private=out is None)
    elif out is None:
        path.unlink(missing_ok=True)  # an earlier calibration of a judgement that has no threshold now
    write(_shown(report, path, kept=kept is not None, used=out is None))
    refused = [part.judgement for part in report.judgements if part.calibration is None]
    for judgement in refused:
        warn(
            f"no threshold is right for {precision:.0%} of the pairs that it calls {_WORDS[judgement]}:"
            f" the word of {report.model} goes on deciding; try a larger model, or a lower --precision"
        )
    return 4 if refused else 0


def _combine(settings: "Settings", data: Path | None, out: Path | None) -> int:
    from rarr.backends.prompted.model_calibration import calibration_path, write_calibration
    from rarr.tools.text.warning_lines import grouped
    from rarr.training.judge_combination import combine
    from rarr.training.labelled_pairs import read_pairs
    from rarr.views.terminal.progress_line import Waiting

    with Waiting(watched=sys.stderr.isatty()) as waiting:
        report = combine(
            read_pairs(data),
            settings,
            on_pair=lambda done, total: waiting.say(f"{done} of {counted(total, 'pair')}"),
        )
    path: Path = out or calibration_path(settings.home, settings.model)
    write_calibration(path, report.weights, private=out is None)
    write(_shown_combination(report, settings.support_threshold, path, used=out is None))
    left_out = {name: count for name, count in report.unjudged.items() if count}
    for name, count in left_out.items():
        warn(f"{counted(count, 'pair')} left out, which {name} could not judge")
    for line in grouped(report.warnings):
        warn(line)
    return 0


_WORDS = {"support": "supported", "intent": "preserved"}


def _kept(path: Path, report: "CalibrationReport") -> "ModelCalibration | None":
    """Returns the new calibrations, with the earlier ones of judgements that the data have no pairs about."""
    from rarr.backends.prompted.model_calibration import read_calibration

    earlier = None
    with suppress(SettingsError):  # a damaged file is replaced
        earlier = read_calibration(path, report.model)
    asked = {part.judgement for part in report.judgements}
    known = earlier.judgements if earlier is not None and earlier.model == report.model else {}
    others = {judgement: made for judgement, made in known.items() if judgement not in asked}
    newest = report.kept or earlier
    judgements = others | (report.kept.judgements if report.kept else {})
    return newest.model_copy(update={"judgements": judgements}) if newest and judgements else None


def _shown(report: "CalibrationReport", path: Path, *, kept: bool, used: bool) -> str:
    lines = [line for judgement in report.judgements for line in _table(judgement)]
    lines.append(_spent(report.usage))
    if kept:
        lines.append(f"calibration: {path}, {_effect(report.model, used=used)}")
    return "\n".join(lines) + "\n"


def _shown_combination(report: "CombinationReport", threshold: float, path: Path, *, used: bool) -> str:
    regression = report.weights.regression
    rows = {
        "fitted half, held out in folds": report.folds,
        "other half": report.other_half,
        **{f"other half, by {name}": figures for name, figures in report.alone.items()},
    }
    weights = ", ".join(f"{name} {weight:.2f}" for name, weight in regression.weights.items())
    lines = [
        *_rows(f"supported, from {threshold:.2f} on", rows),
        f"weights: {weights}; constant {regression.bias:.2f}",
        _spent(report.usage),
        f"calibration: {path}, {_effect(report.weights.judge, used=used)}",
    ]
    return "\n".join(lines) + "\n"


def _spent(usage: "Usage") -> str:
    return (
        f"spent: {counted(usage.model_calls, 'model call')}, {counted(usage.input_tokens, 'token')} in,"
        f" {usage.output_tokens:,} out, {usage.seconds:.0f} seconds"
    )


def _effect(judge: str, *, used: bool) -> str:
    if used:
        return f"used by runs in which {judge} judges"
    return "not used until it is in the data folder"


def _table(report: "JudgementReport") -> list[str]:
    word, calibration = _WORDS[report.judgement], report.calibration
    threshold = "no threshold" if calibration is None else f"from {calibration.regression.threshold:.2f} on"
    rows = {
        "fitted half, held out in folds": report.folds,
        "other half": report.other_half,
        'other half, by the word "yes"': report.by_word,
    }
    return _rows(f"{word}, {threshold}", rows)


def _rows(title: str, rows: Mapping[str, "JudgeFigures"]) -> list[str]:
    head = f"{title:<32} {'pairs':>5} {'AUC':>5} {'precision':>13} {'recall':>13} {'Brier':>6}"
    return [head, *(_row(name, figures) for name, figures in rows.items()), ""]


def _row(name: str, figures: "JudgeFigures") -> str:
    auc = "-" if figures.auc is None else f"{figures.auc:.2f}"
    precision, recall = _share(figures.right, figures.called), _share(figures.right, figures.true)
    return f"  {name:<30} {figures.pairs:>5} {auc:>5} {precision:>13} {recall:>13} {figures.brier:>6.3f}"


def _share(part: int, whole: int) -> str:
    return f"{part}/{whole} = {part / whole:.2f}" if whole else f"{part}/{whole}"
