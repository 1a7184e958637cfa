"""The calls of rarr itself, their jobs, and LiteLLM's guardrail."""

from typing import Any

import httpx2
import pytest

from rarr.records import Revision, Verification
from rarr.records.postprocessing import Postprocessed
from serve.conftest import Log
from serve.serving import RIGHT, WRONG, Served

pytestmark = pytest.mark.loopback

GUARDRAIL = "/beta/litellm_basic_guardrail_api"
TURNS = [{"role": "user", "content": "How high?"}]


@pytest.mark.parametrize(
    ("route", "body", "record", "outcome"),
    [
        ("revise", {"text": WRONG, "context": "How high?"}, Revision, "finished"),
        ("revise", {"text": f"{WRONG} partial", "context": "How high?"}, Revision, "partial"),
        ("revise", {"text": f"{WRONG} wait", "context": TURNS, "deadline_s": 0.1}, Revision, "deadline"),
        ("postprocess", {"text": WRONG, "context": TURNS, "mode": "check"}, Postprocessed, "finished"),
        ("verify", {"claim": WRONG, "context": "How high?"}, Verification, "finished"),
    ],
)
def test_call_gives_its_options_to_the_job_and_answers_with_its_record(
    http: httpx2.Client, served: Served, log: Log, route: str, body: Any, record: Any, outcome: str
) -> None:
    response = http.post(f"/v1/{route}", json=body | {"sources": ["221 metres"], "search": "given"})
    assert response.status_code == 200
    made, job = record.model_validate_json(response.content), served.known.jobs[-1]
    task = "verify" if route == "verify" else "postprocess"
    assert (job.task, job.sources) == (task, ("221 metres",))
    assert (job.text, job.context) == (body.get("text", WRONG), body["context"])
    assert job.deadline_s == body.get("deadline_s", served.settings.serve_deadline_s)
    assert job.options == {name: body[name] for name in body if name == "mode"} | {"search": "given"}
    assert log.get(timeout=30)["outcome"] == outcome
    assert outcome != "deadline" or [it.code for it in made.warnings] == ["deadline"]


@pytest.mark.parametrize(
    ("kind", "texts", "options", "changed"),
    [
        ("response", [f"It is {WRONG}.", "Yes."], {"search": None}, [f"It is {RIGHT}.", "Yes."]),
        ("response", [WRONG], {"mode": "off"}, None),
        ("response", ["Nothing wrong."], None, None),
        ("response", None, None, None),
        ("request", [WRONG], None, None),
    ],
)
def test_guardrail_changes_only_the_texts_of_an_answer(
    http: httpx2.Client, served: Served, kind: str, texts: Any, options: Any, changed: Any
) -> None:
    body = {"input_type": kind, "texts": texts, "structured_messages": TURNS, "request_data": {}}
    answer = http.post(GUARDRAIL, json=body | {"additional_provider_specific_params": options}).json()
    assert answer == {"action": "GUARDRAIL_INTERVENED" if changed else "NONE", "texts": changed}
    assert not changed or served.known.jobs[-1].context == TURNS
