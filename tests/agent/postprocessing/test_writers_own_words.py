"""The writer's own words: politeness and refusals state nothing to confirm; claims behind an "I" do."""

import pytest

from rarr import postprocess
from rarr.agent.postprocessing.writers_own_words import is_about_its_writer


@pytest.mark.parametrize(
    "sentence",
    [
        "I'm sorry, I can't help with that.",
        "I’m sorry, but I cannot assist with this request.",
        "As an AI, I cannot give medical advice.",
        "I don't know.",
        "I'd be happy to help with anything else.",
        "Let me know if you need anything else!",
        "Feel free to ask me about other dams.",
        "If you tell me more, I can help you better.",
    ],
)
def test_politeness_and_refusals_are_about_the_writer(sentence: str) -> None:
    assert is_about_its_writer(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "It must be taken during pregnancy.",
        "You must take it with food.",
        "I think aspirin is safe.",
        "I believe aspirin never fails.",
        "I'm sorry, aspirin cannot help with headaches.",
        "I am not allowed to say the drug is unsafe.",
        "I cannot overstate how aspirin always harms children.",
        "I can't, because aspirin always kills children.",
        "Trust me, aspirin never harms children.",
        "The pump never failed me.",
        "I was born in 1950.",
        "I never met Mussolini.",
        "“I can't help”, said no director.",
    ],
)
def test_a_claim_about_anything_else_is_none(sentence: str) -> None:
    assert not is_about_its_writer(sentence)


def test_no_mark_stands_behind_a_refusal() -> None:
    answer = "I'm sorry, I can't help with that. The Hoover Dam belongs to Mr Smith."
    source = "Hoover Dam is 221 metres high."
    result = postprocess(answer, sources=[source], search="given", mode="annotate")
    assert result.text == f"{answer}[not confirmed]"
    assert result.notice == "1 not confirmed, 1 not checked"
