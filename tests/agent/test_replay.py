"""Recorded runs, run again: as they were, and with another prompt or model."""

import re
from pathlib import Path
from typing import Any

import pytest

from agent.answer_writer import read
from rarr import InputError, Reviser, Settings
from rarr.agent.replaying import NOT_REPLAYED, replay
from rarr.prompts import FOLDER
from rarr.testing import Asked, InMemoryRetriever, RuleModel, ScriptedModel, ScriptedServer
from rarr.tools.models.chat import CallFailure
from rarr.traces.trace_reader import Trace

pytestmark = pytest.mark.loopback

TEXT = "The Hoover Dam is 212 metres high. It was opened in 1936."
CORPUS = "examples/corpus/hoover-dam.md"


def recorded(**settings: object) -> Trace:
    with Reviser(Settings(corpus=CORPUS, **settings)) as reviser:
        return Trace.load(reviser.revise(TEXT).run_id)


def prompt_file(folder: Path) -> Path:
    """The package's prompt with one more instruction."""
    text = (FOLDER / "check_agreement.md").read_text(encoding="utf-8")
    file = folder / "check_agreement.md"
    file.write_text(text.replace("\n<!-- user -->", "\nBe strict.\n<!-- user -->"), encoding="utf-8")
    return file


def stubborn(asked: Asked) -> str:
    """To the changed prompt it says `open` about every sentence."""
    is_changed = asked.prompt == "check_agreement" and "Be strict." in asked.system
    return read(asked, lambda words: {"q": ["P1.1"], "v": "open"} if is_changed else None)


def test_answer_that_cannot_be_read_is_a_failure() -> None:
    replayed = replay(recorded(), "check_agreement", model=ScriptedModel(lambda asked: "<think>I think"))
    assert (replayed.asked, replayed.after.scores.attribution_after) == (3, None)
    assert "did not answer in the requested form" in replayed.failed[0]


def test_run_that_edits_nothing_is_replayed() -> None:
    with Reviser(Settings(corpus=CORPUS)) as reviser:
        assert replay(Trace.load(reviser.unedited().revise(TEXT).run_id)).same


def test_failures_of_models_and_searches_are_reproduced() -> None:
    failures = [None, CallFailure("refused", "no such model", status=404)]
    trace = recorded(model=ScriptedModel(RuleModel(), failures=failures))
    assert trace.revision is not None and trace.revision.warnings
    assert replay(trace).same
    with Reviser(search=InMemoryRetriever(ConnectionError("no route"))) as reviser:
        revision = reviser.revise(TEXT)
    assert {sentence.status for sentence in revision.report.sentences} == {"retrieval_failed"}
    assert replay(Trace.load(revision.run_id)).same


def test_changed_prompt_is_asked_at_the_recorded_address(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("RARR_API_KEY", "sk-mine")
    with ScriptedServer(stubborn) as server:
        url = server.url.replace("//", "//me:pass@word@")
        trace = recorded(model="vllm:rules", base_url=url)
        assert server.url in trace.file.text() and "word@" not in trace.file.text()
        before = len(server.requests)
        monkeypatch.setenv("RARR_BASE_URL", "http://127.0.0.1:9/v1")  # whose key this is
        replayed = replay(trace, prompt=prompt_file(tmp_path))
        assert len(server.requests) - before == replayed.asked > 0
        assert not any("sk-mine" in str(request.headers) for request in server.requests[before:])
        monkeypatch.setenv("RARR_BASE_URL", url)
        replay(trace, prompt=prompt_file(tmp_path))
        assert server.requests[-1].headers["authorization"] == server.requests[0].headers["authorization"]
    assert {it.before.status for it in replayed.changes if it.before} == {"supported"}
    assert {it.after.status for it in replayed.changes if it.after} == {"unconfirmed"}
    assert all(it.text in TEXT and it.why for it in replayed.changes)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"prompt": "nope.md"}, "there is no file 'nope.md'"),
        ({"prompt": "README.md"}, "name the node, .*, or give the file the name of its prompt"),
        ({"model": "vllm:rules"}, "name the node, as node='check_agreement'"),
        ({"prompt": 7}, "there is no file '7'"),
        ({"trace": "last"}, r"trace is a str: give a trace, such as Trace.load\('last'\)"),
        ({"prompt": FOLDER / "edit.md"}, "edit asked no language model in this run: give a model as well"),
        ({"node": "edit", "prompt": FOLDER / "outline.md", "model": "m"}, "in this run: name the file after"),
    ],
)
def test_replay_that_names_no_node_or_prompt_of_the_run_says_what_to_name(given: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        replay(**{"trace": recorded()} | given)


def test_run_of_a_version_that_called_retrieve_once_a_query_is_not_replayed(tmp_path: Path) -> None:
    file, text, named = tmp_path / "old.json", recorded().text(), '"kind":"node","name":"retrieve","about":"'
    assert named in text
    file.write_text(text.replace(named, f"{named}q1"))
    with pytest.raises(InputError, match="replays it: revise the text again, or install"):
        replay(Trace.read(file))


def test_key_and_path_are_never_those_of_a_trace() -> None:
    fields, kinds = Settings.model_fields, r"\b(?:SecretStr|Path|Endpoint)\b"
    named = {name for name in fields if re.search(r"_(?:key|url|path)$", name)}
    typed = {name for name, field in fields.items() if re.search(kinds, str(field.annotation))}
    assert {*named, *typed, "search", "trace", "user_agent"} == NOT_REPLAYED


def test_trace_of_somebody_else_reaches_no_address_of_its_own(tmp_path: Path) -> None:
    theirs, ours = tmp_path / "theirs.json", {"base_url": "http://127.0.0.1:9"}
    with ScriptedServer(RuleModel()) as server:
        own = {"vllm:rules": {"base_url": server.url}}
        trace = recorded(model="vllm:rules", base_url=server.url, endpoints=own)
        theirs.write_text(trace.file.text(), encoding="utf-8")  # as it is, with its addresses
        assert server.url in str(trace.file.facts.settings) and server.url in theirs.read_text()
        assert server.url not in trace.text()
        before = len(server.requests)
        replayed = replay(Trace.read(theirs), "check_agreement", prompt=prompt_file(tmp_path), **ours)
        assert len(server.requests) == before
    assert replayed.asked == len(replayed.failed) > 0 and "; start its server or fix" in replayed.failed[0]
