"""`rarr calibrate`: fits how probable the "yes" of a language model has to be where it judges."""

import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from rarr.cli import options
from rarr.cli.streams import complain, warn, write
from rarr.errors import ModelError, SettingsError
from rarr.tools.text.plurals_and_articles import counted

if TYPE_CHECKING:
    from rarr.backends.prompted.model_calibration import ModelCalibration
    from rarr.training.judge_calibration import CalibrationReport, JudgeFigures, JudgementReport


def calibrate(
    model: options.JudgingModel,
    data: options.Pairs = None,
    out: options.CalibrationFile = None,
    base_url: options.BaseUrl = None,
    prompts: options.Prompts = None,
    precision: options.Precision = 0.9,
) -> int:
    """Calibrate a language model that judges support or intent.

    Asks the model about labelled pairs, and fits its probability of "yes" on one half of them. The other
    half is used only to measure. From then on, runs in which this model judges support (models attribute)
    or intent (models evaluate) use the probability instead of the model's word. The server has to give
    logprobs, as vLLM and llama.cpp do. DATA has a pair a line: "claim", "evidence" and "supported", or
    "text", "revision" and "preserved", each true or false, and optionally "half": fit or measure. Without
    DATA, the pairs that ship are used. Exit status: 0 done; 2 the call or DATA is wrong; 3 the model
    could not be asked; 4 a judgement does not reach the precision, and keeps the word.

    \b
    Examples:
      rarr calibrate vllm:Qwen/Qwen3-8B --base-url http://localhost:8000/v1
      rarr calibrate vllm:Qwen/Qwen3-8B pairs.jsonl --precision 0.95
    """
    from rarr.backends.prompted.model_calibration import calibration_path, write_calibration
    from rarr.settings import Settings
    from rarr.training import judge_calibration
    from rarr.training.labelled_pairs import read_pairs
    from rarr.views.terminal.progress_line import Waiting

    settings = Settings(**options.given(model=model, base_url=base_url, prompts=prompts))
    try:
        with Waiting(watched=sys.stderr.isatty()) as waiting:
            report = judge_calibration.calibrate(
                read_pairs(data),
                settings,
                precision=precision,
                on_pair=lambda done, total: waiting.say(f"{done} of {counted(total, 'pair')}"),
            )
    except ModelError as error:
        return complain(str(error), 3)
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
    spent = report.usage
    lines.append(
        f"spent: {counted(spent.model_calls, 'model call')}, {counted(spent.input_tokens, 'token')} in,"
        f" {spent.output_tokens:,} out, {spent.seconds:.0f} seconds"
    )
    if kept:
        effect = f"used by runs in which {report.model} judges" if used else "not used until it is"
        where = "" if used else " in the data folder"
        lines.append(f"calibration: {path}, {effect}{where}")
    return "\n".join(lines) + "\n"


def _table(report: "JudgementReport") -> list[str]:
    word, calibration = _WORDS[report.judgement], report.calibration
    threshold = "no threshold" if calibration is None else f"from {calibration.regression.threshold:.2f} on"
    rows = {
        "fitted half, held out in folds": report.folds,
        "other half": report.other_half,
        'other half, by the word "yes"': report.by_word,
    }
    head = (
        f"{f'{word}, {threshold}':<32} {'pairs':>5} {'AUC':>5} {'precision':>13} {'recall':>13} {'Brier':>6}"
    )
    return [head, *(_row(name, figures) for name, figures in rows.items()), ""]


def _row(name: str, figures: "JudgeFigures") -> str:
    auc = "-" if figures.auc is None else f"{figures.auc:.2f}"
    precision, recall = _share(figures.right, figures.called), _share(figures.right, figures.true)
    return f"  {name:<30} {figures.pairs:>5} {auc:>5} {precision:>13} {recall:>13} {figures.brier:>6.3f}"


def _share(part: int, whole: int) -> str:
    return f"{part}/{whole} = {part / whole:.2f}" if whole else f"{part}/{whole}"
