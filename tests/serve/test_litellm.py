"""The real proxy of LiteLLM, as a process, with the configuration of the guide.

LiteLLM needs an older `rich` than `rarr`, so that they cannot share an environment: `make extras` installs it
into `.venv/litellm`.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from local_server import server_process
from openai import OpenAI

from rarr.testing import ScriptedServer
from serve.serving import RIGHT, WRONG, Served, answers

ROOT = Path(__file__).parents[2]
COMMAND = ROOT / ".venv" / "litellm" / "bin" / "litellm"
GUIDE = ROOT / "docs" / "guides" / "serve.md"
KEY = "sk-0123456789abcdef0123456789abcdef"  # of its callers: it does not start without one


@contextmanager
def litellm_proxy(config: str, folder: Path) -> Iterator[str]:
    """Runs the proxy with this YAML, and yields its base URL."""
    (folder / "config.yaml").write_text(config, encoding="utf-8")
    command = [str(COMMAND), "--config", "config.yaml", "--host", "127.0.0.1"]
    # Without the second variable it asks the network for prices at its start.
    environment = {
        "LITELLM_MASTER_KEY": KEY,
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "HOME": str(folder),
        "PATH": "",
    }
    with server_process(command, "/health/liveliness", env=environment, cwd=folder) as root:
        yield f"{root}/v1"


@pytest.mark.loopback
@pytest.mark.slow
@pytest.mark.skipif(not COMMAND.exists(), reason="needs LiteLLM's proxy: make extras")
def test_answers_come_out_corrected_whole_and_streamed(tmp_path: Path) -> None:
    blocks = re.findall(r"^```yaml\n(.*?)^```$", GUIDE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    [config] = [block for block in blocks if "generic_guardrail_api" in block]
    asked = {"model": "your-model", "messages": [{"role": "user", "content": "How high?"}]}
    with (
        ScriptedServer(answers(f"The dam is {WRONG} high. It was opened in 1936.")) as upstream,
        Served(serve_corpora={"notes": "examples/corpus"}) as served,
        litellm_proxy(
            config.replace("http://localhost:8000/v1", upstream.url).replace(
                "http://127.0.0.1:8100", served.root
            ),
            tmp_path,
        ) as url,
        OpenAI(base_url=url, api_key=KEY, max_retries=0) as client,
    ):
        after = f"The dam is {RIGHT} high. It was opened in 1936."
        assert client.chat.completions.create(**asked).choices[0].message.content == after  # type: ignore[call-overload]
        served.known.jobs.clear()
        chunks = list(client.chat.completions.create(**asked, stream=True))  # type: ignore[call-overload]
    deltas = [choice.delta.content for chunk in chunks for choice in chunk.choices]
    assert ("".join(filter(None, deltas)), len(served.known.jobs)) == (after, 1)
    assert chunks[-1].choices[0].finish_reason == "stop"
