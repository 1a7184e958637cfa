"""The examples with the client of OpenAI, of the guide and of README, against a server."""

import contextlib
import io
import re
from pathlib import Path

import pytest

from rarr.testing import ScriptedServer
from serve.serving import RIGHT, WRONG, Served, answers

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "serve.md"
README = GUIDE.parents[2] / "README.md"
EXAMPLES = [
    pytest.param(code, id=page.name)
    for page in (GUIDE, README)
    for code in re.findall(r"^```py\n(.*?)^```$", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    if "OpenAI(" in code
]


@pytest.mark.loopback
@pytest.mark.parametrize("code", EXAMPLES)
def test_example_prints_the_revised_answer_and_its_notice(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    printed = io.StringIO()
    with (
        ScriptedServer(answers(f"It is {WRONG} high.")) as upstream,
        Served(serve_upstream_url=upstream.url, serve_corpora={"notes": "examples/corpus"}) as served,
        contextlib.redirect_stdout(printed),
    ):
        exec(compile(code.replace("http://127.0.0.1:8100/v1", served.url), str(GUIDE), "exec"), {})
    assert printed.getvalue() == f"It is {RIGHT} high. 1 corrected\n"
