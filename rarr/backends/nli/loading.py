"""Loads a model for entailment, and reads from its config how it takes evidence and claim and how it answers.

kind                      reads                                      says
classifier                the pair, evidence first                   its labels, or one logit
MiniCheck's classifiers   EVIDENCE, end of sequence, CLAIM           the second of two labels
TRUE, TrueTeacher (T5)    premise: EVIDENCE hypothesis: CLAIM        first token of 1 against that of 0
MiniCheck-Flan-T5         predict: EVIDENCE, end of sequence, CLAIM  the same

Sources: the pair is that of the model cards of MNLI models; TRUE's prompt and its 512 tokens are those of
ExpertQA's autoais.py (Malaviya et al. 2023; TRUE: Honovich et al. 2022), which TrueTeacher has too (Gekhman
et al. 2023); MiniCheck's are those of minicheck/inference.py in Liyan06/MiniCheck (Tang et al. 2024), where
the two tokens are 3 and 209 of T5, the first ones of "0" and "1".
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rarr.errors import SettingsError, SetupError
from rarr.records import AttributionClass
from rarr.tools.models.hub import INSTALL, can_be_model, loaded, one_line

_SUPPORT = {"entailment", "entails", "entailed", "supported", "supports", "attributable", "consistent"}
_CONTRADICTION = {"contradiction", "contradicts", "contradicted", "contradictory", "refuted", "refutes"}
_NEITHER = {
    *("neutral", "extrapolatory", "notenoughinfo", "notentailment", "nonentailment", "notsupported"),
    *("unsupported", "inconsistent"),
}
_UNNAMED = re.compile(r"label\d+")
_CHOICE = (
    "choose a model for natural language inference, such as MoritzLaurer/DeBERTa-v3-base-mnli-fever-anli"
    " or lytang/MiniCheck-Flan-T5-Large"
)
_T5 = ("T5ForConditionalGeneration", "MT5ForConditionalGeneration")


class EntailmentJudgement(NamedTuple):
    """Probabilities that an evidence entails and contradicts a claim; None: the model has no such label."""

    support: float
    contradiction: float | None = None


class Outputs(NamedTuple):
    """The index of a model's output for support, and the index for contradiction, if there is one."""

    support: int
    contradiction: int | None = None

    def judgement(self, logits: Sequence[float]) -> EntailmentJudgement:
        """Turns logits into probabilities by softmax; a single logit (as of HHEM-1) stands against 0."""
        whole = [0.0, *logits] if len(logits) == 1 else logits
        powers = [math.exp(logit - max(whole)) for logit in whole]
        shares = [power / sum(powers) for power in powers]
        contradiction = None if self.contradiction is None else shares[self.contradiction]
        return EntailmentJudgement(shares[self.support], contradiction)


class ModelShape(NamedTuple):
    """How a model is asked: its prompt (None: a pair of texts), its outputs, its limit in tokens.

    A model that `generates` answers by the logits of the first tokens of "0" and "1". Without a
    `limit`, the tokenizer and the config have one.
    """

    prompt: str | None
    outputs: Outputs
    limit: int | None = None
    generates: bool = False


def outputs_of(id2label: Mapping[int, str], name: str) -> Outputs:
    """Finds the outputs of the classifier `name`, by its labels in any order and case.

    A single output is support, whatever its name. Of two outputs without names the second is support, as in
    MiniCheck's classifiers (Tang et al. 2024; minicheck/inference.py of Liyan06/MiniCheck). Raises
    `SetupError` where the names do not identify the outputs.
    """
    labels = [re.sub(r"[\W_]", "", str(id2label[index]).lower()) for index in sorted(id2label)]
    if len(labels) == 1 or (len(labels) == 2 and all(map(_UNNAMED.fullmatch, labels))):
        return Outputs(1)
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
    return Outputs(support[0], contradiction[0] if contradiction else None)


def shape_of(config: Any, name: str) -> ModelShape:
    """Finds the shape of the model `name`, from its transformers config.

    No config contains prompts: T5 models, and classifiers with two unnamed labels, are recognised as
    MiniCheck or TRUE by name. Raises `SetupError` for any other model.
    """
    own = Path(name).name.lower()  # without the name of its owner or of the folders around it
    architecture = (getattr(config, "architectures", None) or [""])[0]
    if architecture.endswith("ForSequenceClassification"):
        prompt = "{evidence}{end}{claim}" if "minicheck" in own else None
        return ModelShape(prompt, outputs_of(config.id2label, name))
    if architecture not in _T5:
        raise SetupError(f"model 'nli:{name}' is a {architecture or 'model of no known kind'}: {_CHOICE}")
    if "minicheck" in own:
        return ModelShape("predict: {evidence}{end}{claim}", Outputs(1), 2048, generates=True)
    if "true" in own:
        return ModelShape("premise: {evidence} hypothesis: {claim}", Outputs(1), 512, generates=True)
    raise SetupError(
        f"model 'nli:{name}' is a T5, and its prompt is not known: give its folder a name with true in it"
        " for the prompt of TRUE, or with minicheck for that of MiniCheck"
    )


def loaded_model(name: str) -> tuple[Any, Any, ModelShape, Any]:
    """Loads the model `name`, in evaluation mode, on a GPU if torch finds one.

    Returns the model, its tokenizer, its shape and the module `torch`. The config is loaded first, so that no
    model is downloaded and then refused. Code that comes with a model is not run. Raises `SettingsError` for
    a name that can be no model. Raises `SetupError` where the extra is not installed, or the model cannot be
    loaded or is no verifier.
    """
    if not can_be_model(name):
        raise SettingsError(
            f"unknown model 'nli:{name}': give the folder of a model, or its name on the hub, such as"
            " nli:MoritzLaurer/DeBERTa-v3-base-mnli-fever-anli"
        )
    try:
        import torch
        import transformers
    except ImportError as error:
        raise SetupError(f"model 'nli:{name}' cannot be loaded ({one_line(error)}): {INSTALL}") from error
    shape = shape_of(_had(name, transformers.AutoConfig), name)
    tokenizer = _had(name, transformers.AutoTokenizer)
    kind = "AutoModelForSeq2SeqLM" if shape.generates else "AutoModelForSequenceClassification"
    model, report = _had(name, getattr(transformers, kind), output_loading_info=True)
    if lacking := sorted(report["missing_keys"]):
        raise SetupError(
            f"model 'nli:{name}' lacks weights, {lacking[0]} among them, so that its answers would be random:"
            " choose one that was trained for natural language inference"
        )
    device = "cuda" if torch.cuda.is_available() else "cpu"
    if device == "cpu":
        model = model.float()  # halves are slow there
    return model.to(device).eval(), tokenizer, shape, torch


def _had(name: str, kind: Any, **options: Any) -> Any:
    """Loads the files of `name` as an object of `kind`, a class of transformers. Raises `SetupError`."""
    made: Callable[[str, bool], Any] = lambda path, local: kind.from_pretrained(  # noqa: E731
        path, local_files_only=local, trust_remote_code=False, **options
    )
    try:
        return loaded(name, made)
    except Exception as error:  # the hub, the network and the file formats have exceptions of their own
        reason = f"cannot be loaded ({one_line(error)}): check name and connection, or give the folder"
        # What was downloaded before is refused first, and then perhaps the hub cannot be reached.
        if "trust_remote_code" in f"{error} {error.__context__}":
            reason = f"needs Python code of its own, which is not run here: {_CHOICE}"
        raise SetupError(f"model 'nli:{name}' {reason}") from error


def attribution_class(support: float | None, threshold: float) -> AttributionClass | None:
    """Chooses the class of AttrScore (Yue et al. 2023) by a support from 0 to 1; None if not judged."""
    if support is None:
        return None
    return "attributable" if support >= threshold else "extrapolatory"
