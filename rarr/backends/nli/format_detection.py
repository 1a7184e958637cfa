"""Reads from a model's config, before its download, how it takes evidence and claim and how it answers.

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

from pathlib import Path
from typing import Any, NamedTuple

from rarr.backends.nli.labels import Outputs, outputs_of
from rarr.errors import SetupError

_CHOICE = (
    "choose a model for natural language inference, such as MoritzLaurer/DeBERTa-v3-base-mnli-fever-anli"
    " or lytang/MiniCheck-Flan-T5-Large"
)
_CLASSIFIERS = "ForSequenceClassification"
_SEQ2SEQ = ("T5ForConditionalGeneration", "MT5ForConditionalGeneration")


class ModelShape(NamedTuple):
    """A model's class in transformers, its prompt (None: a pair of texts), its outputs and its limit.

    `limit` is in tokens; None: the limit of the tokenizer and the config. The outputs of a T5 are the
    logits of the first tokens of "0" and "1".
    """

    loader: str
    prompt: str | None
    outputs: Outputs
    limit: int | None = None

    @property
    def generates(self) -> bool:
        return self.loader == "AutoModelForSeq2SeqLM"


def shape_of(config: Any, name: str) -> ModelShape:
    """Finds the shape of the model `name`, from its transformers config.

    No config contains prompts: T5 models, and classifiers with two unnamed labels, are recognised as
    MiniCheck or TRUE by name. Raises `SetupError` for any other model.
    """
    own = Path(name).name.lower()  # without the name of its owner or of the folders around it
    minicheck = "minicheck" in own
    architecture = (getattr(config, "architectures", None) or [""])[0]
    if architecture.endswith(_CLASSIFIERS):
        prompt = "{evidence}{end}{claim}" if minicheck else None
        return ModelShape("AutoModelForSequenceClassification", prompt, outputs_of(config.id2label, name))
    if architecture not in _SEQ2SEQ:
        raise SetupError(f"model 'nli:{name}' is a {architecture or 'model of no known kind'}: {_CHOICE}")
    if minicheck:
        return ModelShape("AutoModelForSeq2SeqLM", "predict: {evidence}{end}{claim}", Outputs(1), 2048)
    if "true" in own:
        return ModelShape("AutoModelForSeq2SeqLM", "premise: {evidence} hypothesis: {claim}", Outputs(1), 512)
    raise SetupError(
        f"model 'nli:{name}' is a T5, and its prompt is not known: give its folder a name with true in it"
        " for the prompt of TRUE, or with minicheck for that of MiniCheck"
    )
