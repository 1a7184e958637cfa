"""Offers the public calls `postprocess` and `apostprocess`."""

from collections.abc import AsyncIterator, Sequence
from concurrent.futures import CancelledError
from contextlib import asynccontextmanager
from typing import Any

from rarr.agent.postprocessing.answer_run import AnswerRun
from rarr.agent.postprocessing.conversation import Message
from rarr.agent.revise import Reviser
from rarr.records.postprocessing import Postprocessed, PostprocessMode
from rarr.retrievers.given_passages import Given
from rarr.settings import Settings
from rarr.tools.concurrency import in_thread, require_awaited, run


def postprocess(
    answer: str,
    question: str | Sequence[Message] | None = None,
    sources: Sequence[Given] | None = None,
    *,
    mode: PostprocessMode = "revise",
    deadline: float | None = None,
    **settings: Any,
) -> Postprocessed:
    """Postprocesses the answer of a model: corrects it, cites it, reports on it, or marks what is doubtful.

    `question` is the question or the conversation (messages with role and content) that it answers.
    `sources` are the passages that the model was given: strings, `Passage` records, documents of LangChain,
    or search results such as {"text": ..., "url": ..., "title": ...}. They are searched first, and other
    sources only if the settings name a corpus or a search; with `search="given"`, they are searched alone.

    `mode` is `revise`, `cite` (only adds citations), `check` (changes nothing and reports) or `annotate`
    (marks what is contradicted or not confirmed). After `deadline` seconds the original is returned with a
    notice; building the models and indexing a corpus count too. `settings` are the fields of `Settings`.

    A failed search or model never raises: the result holds the original, and a notice that says why. Raises
    `InputError` for a wrong call, and `SetupError` where something that the settings ask for is missing.
    """
    return run(apostprocess(answer, question, sources, mode=mode, deadline=deadline, **settings))


async def apostprocess(
    answer: str,
    question: str | Sequence[Message] | None = None,
    sources: Sequence[Given] | None = None,
    *,
    mode: PostprocessMode = "revise",
    deadline: float | None = None,
    **settings: Any,
) -> Postprocessed:
    """`postprocess` for async callers."""
    search = "given" if settings.get("search") == "given" else None
    if search:
        settings |= {"search": None, "corpus": None}
    call = AnswerRun(answer, question, sources, mode, search, deadline)  # type: ignore[arg-type]

    async def finish(call: AnswerRun) -> Postprocessed:
        async with _built(settings) as reviser:
            return await call.by(reviser)

    return await call.in_time(finish)


@asynccontextmanager
async def _built(settings: dict[str, Any]) -> AsyncIterator[Reviser]:
    """Builds a reviser on a thread, and closes it, also if it is built after the caller was cancelled."""
    made: list[Reviser] = []

    def build() -> None:
        made.append(Reviser(Settings(**settings)))
        try:
            require_awaited()
        except CancelledError:
            made[0].close()
            raise

    try:
        await in_thread(build)
        yield made[0]
    finally:
        for reviser in made:
            await reviser.aclose()
