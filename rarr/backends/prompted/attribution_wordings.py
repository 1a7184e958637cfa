"""Declares the four wordings in which a language model is asked about support, after AttrScore.

Yue et al. 2023 ask about attribution, and compare the wordings of three tasks with more data in the world:
fact-checking, natural language inference, and the checking of summaries. Their labels map to the same classes
(prompt_and_demo/task_prompts.json of OSU-NLP-Group/AttrScore).
"""

from collections.abc import Mapping
from typing import Literal, NamedTuple

from pydantic import BaseModel

from rarr.records import AttributionClass
from rarr.settings import Wording


class AttributionAnswer(BaseModel):
    """The model's answer: the class of the sentence, and why."""

    reason: str = ""
    verdict: AttributionClass


class FactsAnswer(BaseModel):
    """The model's answer as a fact-checker: is the sentence supported or refuted, or neither, and why?"""

    reason: str = ""
    verdict: Literal["supported", "not enough information", "refuted"]


class InferenceAnswer(BaseModel):
    """The model's answer about a premise and a hypothesis: entailment, neutral or contradiction, and why."""

    reason: str = ""
    verdict: Literal["entailment", "neutral", "contradiction"]


class SummaryAnswer(BaseModel):
    """The model's answer about a source text and its summary: does the text support it, and why?"""

    reason: str = ""
    verdict: Literal["support", "not enough information", "contradict"]


class WordedQuestion(NamedTuple):
    """A way to ask a model about support: a prompt's name, the answer's shape, the class of each label."""

    prompt: str
    shape: type[AttributionAnswer | FactsAnswer | InferenceAnswer | SummaryAnswer]
    classes: Mapping[str, AttributionClass]


WORDINGS: Mapping[Wording, WordedQuestion] = {
    "attribution": WordedQuestion(
        "judge_attribution",
        AttributionAnswer,
        {
            "attributable": "attributable",
            "extrapolatory": "extrapolatory",
            "contradictory": "contradictory",
        },
    ),
    "facts": WordedQuestion(
        "judge_as_facts",
        FactsAnswer,
        {
            "supported": "attributable",
            "not enough information": "extrapolatory",
            "refuted": "contradictory",
        },
    ),
    "nli": WordedQuestion(
        "judge_as_nli",
        InferenceAnswer,
        {"entailment": "attributable", "neutral": "extrapolatory", "contradiction": "contradictory"},
    ),
    "summary": WordedQuestion(
        "judge_as_summary",
        SummaryAnswer,
        {
            "support": "attributable",
            "not enough information": "extrapolatory",
            "contradict": "contradictory",
        },
    ),
}
