"""Offers the public calls `answer` and `aanswer`."""

from typing import Any, get_args

from rarr.agent.answering.answer_sources import GivenSource, QuestionSources, graph_of, question_sources
from rarr.agent.answering.extractive_answer import extractive_answer
from rarr.agent.answering.statement_checks import checked_statements
from rarr.agent.answering.statement_drafts import Draft, built_answer
from rarr.agent.final_revision import budget_of, usage_of
from rarr.agent.input_checks import required_text
from rarr.agent.revise import Reviser
from rarr.agent.wiring.language_models import LanguageModels
from rarr.backends.prompted.cited_answers import PromptedAnswers, WrittenAnswer
from rarr.backends.prompted.prompts import Prompts
from rarr.errors import InputError
from rarr.records import Notice
from rarr.records.answers import Answer, Unsupported
from rarr.retrievers.graph.relations import sentence_of
from rarr.settings import EMBEDDED, Settings
from rarr.tools.concurrency.background_loop import run
from rarr.tools.concurrency.worker_threads import in_thread, work
from rarr.tools.models.run_budget import METER, Meter


def answer(
    question: str, *, draft: str | None = None, unsupported: Unsupported = "mark", **settings: Any
) -> Answer:
    """Answers a question in statements, each with the triples or passages on which it rests.

    A statement that no source supports is marked as `[NA]`, or left out with `unsupported="drop"`. With a
    `draft`, an answer that somebody else wrote, its statements are checked against a graph: those that the
    graph says get its triples, citations in brackets are checked, and the others are marked.
    `settings` are the fields of `Settings`, such as `graph="people.csv"` or `corpus="notes/"`. Without a
    language model in `model`, the statements are sentences of the sources. Raises `RetrievalError` if a
    source cannot be searched, and `ModelError` or `BudgetError` if the model cannot be asked.
    """
    return run(aanswer(question, draft=draft, unsupported=unsupported, **settings))


async def aanswer(
    question: str, *, draft: str | None = None, unsupported: Unsupported = "mark", **settings: Any
) -> Answer:
    """`answer` for async callers."""
    if unsupported not in get_args(Unsupported):
        raise InputError(f"unsupported is {unsupported!r}: give mark or drop")
    async with await in_thread(lambda: Reviser(Settings(**settings))) as reviser:
        return await answered(reviser, question, unsupported, draft)


async def answered(
    reviser: Reviser, question: str, unsupported: Unsupported = "mark", draft: str | None = None
) -> Answer:
    """Answers a question by the sources and the model of a reviser; raises as `answer` does."""
    question = required_text(question, "question")
    draft = None if draft is None else required_text(draft, "draft")
    if graph_of(reviser._components) is None and draft is not None:
        raise InputError("a draft is checked against a graph: give graph, or see rarr cite for documents")
    settings = reviser.settings
    meter = Meter(budget_of(settings), text=f"{question}\n{draft or ''}")
    token = METER.set(meter)
    try:
        found = await question_sources(reviser, question if draft is None else f"{question}\n{draft}")
        if draft is not None:
            written = await work(WrittenAnswer.of_free_text, draft)
            statements = written.statements if written else []
            drafts, notices = await checked_statements(question, statements, found, reviser._components)
        elif settings.model in EMBEDDED:
            drafts, notices = await extractive_answer(question, found, settings), []
        else:
            drafts, notices = await _prompted(question, found, reviser)
        warnings = [*notices, *meter.warnings]
        return await work(
            built_answer, question, drafts, found.sources, unsupported, usage_of(meter), warnings
        )
    finally:
        METER.reset(token)


async def _prompted(
    question: str, found: QuestionSources, reviser: Reviser
) -> tuple[list[Draft], list[Notice]]:
    """Lets the language model of the settings write the statements, and checks each of them."""
    settings = reviser.settings
    models = await in_thread(lambda: LanguageModels(settings, [settings.model]))
    model = models[settings.model]
    try:
        prompts = await in_thread(lambda: Prompts(settings.prompts))
        sources = await work(lambda: [_listed(source) for source in found.sources])
        written = await PromptedAnswers(model, prompts).write(question, sources)
        return await checked_statements(question, written, found, reviser._components)
    finally:
        await model.aclose()


def _listed(source: GivenSource) -> str:
    """Writes a source for the model: the sentence of its triple alone, or its passage with the title."""
    if source.triple is not None:
        return sentence_of(source.triple.subject, source.triple.relation, [source.triple.object])
    title = f"{source.passage.title}: " if source.passage.title else ""
    return f"{title}{source.passage.text}"
