"""Runs that write an article: their limits, checkpoints and traces, and their replays."""

import asyncio
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from agent.writing.mill_articles import TOPIC, MillSearch, answers, require_right, settings_of
from benchmarks import mills
from rarr import Article, InputError, Writer
from rarr.agent.replaying import replay
from rarr.prompts import FOLDER
from rarr.testing import ScriptedModel
from rarr.tools.models.chat import Answer, CallFailure, ChatRequest
from rarr.traces.trace_reader import Trace


def model(sections: int = 3, wrong: int = 1) -> ScriptedModel:
    return ScriptedModel(answers(sections, wrong))


def written(asked: ScriptedModel, **settings: Any) -> Article:
    with Writer(settings_of(asked, MillSearch(0.0), **settings)) as writer:
        return writer.write(TOPIC)


def test_wrong_value_is_corrected_and_cited() -> None:
    article = written(model())
    require_right(article, 3)
    [edit] = article.research.edits
    assert (edit.old, edit.new, edit.state) == ("1804", "1801", "accepted")
    assert article.research.original != article.research.text
    assert (article.as_written.recall, article.checked.recall) == (2 / 3, 1.0)
    assert article.sentences[0].written[0].label == "7"


def test_usage_names_the_nodes_of_writing() -> None:
    article = written(model())
    calls = {node: usage.model_calls for node, usage in article.usage.by_node.items() if usage.model_calls}
    assert calls == {"plan": 1, "write_section": 3, "cite": 1}


def test_limit_of_calls_leaves_named_gaps() -> None:
    article = written(model(), max_calls=2)
    assert article.usage.model_calls == 2
    assert [section.state for section in article.sections].count("written") == 1
    assert "not written: a limit of the run was reached" in article.text
    assert "budget_exhausted" in {warning.code for warning in article.warnings}


def test_deadline_that_is_over_writes_nothing_and_raises_nothing() -> None:
    article = written(model(), deadline_s=1e-6)
    assert article.sentences == ()
    assert "budget_exhausted" in {warning.code for warning in article.warnings}


class Stuck(ScriptedModel):
    """Never answers about the second section, and tells when it is asked."""

    def __init__(self) -> None:
        super().__init__(answers(3, 1))
        self.asked = asyncio.Event()

    async def complete(self, ask: ChatRequest) -> Answer:
        if f"Section: {mills.mill(1)}\n" in ask.messages[1].content:
            self.asked.set()
            await asyncio.Event().wait()
        return await super().complete(ask)


async def test_interrupted_run_goes_on_from_its_checkpoint() -> None:
    saver, stuck = InMemorySaver(), Stuck()
    async with Writer(settings_of(stuck, MillSearch(0.0)), checkpointer=saver) as writer:
        run = asyncio.create_task(writer.awrite(TOPIC, run_id="w1"))
        await stuck.asked.wait()
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run
    again = model()
    settings = settings_of(again, MillSearch(0.0))
    async with Writer(settings, checkpointer=saver) as writer:
        article = await writer.aresume("w1")
        finished = await writer.aresume("w1")
    require_right(article, 3)
    assert "outline" not in {call.name for call in again.calls}
    assert finished == article


async def test_used_name_of_a_run_is_refused() -> None:
    async with Writer(settings_of(model(), MillSearch(0.0)), checkpointer=InMemorySaver()) as writer:
        await writer.awrite(TOPIC, run_id="w1")
        with pytest.raises(InputError, match="begun before"):
            await writer.awrite(TOPIC, run_id="w1")


def test_trace_holds_topic_and_article() -> None:
    article = written(model())
    trace = Trace.load(article.run_id)
    assert (trace.file.facts.original, trace.status) == (TOPIC, "done")
    assert trace.revision == article.research


def test_replay_gives_the_same_run_byte_for_byte() -> None:
    trace = Trace.load(written(model()).run_id)
    repeated = replay(trace)
    assert repeated.same
    assert repeated.asked == 0


def test_replay_of_a_run_with_failures_repeats_them() -> None:
    failing = ScriptedModel(answers(3, 1), failures=[None, CallFailure("refused", "no")])
    article = written(failing)
    assert "write_section_failed" in {warning.code for warning in article.warnings}
    assert replay(Trace.load(article.run_id)).same


def test_node_is_replayed_with_another_prompt(tmp_path: Any) -> None:
    trace = Trace.load(written(model()).run_id)
    file = tmp_path / "write_section.md"
    text = (FOLDER / "write_section.md").read_text(encoding="utf-8")
    file.write_text(text.replace("\n<!-- user -->", "\nBe brief.\n<!-- user -->"), encoding="utf-8")
    repeated = replay(trace, "write_section", prompt=file, model=model(wrong=0))
    assert repeated.asked == 3
    assert repeated.failed == []


def test_outline_is_part_of_the_trace() -> None:
    with Writer(settings_of(model(), MillSearch(0.0))) as writer:
        article = writer.write(TOPIC, [mills.mill(0), mills.mill(1)])
    trace = Trace.load(article.run_id)
    assert trace.file.facts.context == f"{mills.mill(0)}\n{mills.mill(1)}"
    assert replay(trace).same
