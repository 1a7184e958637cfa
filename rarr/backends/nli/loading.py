"""Loads a model for entailment. Its config and its name tell how to call it and how to read its output.

kind                      input                                      output for "supported"
classifier                the pair, evidence first                   the label of entailment, or the one logit
MiniCheck's classifiers   EVIDENCE, end of sequence, CLAIM           the second of two labels
TRUE, TrueTeacher (T5)    premise: EVIDENCE hypothesis: CLAIM        the first token of "1", instead of "0"
MiniCheck-Flan-T5         predict: EVIDENCE, end of sequence, CLAIM  the same tokens

Sources: the model cards of MNLI models for the pair; autoais.py of ExpertQA for TRUE's prompt and limit of
512 tokens (Malaviya et al. 2023; TRUE: Honovich et al. 2022), and for TrueTeacher (Gekhman et al. 2023);
minicheck/inference.py in Liyan06/MiniCheck for MiniCheck (Tang et al. 2024). For T5, the first tokens of "0"
and "1" are 3 and 209.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rarr.errors import SettingsError, SetupError
from rarr.records import AttributionClass
from rarr.tools.models.hub import INSTALL, is_folder_or_hub_name, load_from_hub, one_line

_SUPPORT = {"entailment", "entails", "entailed", "supported", "supports", "attributable", "consistent"}
_CONTRADICTION = {"contradiction", "contradicts", "contradicted", "contradictory", "refuted", "refutes"}
_NEITHER = {"neutral", "extrapolatory", "notenoughinfo", "unsupported", "inconsistent"}
_NEITHER |= {"notentailment", "nonentailment", "notsupported"}
_UNNAMED_LABEL = re.compile(r"label\d+")
_CHOICE = (
    "choose a model for natural language inference, such as MoritzLaurer/DeBERTa-v3-base-mnli-fever-anli"
    " or lytang/MiniCheck-Flan-T5-Large"
)
_T5 = ("T5ForConditionalGeneration", "MT5ForConditionalGeneration")


class EntailmentJudgement(NamedTuple):
    """The probability that evidence supports a claim, and that it contradicts the claim (None: unknown)."""

    support: float
    contradiction: float | None = None


class LogitIndexes(NamedTuple):
    """The index of the logit for support, and of the logit for contradiction (None: no such logit)."""

    support: int
    contradiction: int | None = None

    def judgement_of_logits(self, logits: Sequence[float]) -> EntailmentJudgement:
        """Computes probabilities by softmax. For a model with one logit (HHEM-1), adds a logit of 0."""
        whole = [0.0, *logits] if len(logits) == 1 else logits
        powers = [math.exp(logit - max(whole)) for logit in whole]
        shares = [power / sum(powers) for power in powers]
        contradiction = None if self.contradiction is None else shares[self.contradiction]
        return EntailmentJudgement(shares[self.support], contradiction)


class CallFormat(NamedTuple):
    """The way to call a model. `prompt`: the template of an input; None: the input is a pair of texts.

    `limit`: the most tokens of an input; None: the limit of the tokenizer and the config. `generates`:
    whether the model writes "0" or "1"; then the logits of these tokens are the output.
    """

    prompt: str | None
    outputs: LogitIndexes
    limit: int | None = None
    generates: bool = False


def logit_indexes(id2label: Mapping[int, str], name: str) -> LogitIndexes:
    """Finds the logits of the classifier `name` by its labels, in any order and case.

    A single logit always means support. Of two logits with the labels LABEL_0 and LABEL_1, the second means
    support, as in MiniCheck. Raises `SetupError` if the labels do not identify the logits.
    """
    labels = [re.sub(r"[\W_]", "", str(id2label[index]).lower()) for index in sorted(id2label)]
    if len(labels) == 1 or (len(labels) == 2 and all(map(_UNNAMED_LABEL.fullmatch, labels))):
        return LogitIndexes(1)
    support, contradiction, neither = (
        [index for index, label in enumerate(labels) if label in names]
        for names in (_SUPPORT, _CONTRADICTION, _NEITHER)
    )
    if len(support) != 1 or len(contradiction) > 1 or len(labels) != 1 + len(contradiction) + len(neither):
        raise SetupError(
            f"model 'nli:{name}' has the labels {', '.join(map(str, id2label.values()))}, not entailment,"
            " neutral and contradiction: name them in id2label of its config.json, or choose a model for"
            " natural language inference"
        )
    return LogitIndexes(support[0], contradiction[0] if contradiction else None)


def format_of(config: Any, name: str) -> CallFormat:
    """Returns the way to call the model `name`. The `config` (of transformers) tells the kind of model.

    The config does not tell the prompt. Therefore the word "minicheck" or "true" in the name selects the
    prompt. Raises `SetupError` for another kind of model, and for a T5 with another name.
    """
    own = Path(name).name.lower()  # without the owner and without folders
    architecture = (getattr(config, "architectures", None) or [""])[0]
    if architecture.endswith("ForSequenceClassification"):
        prompt = "{evidence}{end}{claim}" if "minicheck" in own else None
        return CallFormat(prompt, logit_indexes(config.id2label, name))
    if architecture not in _T5:
        raise SetupError(f"model 'nli:{name}' is a {architecture or 'model of an unknown kind'}: {_CHOICE}")
    if "minicheck" in own:
        return CallFormat("predict: {evidence}{end}{claim}", LogitIndexes(1), 2048, generates=True)
    if "true" in own:
        return CallFormat("premise: {evidence} hypothesis: {claim}", LogitIndexes(1), 512, generates=True)
    raise SetupError(
        f"model 'nli:{name}' is a T5 with an unknown prompt: rename its folder, with true in the name for the"
        " prompt of TRUE, or with minicheck for the prompt of MiniCheck"
    )


def load_model(name: str) -> tuple[Any, Any, CallFormat, Any]:
    """Loads the model `name` in evaluation mode, on a GPU if torch finds a GPU.

    Returns the model, its tokenizer, its call format and the module `torch`. Checks the config before the
    download of the model. Runs no code from the model. Raises `SettingsError` if `name` is neither a folder
    nor a name of the hub. Raises `SetupError` if the extra `torch` is missing or the model cannot be used.
    """
    if not is_folder_or_hub_name(name):
        raise SettingsError(
            f"unknown model 'nli:{name}': give the folder of a model, or its name on the hub, such as"
            " nli:MoritzLaurer/DeBERTa-v3-base-mnli-fever-anli"
        )
    try:
        import torch
        import transformers
    except ImportError as error:
        raise SetupError(f"model 'nli:{name}' cannot be loaded ({one_line(error)}): {INSTALL}") from error
    shape = format_of(_load_part(name, transformers.AutoConfig), name)
    tokenizer = _load_part(name, transformers.AutoTokenizer)
    kind = "AutoModelForSeq2SeqLM" if shape.generates else "AutoModelForSequenceClassification"
    model, report = _load_part(name, getattr(transformers, kind), output_loading_info=True)
    if lacking := sorted(report["missing_keys"]):
        raise SetupError(
            f"model 'nli:{name}' lacks weights, such as {lacking[0]}, so its answers would be random:"
            " choose a model that was trained for natural language inference"
        )
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = model.float() if device == "cpu" else model  # a CPU is slow with 16 bits
    return model.to(device).eval(), tokenizer, shape, torch


def _load_part(name: str, kind: Any, **options: Any) -> Any:
    """Loads the config, tokenizer or model `name` by `kind`, a class of transformers. Raises `SetupError`."""
    made: Callable[[str, bool], Any] = lambda path, local: kind.from_pretrained(  # noqa: E731
        path, local_files_only=local, trust_remote_code=False, **options
    )
    return load_from_hub(f"model 'nli:{name}'", name, made)


def attribution_class(support: float | None, threshold: float) -> AttributionClass | None:
    """Returns `attributable` from `threshold` on, else `extrapolatory`; None if `support` is None."""
    return None if support is None else "attributable" if support >= threshold else "extrapolatory"
