"""The filter for Open WebUI, loaded as Open WebUI loads it, against servers over sockets."""

import re
import sys
import types
from pathlib import Path
from typing import Any

import pytest

from serve.serving import RIGHT, SOURCE, WRONG, Served

pytestmark = pytest.mark.loopback

FILE = Path(__file__).parents[2] / "examples" / "open_webui" / "filter.py"
TEXT = FILE.read_text(encoding="utf-8")
BEFORE = f"The dam is {WRONG} high."
QUESTION = {"role": "user", "content": "How high is the dam?"}


def loaded(**valves: Any) -> Any:
    """The filter with these valves. Open WebUI executes the text in a module that is made for it."""
    module = types.ModuleType("function_rarr")
    sys.modules[module.__name__] = module
    exec(TEXT, module.__dict__)
    filter_ = module.__dict__["Filter"]()
    filter_.valves = filter_.Valves(**valves)
    return filter_


async def outlet(
    answer: str, *, message: dict[str, Any] | None = None, **valves: Any
) -> tuple[str, list[str]]:
    """The content of the message after the outlet, and what the status said."""
    said: list[str] = []

    async def emit(event: dict[str, Any]) -> None:
        assert event["type"] == "status"
        said.append(event["data"]["description"])
        assert event["data"]["done"] == (len(said) == 2)

    messages = [QUESTION, {"role": "assistant", "content": answer, **(message or {})}]
    body = await loaded(**valves).outlet({"messages": messages}, __event_emitter__=emit)
    return body["messages"][-1]["content"], said


def test_file_stands_alone() -> None:
    imported = set(re.findall(r"^(?:from|import) (\w+)", TEXT, re.MULTILINE))
    assert imported - set(sys.stdlib_module_names) == {"pydantic"}
    # Open WebUI replaces these words wherever they stand.
    assert not re.search(r"from (?:utils|apps|main|config)", TEXT)


async def test_answer_is_revised_with_footnotes_and_the_status_says_so(served: Served) -> None:
    content, said = await outlet(f"{BEFORE} It was opened in 1936.", url=served.root)
    assert (
        content == f"The dam is {RIGHT}[^1] high. It was opened in 1936.\n\nSources:\n\n- [^1] Dam, {SOURCE}"
    )
    assert said == ["rarr: checking the answer", "rarr: 1 corrected"]


THOUGHTS = f'<details type="reasoning" done="true">\n> Is it {WRONG}?\n</details>\n'


@pytest.mark.parametrize(
    ("answer", "revised"),
    [
        (THOUGHTS + BEFORE, f"{THOUGHTS}The dam is {RIGHT}[^1] high."),
        (f"{BEFORE} It is old.[^2]", f"The dam is {RIGHT}[^3] high. It is old.[^2]"),
        (f"See [{WRONG}](https://example.org).", f"See [{RIGHT}](https://example.org).\n\nSources:"),
    ],
)
async def test_thoughts_footnotes_and_links_stay_as_they_are(
    answer: str, revised: str, served: Served
) -> None:
    content, _ = await outlet(answer, url=served.root)
    assert content.startswith(revised)


async def test_documents_that_the_model_was_given_are_sources(served: Served) -> None:
    source = {
        "source": {"name": "dams.pdf"},
        "document": ["The dam is high.", " ", "It is old."],
        "metadata": [{"name": "Dams", "source": "https://example.org/dams"}],
    }
    await outlet(BEFORE, message={"sources": [source]}, url=served.root)
    assert served.known.jobs[-1].sources == (
        {"text": "The dam is high.", "title": "Dams", "source": "https://example.org/dams"},
        {"text": "It is old.", "title": "dams.pdf", "source": "dams.pdf"},
    )
    await outlet(BEFORE, message={"sources": [source]}, url=served.root, chat_sources=False)
    assert not served.known.jobs[-1].sources
