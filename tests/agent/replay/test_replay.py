"""Recorded runs, run again: as they were, and with another prompt or model."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from families import few

from rarr import InputError, ModelError, Reviser, Settings
from rarr.agent.replay.replay import CURRENT, replay
from rarr.agent.wiring.components import wire
from rarr.components import Baseline
from rarr.prompts import FOLDER, Prompt
from rarr.testing import Failure, RuleModel, ScriptedModel, ScriptedServer
from rarr.tools.models.answer_parsing import read_answer
from rarr.tools.models.chat import CallFailure
from rarr.tools.models.language_model import LanguageModel
from rarr.traces.trace_reader import Trace
from rarr.views.html.trace import page

pytestmark = pytest.mark.loopback

TEXT = "The Hoover Dam is 212 metres high. It was opened in 1936."
CORPUS = "examples/corpus/hoover-dam.md"


def recorded(text: str = TEXT, context: str | None = None, **settings: object) -> Trace:
    with Reviser(Settings(corpus=CORPUS, **settings)) as reviser:
        return Trace.load(reviser.revise(text, context).run_id)


@pytest.fixture(scope="module")
def of_rules() -> Trace:
    return recorded()


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer(RuleModel()) as server:
        yield server


def prompt_file(folder: Path, name: str = "check_agreement", *, called: str = "mine") -> Path:
    """The package's prompt with one more instruction."""
    text = (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    file = folder / f"{called}.md"
    file.write_text(text.replace("\n<!-- user -->", "\nBe strict.\n<!-- user -->"), encoding="utf-8")
    return file


class Stubborn:
    """To the changed prompt it says that a passage is irrelevant wherever it says 726."""

    def __init__(self) -> None:
        self._rules = RuleModel()

    def __call__(self, asked: Any) -> str | dict[str, str]:
        system, user = asked.messages[0], asked.messages[-1]
        if "Be strict." in str(system) and "726" in str(user):
            return {"text_answer": "", "evidence_answer": "", "reason": "no", "verdict": "irrelevant"}
        return self._rules(asked)


@pytest.mark.parametrize("context", few([None, "How high is the Hoover Dam?"], every=2))
def test_recorded_answers_reproduce_the_revision_byte_for_byte(
    server: ScriptedServer, context: str | None
) -> None:
    trace = recorded(context=context, model="vllm:rules", base_url=server.url)
    asked = len(server.requests)
    server.close()
    replayed = replay(trace)
    assert replayed.same
    assert asked and replayed.changes.asked == []


@pytest.mark.parametrize(
    ("settings", "baseline"),
    [
        ({}, {}),
        ({"rounds": 1}, {}),
        ({"queries": "sentences"}, {}),
        ({}, {"editor": "random"}),
    ],
)
def test_embedded_run_is_reproduced_without_its_corpus(
    settings: dict[str, object], baseline: Any, tmp_path: Path
) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "dam.txt").write_text("The Hoover Dam is 221 metres high. It opened in 1936.", encoding="utf-8")
    components = wire(Settings(corpus=notes, **settings), baseline=Baseline(**baseline))
    with Reviser(components=components) as reviser:
        trace = Trace.load(reviser.revise(TEXT).run_id)
    (notes / "dam.txt").unlink()
    assert replay(trace).same


def test_run_with_several_judges_is_refused() -> None:
    trace = recorded()
    trace.file.facts.settings["models"] = {"attribute": "embedded+vllm:a"}
    with pytest.raises(InputError, match="names several judges at once"):
        replay(trace)


def test_failures_are_reproduced() -> None:
    failures = [None, CallFailure("refused", "no such model", status=404)]
    trace = recorded(model=ScriptedModel(RuleModel(), failures=failures))
    assert trace.revision is not None and trace.revision.warnings
    assert replay(trace).same


def test_search_that_failed_fails_again(tmp_path: Path) -> None:
    class Down:
        async def retrieve(self, query: str, k: int) -> list[object]:
            raise ConnectionError("no route")

    with Reviser(Settings(search=Down())) as reviser:
        revision = reviser.revise(TEXT)
    assert {sentence.status for sentence in revision.report.sentences} == {"retrieval_failed"}
    assert replay(Trace.load(revision.run_id)).same


def test_exactly_the_verdicts_that_another_prompt_changes(tmp_path: Path) -> None:
    with ScriptedServer(Stubborn()) as server:
        trace = recorded(model="vllm:rules", base_url=server.url, preset="paper")
        before = len(server.requests)
        changed_prompt = prompt_file(tmp_path, "check_agreement_paper")
        replayed = replay(trace, "check_agreement", prompt=changed_prompt, base_url=server.url)
        asked = [call for call in replayed.changes.asked if call.name == "check_agreement_paper"]
        assert len(server.requests) - before == len(asked)
    old = {check.evidence_id: check for check in (trace.revision.checks if trace.revision else ())}
    about_726 = [
        evidence
        for evidence in trace.state()["evidence"]
        if "726" in evidence.text and old[evidence.id].verdict in ("agrees", "disagrees")
    ]
    assert about_726
    changed = {change.evidence.text for change in replayed.changes.verdicts}
    assert changed == {evidence.text for evidence in about_726}
    assert {change.after.verdict for change in replayed.changes.verdicts if change.after} == {"irrelevant"}
    assert replayed.revision is None
    assert all("Be strict." in call.after.prompt for call in asked if call.after)


def test_another_model_answers_for_one_node(server: ScriptedServer) -> None:
    trace = recorded(model="vllm:rules", base_url=server.url, preset="paper")
    before = len(server.requests)
    other = ScriptedModel(RuleModel(), name="other")
    replayed = replay(trace, "edit", model=other)
    assert other.calls and len(server.requests) == before
    assert replayed.changes.edits == []


def test_node_that_was_embedded_is_asked_of_a_model(server: ScriptedServer) -> None:
    trace = recorded()
    replayed = replay(trace, "check_agreement", model="vllm:rules", base_url=server.url)
    assert server.requests
    assert {call.before for call in replayed.changes.asked} == {None}


@pytest.mark.parametrize(
    ("node", "given", "message"),
    [
        ("chekc", {}, "is not a node"),
        ("rewrite", {"model": "vllm:x"}, "did not reach rewrite"),
        (None, {"prompt": "x.md"}, "name the node"),
        ("edit", {"prompt": "missing.md", "model": "vllm:x"}, "cannot be read"),
        ("edit", {"prompt": "mine.md"}, "edit asked no language model in this run: give a model"),
        ("edit", {"model": "rule"}, "unknown model 'rule'"),
        ("edit", {"modell": "x"}, "unknown setting 'modell'"),
    ],
)
def test_call_that_is_wrong_names_the_cure(
    node: str | None, given: dict[str, Any], message: str, of_rules: Trace
) -> None:
    with pytest.raises(InputError, match=message):
        replay(of_rules, node, **given)


def test_key_address_and_path_are_never_those_of_a_trace() -> None:
    named = {name for name in Settings.model_fields if re.search(r"_(?:key|url|path)$", name)}
    typed = {
        name
        for name, field in Settings.model_fields.items()
        if re.search(r"\b(?:SecretStr|Path|Endpoint)\b", str(field.annotation))
    }
    assert {*named, *typed, "search", "trace", "user_agent"} == CURRENT


@pytest.mark.slow
def test_trace_of_somebody_else_reaches_no_address_of_its_own(
    server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = recorded(model="vllm:rules", base_url=server.url)
    unanswered = [span for span in trace.file.spans if span.kind != "request"]
    other = Trace(trace.file.model_copy(update={"spans": unanswered}))
    before = len(server.requests)
    monkeypatch.setenv("RARR_API_KEY", "sk-mine")
    assert not replay(other).same
    with ScriptedServer(RuleModel()) as own_server:
        assert replay(other, "check_agreement", base_url=own_server.url).asked == len(own_server.requests) > 0
    assert len(server.requests) == before


@pytest.mark.slow
def test_questions_that_fail_are_no_result(tmp_path: Path) -> None:
    with ScriptedServer(RuleModel()) as server:
        trace = recorded(model="vllm:rules", base_url=server.url)
    given: dict[str, Any] = {"prompt": prompt_file(tmp_path), "base_url": server.url}
    replayed = replay(trace, "check_agreement", **given)
    assert replayed.asked == len(replayed.failed) > 0
    assert "cannot be reached" in replayed.failed[0]


def test_run_without_a_revision_has_nothing_to_compare_with(server: ScriptedServer) -> None:
    trace = recorded()
    cut = Trace(trace.file.model_copy(update={"revision": None, "seconds": None}))
    with pytest.raises(InputError, match="no revision to compare with: resume it, or replay a node"):
        replay(cut)


def test_run_that_reads_whole_replies_is_replayed_byte_for_byte(monkeypatch: pytest.MonkeyPatch) -> None:
    async def by_reply(model: LanguageModel, prompt: Prompt, shape: type[Any], variables: Any) -> Any:
        reply = await model.reply(prompt, variables, max_tokens=300)
        if reply.cut:
            raise ModelError(f"{reply.served} was cut off at {reply.text!r}")
        return read_answer(reply.text, shape)

    monkeypatch.setattr(LanguageModel, "ask", by_reply)
    with ScriptedServer(RuleModel(), plan=[None, Failure("cut")]) as server:
        trace = recorded(model="vllm:rules", base_url=server.url)
    replayed = replay(trace)
    assert replayed.same
    assert replayed.revision is not None
    assert any("rules was cut off at '{" in notice.message for notice in replayed.revision.warnings)
    assert "2 answers" not in page(trace)
