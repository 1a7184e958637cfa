"""The real proxy of LiteLLM, as a process, with the configuration of the guide."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from openai import OpenAI

from rarr.testing import ScriptedServer
from serve.litellm_proxy import COMMAND, KEY, MISSING, litellm_proxy
from serve.serving import RIGHT, WRONG, Served, answers

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


@pytest.fixture(scope="module")
def upstream() -> Iterator[ScriptedServer]:
    with ScriptedServer(answers(BEFORE)) as server:
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


def ask(client: OpenAI, words: str = "How high?", **more: Any) -> Any:
    return client.chat.completions.create(
        model="your-model", messages=[{"role": "user", "content": words}], **more
    )


def test_wrong_answer_comes_out_corrected(client: OpenAI) -> None:
    assert ask(client).choices[0].message.content == AFTER


def test_stream_comes_out_corrected_and_is_worked_on_once(client: OpenAI, served: Served) -> None:
    served.known.jobs.clear()
    chunks = list(ask(client, stream=True))
    deltas = [choice.delta.content for chunk in chunks for choice in chunk.choices]
    assert ("".join(filter(None, deltas)), len(served.known.jobs)) == (AFTER, 1)
    assert chunks[-1].choices[0].finish_reason == "stop"
