"""The client of OpenAI, Open WebUI and LiteLLM in front of a server, as the guides say."""

import contextlib
import io
import re
import sys
import types
from pathlib import Path
from typing import Any

import pytest
from local_server import server_process
from openai import OpenAI
from test_document_blocks import blocks

from rarr.testing import ScriptedServer
from serve.serving import RIGHT, SOURCE, WRONG, Served, serving

pytestmark = pytest.mark.loopback

ROOT = Path(__file__).parents[2]
FILTER = (ROOT / "examples" / "open_webui" / "filter.py").read_text(encoding="utf-8")
BEFORE, YEAR = f"The dam is {WRONG} high.", "It was opened in 1936."


@pytest.mark.parametrize("code", [it for it in blocks("py") if "OpenAI(" in it], ids=["README", "guide"])
def test_example_prints_the_revised_answer_and_its_notice(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    printed = io.StringIO()
    with serving(f"It is {WRONG} high.") as (served, _), contextlib.redirect_stdout(printed):
        exec(compile(code.replace("http://127.0.0.1:8100/v1", served.url), "page", "exec"), {})
    assert printed.getvalue() == f"It is {RIGHT} high. 1 corrected\n"


async def outlet_of(
    answer: Any, url: str, *, message: dict[str, Any] | None = None, **valves: Any
) -> tuple[str, list[str]]:
    """Returns the content of the answer after the filter, and the statuses. Loads it as Open WebUI does."""
    module, said = types.ModuleType("function_rarr"), list[str]()
    sys.modules[module.__name__] = module
    exec(FILTER, module.__dict__)
    filter_ = module.__dict__["Filter"]()
    filter_.valves = filter_.Valves(url=url, **valves)

    async def emit(event: dict[str, Any]) -> None:
        said.append(event["data"]["description"])
        assert (event["type"], event["data"]["done"]) == ("status", len(said) == 2)

    question = {"role": "user", "content": "How high is the dam?"}
    messages = [question, {"role": "assistant", "content": answer, **(message or {})}]
    body = await filter_.outlet({"messages": messages}, __event_emitter__=emit)
    return body["messages"][-1]["content"], said


def test_file_of_the_filter_stands_alone() -> None:
    imported = set(re.findall(r"^(?:from|import) (\w+)", FILTER, re.MULTILINE))
    assert imported - set(sys.stdlib_module_names) == {"pydantic"}
    # Open WebUI replaces these words wherever they stand.
    assert not re.search(r"from (?:utils|apps|main|config)", FILTER)


async def test_answer_is_revised_with_footnotes_and_the_status_says_so(served: Served) -> None:
    content, said = await outlet_of(f"{BEFORE} {YEAR}", served.root)
    assert content == f"The dam is {RIGHT}[^1] high. {YEAR}\n\nSources:\n\n- [^1] Dam, {SOURCE}"
    assert said == ["rarr: checking the answer", "rarr: 1 corrected"]
    _, said = await outlet_of(BEFORE, served.root, token="ключ")
    assert said[1].startswith("rarr: not checked: the valve token has white space or letters that no token")
    assert (await outlet_of({"type": "text", "text": BEFORE}, served.root))[1] == []


THOUGHTS = f'<details type="reasoning" done="true">\n> Is it {WRONG}?\n</details>\n'


@pytest.mark.parametrize(
    ("answer", "revised"),
    [
        (THOUGHTS + BEFORE, f"{THOUGHTS}The dam is {RIGHT}[^1] high."),
        (f"{BEFORE} It is old.[^2]", f"The dam is {RIGHT}[^3] high. It is old.[^2]"),
        (f"See [{WRONG}](https://example.org).", f"See [{RIGHT}](https://example.org).\n\nSources:"),
    ],
)
async def test_thoughts_footnotes_and_links_stay(answer: str, revised: str, served: Served) -> None:
    assert (await outlet_of(answer, served.root))[0].startswith(revised)
    parts: Any = (await outlet_of([{"type": "image"}, {"type": "text", "text": answer}], served.root))[0]
    assert parts[0] == {"type": "image"} and parts[1]["text"].startswith(revised)


async def test_documents_that_the_model_was_given_are_sources(served: Served) -> None:
    source = {
        "source": {"name": "dams.pdf"},
        "document": ["The dam is high.", " ", "It is old."],
        "metadata": [{"name": "Dams", "source": "https://example.org/dams"}],
    }
    await outlet_of(BEFORE, served.root, message={"sources": [source, "x", {"document": "x", "source": "x"}]})
    assert served.known.jobs[-1].sources == (
        {"text": "The dam is high.", "title": "Dams", "source": "https://example.org/dams"},
        {"text": "It is old.", "title": "dams.pdf", "source": "dams.pdf"},
    )
    await outlet_of(BEFORE, served.root, message={"sources": [source]}, chat_sources=False)
    assert not served.known.jobs[-1].sources


# LiteLLM needs an older `rich` than `rarr`: `make extras` installs it into an environment of its own.
LITELLM = ROOT / ".venv" / "litellm" / "bin" / "litellm"
KEY = "sk-0123456789abcdef0123456789abcdef"  # of its callers: it does not start without one


@pytest.mark.slow
@pytest.mark.skipif(not LITELLM.exists(), reason="needs LiteLLM's proxy: make extras")
def test_answers_come_out_of_litellm_corrected_whole_and_streamed(tmp_path: Path) -> None:
    [config] = [block for block in blocks("yaml") if "generic_guardrail_api" in block]
    command = [str(LITELLM), "--config", "config.yaml", "--host", "127.0.0.1"]
    # Without the second variable it asks the network for prices at its start.
    environment = {"LITELLM_MASTER_KEY": KEY, "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    environment |= {"HOME": str(tmp_path), "PATH": ""}
    asked: Any = {"model": "your-model", "messages": [{"role": "user", "content": "How high?"}]}
    with ScriptedServer({"": f"{BEFORE} {YEAR}"}) as upstream, Served() as served:
        config = config.replace("http://localhost:8000/v1", upstream.url)
        config = config.replace("http://127.0.0.1:8100", served.root)
        (tmp_path / "config.yaml").write_text(config, encoding="utf-8")
        with (
            server_process(command, "/health/liveliness", env=environment, cwd=tmp_path) as root,
            OpenAI(base_url=f"{root}/v1", api_key=KEY, max_retries=0) as client,
        ):
            create, after = client.chat.completions.create, f"The dam is {RIGHT} high. {YEAR}"
            assert create(**asked).choices[0].message.content == after
            served.known.jobs.clear()
            chunks = list(create(**asked, stream=True))
    deltas = [choice.delta.content for chunk in chunks for choice in chunk.choices]
    assert ("".join(filter(None, deltas)), len(served.known.jobs)) == (after, 1)
    assert chunks[-1].choices[0].finish_reason == "stop"
