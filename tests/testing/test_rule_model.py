"""A stand-in for a language model, prompt by prompt."""

import json
import subprocess
import sys
from typing import Any

import pytest

from rarr import prompts
from rarr.testing import Asked, RuleModel, ScriptedModel, ScriptedServer, UnansweredError
from rarr.tools.models.chat import ChatRequest, Message
from testing.conftest import Ask as Post

TEXT = "Bergen is a town. The Ferry Library opened in 1976."
SENTENCE = {"before": "Bergen is a town.", "text": "The Ferry Library opened in 1976."}
QUERY = "The Ferry Library opened in what?"
EVIDENCE = "The Ferry Library opened in 1981."


def messages(name: str, **variables: str) -> tuple[Message, ...]:
    prompt = prompts.load(name)
    return Message("system", prompt.system), Message("user", prompt.render(**variables))


def answer(name: str, **variables: str) -> Any:
    return json.loads(RuleModel()(Asked(prompt=name, messages=messages(name, **variables))))


def test_queries_name_what_they_are_about() -> None:
    asked = answer("generate_queries", text=TEXT)["questions"]
    assert {"question": QUERY, "about": "1976"} in asked


def test_query_does_not_tell_the_value() -> None:
    assert all(
        "1976" not in asked["question"] for asked in answer("generate_queries", text=TEXT)["questions"]
    )


def test_queries_in_context_take_their_subject_from_it() -> None:
    asked = answer(
        "generate_queries_in_context", context="When did the Ferry Library open?", text="It opened in 1976."
    )
    assert "Ferry Library" in asked["questions"][0]["question"]


def test_agreement_compares_the_values_that_the_query_asks_for() -> None:
    parsed = answer("check_agreement_paper", **SENTENCE, query=QUERY, evidence=EVIDENCE)
    assert (parsed["verdict"], parsed["text_answer"], parsed["evidence_answer"]) == (
        "disagrees",
        "1976",
        "1981",
    )
    assert list(parsed) == list(prompts.load("check_agreement_paper").output["properties"])


def test_agreement_of_a_query_in_other_words() -> None:
    query = "When did the Ferry Library open?"
    parsed = answer(
        "check_agreement_paper", **SENTENCE, query=query, evidence=EVIDENCE.replace("1981", "1976")
    )
    assert parsed["verdict"] == "agrees"


def test_agreement_in_context() -> None:
    parsed = answer(
        "check_agreement_paper_in_context",
        context="When did the Ferry Library open?",
        before="(none)",
        text=SENTENCE["text"],
        query=QUERY,
        evidence=EVIDENCE,
    )
    assert parsed["verdict"] == "disagrees"


SOURCES = "P1: Ferry\n(P1.1) The Ferry Library opened in 1981.\n(P1.2) The Ferry Library is in Bergen."


@pytest.mark.parametrize(("name", "other"), [("check_agreement", "none"), ("check_agreement_doubt", "open")])
def test_cards_cite_the_nearest_line(name: str, other: str) -> None:
    text = "[S1] The Ferry Library is in Bergen. [S2] The Ferry Library opened in 1976. [S3] Well."
    cards = answer(name, sources=SOURCES, context="(none)", before="(none)", text=text)["cards"]
    assert [(card["s"], card["v"], card.get("q", [])) for card in cards] == [
        (1, "yes", ["P1.2"]),
        (2, "no", ["P1.1"]),
        (3, other, []),
    ]


def test_card_has_an_edit_with_the_words_that_give_it() -> None:
    text = "[S1] The Ferry Library opened in 1976."
    variables = {"sources": SOURCES, "context": "(none)", "before": "(none)", "text": text}
    [card] = answer("check_agreement", **variables)["cards"]
    assert card["edits"] == [{"old": "1976", "new": "1981", "by": "1981"}]


@pytest.mark.parametrize("context", [{}, {"context": "What about the library?"}], ids=["alone", "in context"])
def test_edit_is_a_span_of_the_text(context: dict[str, str]) -> None:
    answers = {"text_answer": "1976", "evidence_answer": "1981"}
    name = "edit_in_context" if context else "edit"
    parsed = answer(name, **context, **SENTENCE, query=QUERY, **answers, evidence=EVIDENCE)
    assert parsed == {"span": "1976", "revision": "1981"}


def test_span_of_an_edit_is_unique_in_the_text() -> None:
    parsed = answer(
        "edit",
        before="(none)",
        text="Until 1976 it was a mill. The Ferry Library opened in 1976.",
        query=QUERY,
        text_answer="1976",
        evidence_answer="1981",
        evidence=EVIDENCE,
    )
    assert parsed == {
        "span": "The Ferry Library opened in 1976.",
        "revision": "The Ferry Library opened in 1981.",
    }


def test_edit_is_empty_where_the_evidence_is_about_something_else() -> None:
    answers = {"text_answer": "1976", "evidence_answer": "blue"}
    parsed = answer("edit", **SENTENCE, query=QUERY, **answers, evidence="Plums are blue.")
    assert parsed == {"span": "", "revision": ""}


@pytest.mark.parametrize(
    ("evidence", "verdict"),
    [
        ("The Ferry Library opened in 1976.", "attributable"),
        (EVIDENCE, "contradictory"),
        ("Plums are blue.", "extrapolatory"),
    ],
)
def test_attribution_is_judged(evidence: str, verdict: str) -> None:
    assert answer("judge_attribution", **SENTENCE, evidence=evidence)["verdict"] == verdict


def test_text_without_a_claim_is_extrapolatory() -> None:
    parsed = answer("judge_attribution", before="(none)", text="Well.", evidence=EVIDENCE)
    assert parsed == {"reason": "The sentences are: nothing to compare.", "verdict": "extrapolatory"}


@pytest.mark.parametrize("name", prompts.names())
def test_every_prompt_is_known_by_its_instructions(name: str) -> None:
    variables = dict.fromkeys(prompts.load(name).variables, "x")
    asked = Asked(prompt=None, messages=messages(name, **variables))
    assert set(json.loads(RuleModel()(asked))) == set(prompts.load(name).output["properties"])


def test_other_prompts_and_messages_have_no_answer() -> None:
    with pytest.raises(UnansweredError, match="no prompt 'poem'"):
        RuleModel()(Asked(prompt="poem", messages=(Message("user", "?"),)))
    with pytest.raises(UnansweredError, match=r"does not have the form of edit\.md"):
        RuleModel()(Asked(prompt="edit", messages=(Message("user", "?"),)))


async def test_answers_in_process() -> None:
    ask = ChatRequest(
        prompt=("generate_queries", "1", ""), messages=messages("generate_queries", text=TEXT), schema={}
    )
    [text] = (await ScriptedModel(RuleModel()).complete(ask)).texts
    assert "1976" in text


@pytest.mark.loopback
def test_answers_over_a_socket(ask: Post) -> None:
    system, user = messages("generate_queries", text=TEXT)
    with ScriptedServer(RuleModel(), dialect="plain") as server:
        response = ask(server, user.content, system.content)
        assert '\\"about\\": \\"1976\\"' in response.text
        assert ask(server, "?", system.content).status_code == 400


@pytest.mark.parametrize(
    ("evidence", "said"),
    [(EVIDENCE, "1981"), ("Plums are blue.", "not stated")],
)
def test_question_is_answered_from_the_evidence(evidence: str, said: str) -> None:
    assert answer("read_evidence", query=QUERY, evidence=evidence) == {"answer": said}


def test_text_is_rewritten_by_the_evidence() -> None:
    variables = {"context": "(none)", "text": TEXT, "evidence": f"# Ferry\n{EVIDENCE}"}
    assert answer("correct_text", **variables) == {"revision": TEXT.replace("1976", "1981")}


@pytest.mark.slow
def test_import_of_the_doubles_does_not_load_the_reader() -> None:
    program = """
import sys, rarr
known = set(sys.modules)
import rarr.testing
print([name for name in set(sys.modules) - known if "rarr.backends.embedded" in name])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
