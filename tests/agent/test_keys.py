"""A key that a server repeats stands nowhere: not in a revision, a trace or what listeners are told."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from makers import passage

from rarr import Reviser, Settings, Trace
from rarr.testing import Failure, InMemoryRetriever, Request, ScriptedServer

pytestmark = pytest.mark.loopback

KEY = "quiet/Harbour-42"  # of no provider's form
FACT = "The bridge opened in 1937."
TEXT = "The bridge opened in 1935."
ESCAPED = "".join(f"\\u{ord(character):04X}" for character in KEY)  # as JSON may hold it


def repeating(key: str) -> Callable[[Request], str]:
    """Answers with `said`, as it stands in JSON, in every text."""

    def answer(request: Request) -> str:
        user = request.messages[-1].content
        if "<evidence>" not in user:
            fields: dict[str, Any] = {
                "questions": [{"question": "When did the bridge open? KEY", "about": "1935"}]
            }
        else:
            fields = {
                "text_answer": "1935",
                "evidence_answer": "1937 KEY",
                "reason": "KEY",
                "verdict": "disagrees",
            }
            fields |= {"span": "1935", "revision": "1937 KEY"}
        return json.dumps(fields).replace("KEY", key)

    return answer


@pytest.mark.parametrize("said", [KEY, ESCAPED], ids=["plain", "escaped"])
def test_key_in_a_valid_answer_is_taken_out(tmp_path: Path, said: str) -> None:
    with ScriptedServer(repeating(said), requires_key=KEY) as server:
        settings = Settings(
            model="vllm:scripted",
            base_url=server.url,
            api_key=KEY,
            search=InMemoryRetriever([passage(FACT)]),
            home=tmp_path,
            rounds=1,
            preset="paper",
        )
        with Reviser(settings) as reviser:
            made = reviser.revise(TEXT)
    assert made.checks[0].reason == "***"
    outputs = [made.model_dump_json(), Trace.load(made.run_id, tmp_path).file.text()]
    assert not [text for text in outputs if KEY in text or said in text]


def test_key_in_an_error_is_taken_out(tmp_path: Path) -> None:
    message = f"{KEY} is " + KEY.replace("/", "\\/")
    with ScriptedServer({}, plan=[Failure(400, message=message)], plan_for_ever=True) as server:
        settings = Settings(model="vllm:scripted", base_url=server.url, api_key=KEY, home=tmp_path)
        with Reviser(settings.model_copy(update={"search": InMemoryRetriever([])})) as reviser:
            made = reviser.revise(TEXT)
    assert "*** is ***" in made.warnings[0].message
    assert "Harbour" not in Trace.load(made.run_id, tmp_path).file.text()
