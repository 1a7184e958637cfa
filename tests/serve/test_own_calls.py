"""The calls of rarr itself, and LiteLLM's guardrail."""

from typing import Any

import httpx2
import pytest

from rarr.records import Revision
from rarr.records.postprocessing import Postprocessed
from rarr.records.verification import Verification
from serve.serving import RIGHT, WRONG, Served

pytestmark = pytest.mark.loopback

GUARDRAIL = "/beta/litellm_basic_guardrail_api"
TURNS = [{"role": "user", "content": "How high?"}]


@pytest.mark.parametrize(
    ("route", "body", "record", "options"),
    [
        ("revise", {"text": WRONG, "context": "How high?"}, Revision, {}),
        ("postprocess", {"text": WRONG, "context": TURNS, "mode": "check"}, Postprocessed, {"mode": "check"}),
        ("verify", {"claim": WRONG, "context": "How high?"}, Verification, {}),
    ],
)
def test_call_gives_its_options_to_the_job_and_answers_with_its_record(
    http: httpx2.Client, served: Served, route: str, body: Any, record: Any, options: Any
) -> None:
    chosen = {"sources": ["221 metres"], "search": "given", "corpus": "dams"}
    response = http.post(f"/v1/{route}", json=body | chosen)
    assert response.status_code == 200
    record.model_validate_json(response.content)
    job = served.known.jobs[-1]
    assert (job.task, job.text, job.corpus, job.sources) == (route, WRONG, "dams", ({"text": "221 metres"},))
    assert job.context == body["context"]
    assert job.options == options | {"search": "given"}


def test_guardrail_changes_the_texts_of_an_answer(http: httpx2.Client, served: Served) -> None:
    body: Any = {"input_type": "response", "texts": [f"It is {WRONG}.", "Yes."], "request_data": {}}
    body |= {"structured_messages": TURNS, "additional_provider_specific_params": {"corpus": "dams"}}
    answer = http.post(GUARDRAIL, json=body).json()
    assert answer == {"action": "GUARDRAIL_INTERVENED", "texts": [f"It is {RIGHT}.", "Yes."]}
    assert (served.known.jobs[-1].corpus, served.known.jobs[-1].context) == ("dams", TURNS)


@pytest.mark.parametrize(
    "body",
    [
        {"input_type": "request", "texts": [WRONG]},
        {"input_type": "response", "texts": ["Nothing wrong."]},
        {"input_type": "response", "texts": None},
        {"input_type": "response", "texts": [WRONG], "additional_provider_specific_params": {"mode": "off"}},
    ],
)
def test_guardrail_lets_pass(http: httpx2.Client, body: Any) -> None:
    assert http.post(GUARDRAIL, json=body).json() == {"action": "NONE", "texts": None}
