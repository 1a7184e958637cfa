"""What tests share that need weights of several judges."""

from rarr.backends.judge_weights import JudgeWeights
from rarr.backends.logistic import Logistic
from rarr.testing import RETRIEVED_AT

NAMES = {"embedded": "embedded", "rules": "rules", "nli": "nli:n", "model": "vllm:a"}


def judge_weights(bias: float = 0.0, versions: str = "", **by_judge: float) -> JudgeWeights:
    """The weights of these judges, by their short names, in this order."""
    weights = {NAMES[name]: weight for name, weight in by_judge.items()}
    return JudgeWeights(
        judge="+".join(weights),
        made_at=RETRIEVED_AT,
        versions=versions,
        regression=Logistic(bias=bias, weights=weights),
        pairs=80,
    )
