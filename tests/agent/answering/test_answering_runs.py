"""Runs that answer a question: their traces, replays and checkpoints."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from agent.answering.helpers import writer
from rarr import Answerer, InputError, ModelError, Settings
from rarr.agent.replaying import replay
from rarr.prompts import FOLDER
from rarr.records.answers import Answer
from rarr.testing import ScriptedModel
from rarr.tools.models.chat import Answer as ModelAnswer, CallFailure, ChatRequest
from rarr.traces.trace_reader import Trace

PEOPLE, DAM = Path("examples/graph/people.csv"), Path("examples/corpus/hoover-dam.md")
QUESTION = "Where was Marie Curie born, and how high is the Hoover Dam?"


WRITTEN = ("Marie Curie was born in Warsaw.", "Hoover Dam is 726 feet high.", "It is made of cheese.")


def answered(model: Any = None, question: str = QUESTION, **settings: Any) -> Answer:
    given = {"graph": PEOPLE, "corpus": DAM, "model": model or writer(*WRITTEN)} | settings
    with Answerer(Settings(**given)) as answerer:
        return answerer.answer(question)


def statuses(answer: Answer) -> list[str]:
    return [statement.status for statement in answer.statements]


def test_trace_holds_the_question_and_the_statements() -> None:
    answer = answered()
    trace = Trace.load(answer.run_id)
    assert (trace.file.facts.original, trace.status) == (QUESTION, "done")
    assert trace.revision is not None
    assert trace.revision.text == answer.text
    assert [each.status for each in trace.revision.report.sentences] == statuses(answer)
    assert statuses(answer) == ["supported", "supported", "unconfirmed"]


def test_usage_names_the_nodes_of_answering() -> None:
    usage = answered().usage.by_node
    assert list(usage) == ["find_triples", "retrieve", "rerank", "write_answer", "check_statements"]
    assert usage["write_answer"].model_calls == 1


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"graph": None},
        {"corpus": None},
        {"corpus": None, "model": "embedded", "question": "Who was Marie Curie, and what did she eat?"},
        {"model": "embedded"},
    ],
    ids=["graph and documents", "documents", "graph", "quoted graph", "quoted documents"],
)
def test_replay_needs_no_source_and_gives_the_same_run_byte_for_byte(changed: dict[str, Any]) -> None:
    repeated = replay(Trace.load(answered(**changed).run_id))
    assert repeated.same
    assert repeated.asked == 0


def test_replay_repeats_the_warning_about_namesakes(tmp_path: Path) -> None:
    twins = tmp_path / "twins.csv"
    lines = ("a,Ida Lunde,place of birth,,Bergen", "b,Ida Lunde,place of birth,,Oslo")
    twins.write_text("\n".join(("subject_id,subject,relation,object_id,object", *lines)), encoding="utf-8")
    answer = answered(question="Where was Ida Lunde born?", graph=twins, corpus=None, model="embedded")
    assert len(answer.warnings) == 1
    assert replay(Trace.load(answer.run_id)).same


def test_answer_is_replayed_with_another_prompt(tmp_path: Path) -> None:
    trace = Trace.load(answered().run_id)
    file = tmp_path / "answer_with_citations.md"
    text = (FOLDER / "answer_with_citations.md").read_text(encoding="utf-8")
    file.write_text(text.replace("\n<!-- user -->", "\nBe brief.\n<!-- user -->"), encoding="utf-8")
    repeated = replay(trace, "write_answer", prompt=file, model=writer(*WRITTEN))
    assert (repeated.asked, repeated.failed) == (1, [])


def test_run_whose_model_fails_is_recorded_as_failed() -> None:
    failing = ScriptedModel({}, failures=[CallFailure("refused", "no")])
    with pytest.raises(ModelError):
        answered(failing)
    assert Trace.load("last").status == "failed"


class Stuck(ScriptedModel):
    """Never answers, and tells when it is asked."""

    def __init__(self) -> None:
        super().__init__({})
        self.asked = asyncio.Event()

    async def complete(self, ask: ChatRequest) -> ModelAnswer:
        self.asked.set()
        await asyncio.Event().wait()
        return await super().complete(ask)


async def test_interrupted_run_goes_on_from_its_checkpoint() -> None:
    saver, stuck = InMemorySaver(), Stuck()
    given = {"graph": PEOPLE, "corpus": DAM}
    async with Answerer(Settings(**given, model=stuck), checkpointer=saver) as answerer:
        run = asyncio.create_task(answerer.aanswer(QUESTION, run_id="a1"))
        await stuck.asked.wait()
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run
    steps = list[str]()
    again = writer(*WRITTEN)
    settings = Settings(**given, model=again)
    async with Answerer(settings, checkpointer=saver, on_step=steps.append) as answerer:
        answer = await answerer.aresume("a1")
        finished = await answerer.aresume("a1")
    assert steps == ["write_answer", "check_statements"]
    assert statuses(answer) == ["supported", "supported", "unconfirmed"]
    assert finished == answer
    assert [call.name for call in again.calls].count("answer_with_citations") == 1


async def test_used_name_of_a_run_is_refused() -> None:
    async with Answerer(Settings(graph=PEOPLE), checkpointer=InMemorySaver()) as answerer:
        await answerer.aanswer("Where was Marie Curie born?", run_id="a1")
        with pytest.raises(InputError, match="begun before"):
            await answerer.aanswer("Where was Marie Curie born?", run_id="a1")
