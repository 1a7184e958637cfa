"""Runs that answer a question or write an article: their limits, traces, replays and checkpoints."""

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from agent.answer_writer import read, writer
from agent.test_writer import ARCHES, BUILT, CLOSED, PASSAGES, TOPIC
from rarr import Answerer, Article, Settings, Writer
from rarr.agent.replaying import replay
from rarr.records.citations import Answer
from rarr.testing import Asked, InMemoryRetriever, ScriptedModel
from rarr.tools.models.chat import Answer as ModelAnswer, CallFailure, ChatRequest
from rarr.traces.trace_reader import Trace

PEOPLE, DAM = Path("examples/graph/people.csv"), Path("examples/corpus/hoover-dam.md")
QUESTION = "Where was Marie Curie born, and how high is the Hoover Dam?"
STATEMENTS = ("Marie Curie was born in Warsaw.", "Hoover Dam is 726 feet high.", "It is made of cheese.")
LATE = BUILT.replace("1912", "1921")
SECTIONS = {"History": f"{LATE} [7]", "Design": f"{ARCHES} [2]", "Closure": f"{CLOSED} [3]"}
KINDS: dict[str, Any] = {"answer": Answerer, "article": Writer}


def article_answers(asked: Asked) -> Any:
    """Plans three sections, and writes the first with a wrong year and a wrong citation."""
    if asked.prompt == "outline":
        return {"sections": list(SECTIONS)}
    if asked.prompt != "write_section":
        return read(asked)
    return {"text": SECTIONS[re.findall(r"^Section: (.+)$", asked.user, re.MULTILINE)[-1]]}


def model_for(kind: str) -> ScriptedModel:
    return writer(*STATEMENTS) if kind == "answer" else ScriptedModel(article_answers)


def settings_for(kind: str, model: Any = None, **more: Any) -> Settings:
    article: dict[str, Any] = {"search": InMemoryRetriever(PASSAGES)}
    sources = {"graph": PEOPLE, "corpus": DAM} if kind == "answer" else article
    return Settings(**({**sources, "model": model or model_for(kind)} | more))


def made(kind: str, **more: Any) -> Any:
    with KINDS[kind](settings_for(kind, **more)) as owner:
        return owner.write(TOPIC) if kind == "article" else owner.answer(QUESTION)


def require_right(result: Answer | Article) -> None:
    """Fails unless the answer has its three statuses, or the article all years and citations."""
    if isinstance(result, Answer):
        assert [it.status for it in result.statements] == ["supported", "supported", "unconfirmed"]
        return
    assert all(text in result.text for text in (BUILT, ARCHES, CLOSED))
    assert [it.passage.source for it in result.citations] == ["built.md", "design.md", "trains.md"]


@pytest.mark.parametrize(
    ("kind", "failures"),
    [("answer", ()), ("article", ()), ("article", [None, CallFailure("refused", "no")])],
)
def test_trace_holds_the_run_and_replays_it_byte_for_byte(kind: str, failures: Any) -> None:
    result = made(kind, model=ScriptedModel(article_answers, failures=failures) if failures else None)
    trace = Trace.load(result.run_id)
    assert trace.status == "done" and trace.file.facts.original == (QUESTION if kind == "answer" else TOPIC)
    text = result.text if kind == "answer" else result.research.text
    assert trace.revision and trace.revision.text.split() == text.split()
    repeated = replay(trace)
    assert repeated.same and repeated.asked == 0


class Stuck(ScriptedModel):
    """Never answers about `words`, and tells when it is asked."""

    def __init__(self, kind: str, words: str) -> None:
        super().__init__({})
        self.model, self.words, self.asked = model_for(kind), words, asyncio.Event()

    async def complete(self, ask: ChatRequest) -> ModelAnswer:
        if self.words in ask.messages[1].content:
            self.asked.set()
            await asyncio.Event().wait()
        return await self.model.complete(ask)


@pytest.mark.parametrize(
    ("kind", "asked", "words", "once"),
    [
        ("answer", QUESTION, QUESTION, {"answer_with_citations": 1}),
        ("answer", QUESTION, STATEMENTS[-1], {"answer_with_citations": 0, "check_agreement": 1}),
        ("article", TOPIC, "Section: Design\n", {"outline": 0}),
    ],
)
async def test_interrupted_run_goes_on(kind: str, asked: str, words: str, once: dict[str, int]) -> None:
    saver, stuck, again = InMemorySaver(), Stuck(kind, words), model_for(kind)
    async with KINDS[kind](settings_for(kind, stuck), checkpointer=saver) as owner:
        call = owner.awrite if kind == "article" else owner.aanswer
        run = asyncio.create_task(call(asked, run_id="r1"))
        await stuck.asked.wait()
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run
    async with KINDS[kind](settings_for(kind, again), checkpointer=saver) as owner:
        result, finished = await owner.aresume("r1"), await owner.aresume("r1")
    require_right(result)
    assert finished == result
    assert {name: [it.name for it in again.calls].count(name) for name in once} == once


def test_wrong_value_of_an_article_is_corrected_and_cited() -> None:
    article = made("article")
    require_right(article)
    [edit] = article.research.edits
    assert (edit.old, edit.new, edit.state) == ("1921", "1912", "accepted")
    assert (article.as_written.recall, article.checked.recall) == (2 / 3, 1.0)
    assert article.sentences[0].written[0].label == "7"


@pytest.mark.parametrize(("limit", "written"), [({"max_calls": 2}, 1), ({"deadline_s": 1e-6}, 0)])
def test_limit_leaves_named_gaps_of_an_article(limit: dict[str, Any], written: int) -> None:
    article = made("article", **limit)
    assert [section.state for section in article.sections].count("written") == written
    assert written == 0 or "not written: a limit of the run was reached" in article.text
    assert "budget_exhausted" in {warning.code for warning in article.warnings}
