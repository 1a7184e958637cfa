"""Tests a decision endpoint over a socket: a probability for each sentence, and clear errors."""

import json
from typing import Any

import pytest

from rarr import Revision, Settings, SettingsError, revise
from rarr.agent.verify import claim_verifier_of
from rarr.testing import ScriptedServer
from rarr.testing.scripted_model import Request
from rarr.testing.server import Listener, Reply

pytestmark = pytest.mark.loopback
DAM = "The Hoover Dam is 221 metres high. Beavers build dams."
TEXT = "The Hoover Dam is 221 metres high. It opened in 1937. It is big."


def decided(request: Request) -> Reply:
    """Calls the first sentence likely, the second sentence unlikely, and declines the third sentence."""
    likely = {"221 metres high.": {"probability": 0.97}, "1937.": {"probability": 0.07}}
    said = [question["instructions"].rpartition("Statement: ")[2] for question in request.body["questions"]]
    answers = [next((likely[end] for end in likely if it.endswith(end)), {"type": "refusal"}) for it in said]
    used = {"input_tokens": 70, "output_tokens": len(said)}
    return Reply(200, json.dumps({"answers": answers, "model": "m", "usage": used}).encode())


NOT_EACH = "did not answer with a probability for each question"


def other(*answers: Any) -> Listener:
    return Listener(lambda request: Reply(200, json.dumps({"answers": answers}).encode()))


def judged(url: str, **more: Any) -> Revision:
    return revise(TEXT, base_url=url, sources=[DAM], models={"attribute": "decisions:m"}, trace=False, **more)


def test_probability_of_each_sentence_is_its_support_in_one_request() -> None:
    with Listener(decided) as server:
        made = judged(server.url, api_key="k")
    assert [it.support for it in made.report.sentences] == [0.97, 0.07, None]
    assert "judge_declined" in {it.code for it in made.warnings}
    sent, spent = server.requests[0], len(server.requests)
    assert (sent.path, sent.headers["authorization"], sent.model_name) == ("/v1/decisions", "Bearer k", "m")
    assert sent.body["input"].endswith(DAM) and len(sent.body["questions"]) == 3
    assert (made.usage.model_calls, made.usage.input_tokens) == (spent, 70 * spent)


def test_claim_is_judged_by_the_threshold() -> None:
    with Listener(decided) as server:
        settings = Settings(models={"attribute": "decisions:m"}, base_url=server.url)
        made = claim_verifier_of(settings).verify("It is 221 metres high.", DAM)
    assert (made.label, made.probability) == ("attributable", 0.97)


@pytest.mark.parametrize(
    ("server", "message"),
    [
        (ScriptedServer({}), "OpenAI and vLLM (from 0.33) have it"),
        *((other(*[{"probability": it}] * 3), NOT_EACH) for it in ("high", 1.2)),
        (other(), NOT_EACH),
    ],
)
def test_server_without_decisions_gives_no_support_and_says_so(server: Listener, message: str) -> None:
    with server:
        made = judged(server.url)
    assert {it.support for it in made.report.sentences} == {None}
    assert any(message in notice.message for notice in made.warnings)


def test_costs_and_keys_that_nobody_guards_are_refused() -> None:
    with pytest.raises(SettingsError, match="max_cost does not count decisions:m"):
        judged("http://127.0.0.1:9/v1", max_cost=1.0)
    with pytest.raises(SettingsError, match="base_url would go to ollama:a and decisions:m alike"):
        judged("http://127.0.0.1:9/v1", model="ollama:a")
