"""The filter for Open WebUI, loaded as Open WebUI loads it, against servers over sockets."""

import re
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from serve.serving import ALICE, RIGHT, SOURCE, WRONG, Served

pytestmark = pytest.mark.loopback

FILE = Path(__file__).parents[2] / "examples" / "open_webui" / "filter.py"
TEXT = FILE.read_text(encoding="utf-8")
BEFORE, AFTER = f"The dam is {WRONG} high.", f"The dam is {RIGHT} high."
QUESTION = {"role": "user", "content": "How high is the dam?"}


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    with Served(serve_corpora={"dams": "examples/corpus"}) as server:
        yield server


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


async def test_conversation_and_valves_reach_the_server(served: Served) -> None:
    await outlet(BEFORE, url=f"{served.url}/", corpus="dams", mode="check", deadline_s=7)
    job = served.known.jobs[-1]
    assert (job.text, job.corpus, job.options) == (BEFORE, "dams", {"mode": "check"})
    assert job.context == [QUESTION]
    assert 6 < (job.deadline_s or 0) <= 7


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


async def test_token_is_sent_and_missed() -> None:
    with Served(serve_token=ALICE) as locked:
        content, said = await outlet(BEFORE, url=locked.root)
        assert (content, said[-1][:32]) == (BEFORE, "rarr: not checked: send a token ")
        content, said = await outlet(BEFORE, url=locked.root, token=ALICE)
        assert (RIGHT in content, said[-1]) == (True, "rarr: 1 corrected")
