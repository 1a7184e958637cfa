"""The calls of rarr itself, LiteLLM's guardrail, and what operators ask."""

from typing import Any

import httpx2
import pytest

from rarr.records import Revision
from rarr.records.citations import Cited
from rarr.records.postprocessing import Postprocessed
from rarr.records.verification import Verification
from serve.serving import RIGHT, WRONG, Served

pytestmark = pytest.mark.loopback

GUARDRAIL = "/beta/litellm_basic_guardrail_api"


@pytest.mark.parametrize(
    ("route", "body", "record"),
    [
        ("revise", {"text": "The dam is high.", "context": "How high?"}, Revision),
        ("postprocess", {"text": "The dam is high.", "mode": "check"}, Postprocessed),
        ("verify", {"claim": "The dam is high.", "sources": ["It is high."]}, Verification),
        ("cite", {"text": "The dam is high.", "style": "footnotes"}, Cited),
    ],
)
def test_call_answers_with_its_record(http: httpx2.Client, route: str, body: Any, record: Any) -> None:
    response = http.post(f"/v1/{route}", json=body)
    assert response.status_code == 200
    record.model_validate_json(response.content)


@pytest.mark.parametrize(
    ("body", "param", "words"),
    [
        (
            '{"text": "x", "foo": 1}',
            "body.foo",
            "unknown key: give sources, search, corpus, deadline_s, text",
        ),
        ("{}", "body.text", "it is missing: give it"),
        ('{"text": 3}', "body.text", "give a text"),
        ('{"text": " "}', "body.text", "it is empty: give a text"),
        ('{"text": "x", "search": "all"}', "body.search", "give 'given'"),
        ('{"text": "x", "deadline_s": 0}', "body.deadline_s", "give a number greater than 0"),
        ('{"text": "x", "sources": "y"}', "body.sources", "give a list"),
        ('{"text": "x", "sources": [3]}', "body.sources.0", "give a text, or an object with text, title"),
        (
            '{"text": "x", "sources": [{"text": "y", "url": "z"}]}',
            "body.sources.0.url",
            "give text, title, source",
        ),
        (
            '{"text":',
            "body",
            "it is no JSON object in UTF-8 with the header Content-Type: application/json",
        ),
        ("[1]", "body", "send an object with sources, search, corpus"),
        ("", "body", "it is no JSON object"),
    ],
)
def test_wrong_body_is_refused_with_its_cure(http: httpx2.Client, body: str, param: str, words: str) -> None:
    response = http.post("/v1/revise", content=body, headers={"Content-Type": "application/json"})
    error = response.json()["error"]
    assert (response.status_code, error["code"], error["param"]) == (400, "invalid_request", param)
    assert words in error["message"]


def test_options_of_a_call_reach_the_job(http: httpx2.Client, served: Served) -> None:
    http.post("/v1/cite", json={"text": "x", "style": "json", "place": "part", "corpus": "dams"})
    job = served.known.jobs[-1]
    assert (job.task, job.corpus) == ("cite", "dams")
    assert job.options == {"style": "json", "place": "part", "mark_unsupported": False}


def test_conversation_and_mode_of_an_answer_reach_the_job(http: httpx2.Client, served: Served) -> None:
    context = [{"role": "user", "content": "How high?"}]
    asked = {"text": WRONG, "context": context, "sources": ["221 metres"], "search": "given"}
    result = http.post("/v1/postprocess", json=asked | {"mode": "check"}).json()
    job = served.known.jobs[-1]
    assert (job.context, job.options) == (context, {"mode": "check", "search": "given"})
    assert (result["text"], result["notice"]) == (WRONG, "0 corrected")


def test_guardrail_changes_the_texts_of_an_answer(http: httpx2.Client, served: Served) -> None:
    messages = [{"role": "user", "content": "How high?"}]
    body: Any = {
        "input_type": "response",
        "texts": [f"It is {WRONG}.", "Yes."],
        "structured_messages": messages,
    }
    body["additional_provider_specific_params"] = {"mode": "revise", "corpus": "dams"}
    body["request_data"] = {}
    answer = http.post(GUARDRAIL, json=body).json()
    assert answer == {"action": "GUARDRAIL_INTERVENED", "texts": [f"It is {RIGHT}.", "Yes."]}
    assert (served.known.jobs[-1].corpus, served.known.jobs[-1].context) == ("dams", messages)


@pytest.mark.parametrize(
    "body",
    [
        {"input_type": "request", "texts": [WRONG]},
        {"input_type": "response", "texts": ["Nothing wrong."]},
        {"input_type": "response", "texts": None},
        {"input_type": "response", "texts": [WRONG], "additional_provider_specific_params": {"mode": "off"}},
    ],
    ids=["request", "right", "no text", "off"],
)
def test_guardrail_lets_pass(http: httpx2.Client, body: Any) -> None:
    assert http.post(GUARDRAIL, json=body).json() == {"action": "NONE", "texts": None}
