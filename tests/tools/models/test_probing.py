"""What a language model can do, found out by asking a scripted server."""

import tomllib
from typing import Any

import pytest

from rarr.testing import Hang, NoUsage, Request, ScriptedServer, Status
from rarr.tools.models.chat import CallFailure, RequestForm
from rarr.tools.models.langchain_chat import langchain_chat
from rarr.tools.models.probe_requests import WORD
from rarr.tools.models.probing import SWITCHES, profile_of
from rarr.tools.models.run_budget import Meter
from tools.asking import KEY
from tools.models.probed_servers import FactServer, SlowModel, ability, answered, cut, profile, server

pytestmark = pytest.mark.loopback


async def test_capable_server_can_do_everything() -> None:
    with server() as capable:
        found = await profile(capable)
    assert found.form == RequestForm()
    states = {ability.name: ability.state for ability in found.abilities}
    assert states == {
        "structured answers": "yes",
        "several samples": "yes",
        "probabilities": "yes",
        "token counts": "yes",
        "context length": "unknown",
        "thinking": "no",
        "prefix cache": "yes",
        "speed": "yes",
        "requests at once": states["requests at once"],  # by the time of a server that is in no hurry
    }


async def test_cost_is_that_of_the_requests() -> None:
    with server() as capable:
        found = await profile(capable)
    posted = [request for request in capable.requests if request.method == "POST"]
    assert found.requests == len(posted) == 11
    assert (found.input_tokens, found.output_tokens) == capable.tokens[:2]
    assert found.input_tokens + found.output_tokens < 4000


async def test_refused_parts_become_the_form() -> None:
    with server(dialect="plain", rejects=["temperature", "logprobs"]) as plain:
        found = await profile(plain)
    assert found.form == RequestForm("text", frozenset({"temperature", "logprobs", "n"}))
    assert ability(found, "structured answers").state == "no"
    assert "without temperature, which it refuses" in ability(found, "structured answers").detail
    assert ability(found, "several samples").state == ability(found, "probabilities").state == "no"


async def test_function_call_replaces_a_schema_that_is_refused() -> None:
    def plan(request: Request) -> Any:
        refused = "response_format" in request.body
        return Status(400, message="response_format is not supported") if refused else cut(request)

    with server(plan=plan) as without_schema:
        found = await profile(without_schema)
    assert found.format == "function"
    assert "function call" in ability(found, "structured answers").detail


async def test_schema_that_does_not_bind_is_seen() -> None:
    with server(
        lambda request: answered(request) if "Count" in request.user else '{"answer": "blue"}'
    ) as lax:
        found = await profile(lax)
    assert ability(found, "structured answers").detail == "JSON schema; the answer does not fit it"


async def test_server_without_logprobs_and_usage() -> None:
    silent = NoUsage()
    with server(probability=None, plan=lambda request: cut(request) or silent) as lean:
        found = await profile(lean)
    assert ability(found, "probabilities").detail == "it gives no logprobs"
    assert ability(found, "token counts").state == "no"


async def test_ignored_n_is_seen() -> None:
    class OneSample(ScriptedServer):
        def _completion(self, request: Request) -> Any:
            return super()._completion(Request(**{**vars(request), "body": {**request.body, "n": 1}}))

    with OneSample(answered, plan=cut) as single:
        found = await profile(single)
    assert ability(found, "several samples").detail.startswith("1 of 2 in one request")
    assert "n" not in found.left_out


@pytest.mark.parametrize(
    ("facts", "props", "detail"),
    [
        ({"max_model_len": 8192}, None, "8,192 tokens (max_model_len of /models)"),
        ({"meta": {"n_ctx": 4096, "n_ctx_train": 32768}}, None, "4,096 tokens (meta.n_ctx of /models)"),
        (
            {"meta": {"n_ctx_train": 32768}},
            {"default_generation_settings": {"n_ctx": 2048}},
            "2,048 tokens (/props)",
        ),
        (
            {"meta": {"n_ctx_train": 32768}},
            None,
            "32,768 tokens (meta.n_ctx_train of /models: that of its training, at most)",
        ),
        ({"meta": "none", "max_model_len": "many"}, None, "the server does not report it"),
    ],
)
async def test_context_length_is_read_from_the_facts_of_the_server(
    facts: dict[str, Any], props: dict[str, Any] | None, detail: str
) -> None:
    with FactServer(answered, plan=cut) as at:
        at.facts, at.props = facts, props
        found = await profile(at)
    assert ability(found, "context length").detail == detail


def thinking(switch: str) -> Any:
    """A model that reasons, unless the body has this field of a chat template."""

    def answer(request: Request) -> Any:
        plain = answered(request)
        off = request.body.get("chat_template_kwargs", {}).get(switch) is False
        return plain if off or "Count" in request.user else f'<think>The sky?</think>{{"answer": "{WORD}"}}'

    return answer


@pytest.mark.parametrize("switch", ["enable_thinking", "thinking"])
async def test_setting_that_switches_thinking_off_is_found(switch: str) -> None:
    with server(thinking(switch)) as at:
        found = await profile(at)
    shown = ability(found, "thinking")
    assert shown.state == "yes"
    line = f'endpoints."vllm:scripted".extra = {{ chat_template_kwargs = {{ {switch} = false }} }}'
    assert f"{line} switches it off" in shown.detail
    assert tomllib.loads(line)


async def test_thinking_that_nothing_switches_off_is_told() -> None:
    with server(thinking("nothing")) as at:
        found = await profile(at)
    assert ability(found, "thinking").detail.endswith("no setting that rarr knows switches it off")


async def test_model_whose_answer_never_begins_thinks() -> None:
    with server(lambda request: "<think>Let me see. " * 9, plan=cut) as at:
        found = await profile(at)
    assert ability(found, "thinking").state == "yes"


@pytest.mark.parametrize("fields, written", SWITCHES)
def test_switches_are_written_as_they_are_sent(fields: dict[str, Any], written: str) -> None:
    assert tomllib.loads(f"extra = {written}")["extra"] == fields


@pytest.mark.slow
async def test_one_slot_is_told_from_several() -> None:
    with server(SlowModel(1e6, 400, one_slot=True), prefix_cache=False) as one:
        alone = await profile(one)
    assert (ability(alone, "requests at once").state, alone.speed is not None) == ("no", True)
    with server(SlowModel(1e6, 400), prefix_cache=False) as several:
        together = await profile(several)
    assert ability(together, "requests at once").state == "yes"


@pytest.mark.slow
@pytest.mark.parametrize(("cache", "state"), [(True, "yes"), (False, "no")])
async def test_prefix_cache_is_seen_by_the_time_where_it_is_not_reported(cache: bool, state: str) -> None:
    with server(SlowModel(2000, 1e6, cache=cache), prefix_cache=False) as at:
        found = await profile(at)
    assert ability(found, "prefix cache").state == state


async def test_failed_measurement_says_why() -> None:
    def plan(request: Request) -> Any:
        return Status(503, message="overloaded") if "Count" in request.user else None

    with server(plan=plan) as busy:
        found = await profile(busy)
    assert found.speed is None
    assert ability(found, "speed").detail == "vllm:scripted answered with status 503: overloaded"
    assert ability(found, "structured answers").state == "yes"


async def test_first_request_that_fails_ends_the_asking() -> None:
    with server(plan=[Status(500, message="broken")]) as at, pytest.raises(CallFailure, match="broken"):
        await profile(at)
    assert len(at.requests) == 1


@pytest.mark.slow
async def test_model_of_langchain_is_asked_through_the_same_interface() -> None:
    with server(dialect="openai") as at:

        def make(form: RequestForm, fields: Any) -> Any:
            options = {"api_key": KEY, "max_retries": 0, "timeout": 2.0}
            return langchain_chat("openai:scripted", form, base_url=at.url, **options)

        found = await profile_of(make, "", timeout_s=2.0, meter=Meter())
    states = {ability.name: ability.state for ability in found.abilities}
    assert states["structured answers"] == states["several samples"] == states["speed"] == "yes"
    assert states["probabilities"] == states["context length"] == "not asked"


@pytest.mark.slow
async def test_hanging_request_at_once_leaves_the_speed_known() -> None:
    hangs = iter([None] * 7 + [Hang()] * 4)  # the first requests are answered

    def plan(request: Request) -> Any:
        return next(hangs) or cut(request)

    with server(plan=plan) as at:
        found = await profile(at)
    assert (found.speed is not None, ability(found, "requests at once").state) == (True, "unknown")
    assert ability(found, "requests at once").detail.endswith("raise timeout_s")
