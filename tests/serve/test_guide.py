"""The example of the guide, with the client of OpenAI, against a server."""

import contextlib
import io
import re
from pathlib import Path

import pytest

from rarr.testing import ScriptedServer
from serve.serving import RIGHT, WRONG, Served, answers

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "serve.md"


@pytest.mark.loopback
def test_example_prints_the_revised_answer_and_its_notice() -> None:
    [code] = re.findall(r"^```py\n(.*?)^```$", GUIDE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    printed = io.StringIO()
    with (
        ScriptedServer(answers(f"It is {WRONG} high.")) as upstream,
        Served(serve_upstream_url=upstream.url, serve_corpora={"notes": "examples/corpus"}) as served,
        contextlib.redirect_stdout(printed),
    ):
        exec(compile(code.replace("http://127.0.0.1:8100/v1", served.url), str(GUIDE), "exec"), {})
    assert printed.getvalue() == f"It is {RIGHT} high. 1 corrected\n"
