"""Tests the prompted verifier: full support, no support, and an error if a sentence was not judged."""

import pytest
from makers import evidence

from backends.prompted.helpers import PROMPTS, answering, asked_of, language_model
from rarr.backends.prompted.judging import WORDINGS, PromptedVerifier, parse_judge
from rarr.errors import ModelError, SettingsError
from rarr.evals.rows import ATTRIBUTION_CLASSES
from rarr.testing import ScriptedModel
from rarr.tools.text.blocks_and_sentences import Span, sentences

TEXT = "The mill is old. It burned in 1921. It was rebuilt."
FOUND = evidence("The mill burned in 1923.")


def verifier(chat: ScriptedModel) -> PromptedVerifier:
    return PromptedVerifier(language_model(chat), PROMPTS)


async def test_each_sentence_is_judged_with_the_one_before_and_only_attributable_ones_are_supported() -> None:
    spans, verdicts = sentences(TEXT), ("extrapolatory", "attributable", "contradictory")
    by_text = {f"<text>\n{it.of(TEXT)}\n": verdict for it, verdict in zip(spans, verdicts, strict=True)}
    chat = ScriptedModel(lambda asked: {"verdict": next(by_text[it] for it in by_text if it in asked.user)})
    assert await verifier(chat).support(TEXT, None, spans, FOUND) == [0.0, 1.0, 0.0]
    shown = [asked_of(chat, number) for number in range(3)]
    assert [it["text"] for it in shown] == [it.of(TEXT) for it in spans]
    assert [it["before"] for it in shown] == ["(none)", "The mill is old.", "It burned in 1921."]


async def test_a_cell_of_a_table_is_judged_with_its_headers() -> None:
    text = "| Mill | Burned |\n|---|---|\n| Old mill | 1921 |\n"
    chat = answering({"reason": "", "verdict": "attributable"})
    await verifier(chat).support(text, None, sentences(text), FOUND)
    assert "Old mill: Burned is 1921" in asked_of(chat)["text"]


async def test_unreadable_answer_is_no_support_of_either_kind() -> None:
    with pytest.raises(ModelError, match="cannot be read"):
        await verifier(answering({"verdict": "supported"})).support(TEXT, None, sentences(TEXT)[:1], FOUND)


WORDS = {
    "attribution": ("attributable", "extrapolatory", "contradictory"),
    "facts": ("supported", "not enough information", "refuted"),
    "nli": ("entailment", "neutral", "contradiction"),
    "summary": ("consistent", "not in the document", "inconsistent"),
}


@pytest.mark.parametrize("wording", WORDINGS)
async def test_a_wording_of_attrscore_shows_question_and_claim_and_has_its_own_words(wording: str) -> None:
    for word, label in zip(WORDS[wording], ATTRIBUTION_CLASSES, strict=True):
        chat = answering({"verdict": word.upper(), "reason": ""})
        judge = PromptedVerifier(language_model(chat), PROMPTS, prompt=f"judge_as_{wording}")
        assert await judge.classify("In 1921.", "When did it burn?", [Span(0, 8)], FOUND) == [label]
        assert asked_of(chat) == {"claim": "When did it burn? In 1921.", "evidence": FOUND.text}


def test_the_name_of_a_judge_tells_its_wording_and_whom_it_asks() -> None:
    assert parse_judge("openai:m", "embedded") == ("judge_attribution", "openai:m")
    assert parse_judge("attrscore:facts", "ollama:m") == ("judge_as_facts", "ollama:m")
    assert parse_judge("attrscore:nli:vllm:a/b", "embedded") == ("judge_as_nli", "vllm:a/b")
    for wrong, model in (("attrscore:none", "ollama:m"), ("attrscore:facts", "embedded")):
        with pytest.raises(SettingsError, match="give attrscore:WORDING:MODEL"):
            parse_judge(wrong, model)
