"""The real proxy of LiteLLM, as a process, with the configuration of the guide."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from openai import APIStatusError, OpenAI

from rarr.testing import Failure, ScriptedServer
from rarr.testing.server import refused_url
from serve.litellm_proxy import COMMAND, KEY, MISSING, litellm_proxy
from serve.serving import ALICE, RIGHT, WRONG, Served
from serve.upstream import Upstream

pytestmark = [
    pytest.mark.loopback,
    pytest.mark.slow,
    pytest.mark.skipif(not COMMAND.exists(), reason=MISSING),
]

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "serve.md"
BEFORE, AFTER = (
    f"The dam is {WRONG} high. It was opened in 1936.",
    f"The dam is {RIGHT} high. It was opened in 1936.",
)


def configured(upstream: ScriptedServer, guardrail: str) -> dict[str, Any]:
    """The configuration of the guide, with the addresses of this test."""
    blocks = re.findall(r"^```yaml\n(.*?)^```$", GUIDE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    [block] = [block for block in blocks if "generic_guardrail_api" in block]
    addressed = block.replace("http://localhost:8000/v1", upstream.url).replace(
        "http://127.0.0.1:8100", guardrail
    )
    assert upstream.url in addressed and guardrail in addressed
    config: dict[str, Any] = yaml.safe_load(addressed)
    return config


def script(request: Any) -> str:
    return json.dumps({"height": WRONG}) if request.body.get("tools") else BEFORE


@pytest.fixture(scope="module")
def upstream() -> Iterator[ScriptedServer]:
    with Upstream(script, plan=lambda request: Failure(400) if "fail" in request.user else None) as server:
        yield server


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    with Served(serve_corpora={"notes": "examples/corpus"}) as server:
        yield server


@pytest.fixture(scope="module")
def client(
    upstream: ScriptedServer, served: Served, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[OpenAI]:
    config = yaml.safe_dump(configured(upstream, served.root))
    with (
        litellm_proxy(config, tmp_path_factory.mktemp("litellm")) as url,
        OpenAI(base_url=url, api_key=KEY, max_retries=0) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def choosing(upstream: ScriptedServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenAI]:
    """A client of a proxy whose requests choose one of three guardrails; two of the servers are dead."""
    with Served(serve_corpora={"notes": "examples/corpus"}, serve_token=ALICE) as locked:
        dead = refused_url().removesuffix("/v1")
        config = configured(upstream, dead)
        [given] = config["guardrails"]
        changes = {
            "guide": {},
            "closed": {"unreachable_fallback": "fail_closed"},
            "token": {"api_base": locked.root, "api_key": ALICE},
            "no token": {"api_base": locked.root},
        }
        config["guardrails"] = [
            {
                "guardrail_name": name,
                "litellm_params": {**given["litellm_params"], "default_on": False, **change},
            }
            for name, change in changes.items()
        ]
        with (
            litellm_proxy(yaml.safe_dump(config), tmp_path_factory.mktemp("litellm")) as url,
            OpenAI(base_url=url, api_key=KEY, max_retries=0) as client,
        ):
            yield client


def ask(client: OpenAI, words: str = "How high?", **more: Any) -> Any:
    return client.chat.completions.create(
        model="your-model", messages=[{"role": "user", "content": words}], **more
    )


def guarded(client: OpenAI, name: str) -> str:
    answer = ask(client, extra_body={"guardrails": [name]})
    return str(answer.choices[0].message.content)


def test_wrong_answer_comes_out_corrected(client: OpenAI) -> None:
    assert ask(client).choices[0].message.content == AFTER


def test_stream_comes_out_corrected_and_is_worked_on_once(client: OpenAI, served: Served) -> None:
    served.known.jobs.clear()
    chunks = list(ask(client, stream=True))
    deltas = [choice.delta.content for chunk in chunks for choice in chunk.choices]
    assert ("".join(filter(None, deltas)), len(served.known.jobs)) == (AFTER, 1)
    assert chunks[-1].choices[0].finish_reason == "stop"


def test_dead_server_lets_answers_pass_as_the_guide_says(choosing: OpenAI) -> None:
    assert guarded(choosing, "guide") == BEFORE


def test_dead_server_fails_requests_with_fail_closed(choosing: OpenAI) -> None:
    with pytest.raises(APIStatusError, match="Generic Guardrail API failed"):
        guarded(choosing, "closed")


def test_api_key_is_a_token_of_the_server(choosing: OpenAI) -> None:
    assert guarded(choosing, "token") == AFTER
