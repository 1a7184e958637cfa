"""Postprocesses the answers of one chain or agent with one reviser, built when the first answer comes."""

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock
from typing import Any

from rarr.agent.postprocessing.answer_run import AnswerRun
from rarr.agent.postprocessing.conversation import Message
from rarr.agent.revise import Reviser
from rarr.errors import InputError
from rarr.records.postprocessing import Postprocessed, PostprocessMode
from rarr.retrievers.given_passages import Given
from rarr.settings import Settings
from rarr.tools.concurrency import result_of
from rarr.tools.text.plurals_and_articles import kind_of


class AnswerStep:
    """Postprocesses answers as `rarr.postprocess` does, also several at once and in several event loops."""

    def __init__(
        self,
        reviser: Reviser | None,
        mode: PostprocessMode,
        search: Any,
        deadline: float | None,
        settings: dict[str, Any],
    ) -> None:
        """Raises `InputError` for wrong options. The models are built later, on a thread."""
        AnswerRun("an answer", mode=mode, deadline=deadline)  # raises for a wrong mode or deadline
        self.alone = search == "given"
        """True: the sources of an answer are searched alone."""
        self._mode, self._deadline = mode, deadline
        self._reviser: Reviser | None = reviser
        self._building: Future[Reviser] | None = None
        self._lock = Lock()
        if self.alone and reviser is None:
            settings = settings | {"search": None, "corpus": None}
        elif search is not None and not self.alone:
            settings = settings | {"search": search}
        if reviser is None:
            self._settings = Settings(**settings)
        elif not isinstance(reviser, Reviser):
            raise InputError(f"reviser is {kind_of(reviser)}: give rarr.Reviser(rarr.Settings(...))")
        elif settings:
            raise InputError(
                f"a reviser and {', '.join(settings)} are given: put {', '.join(settings)} into the settings"
                " of the reviser"
            )

    async def postprocessed(
        self, answer: str, question: str | Sequence[Message] | None, sources: Sequence[Given] | None
    ) -> Postprocessed:
        """Postprocesses one answer. Building the models counts against its deadline.

        Raises `InputError` for a wrong call, and `RarrError` where the models cannot be built.
        """
        if self.alone and sources is None:
            raise InputError(
                "search is 'given', and the input has no sources: give a dict with answer and sources"
            )
        search = "given" if self.alone else None
        call = AnswerRun(answer, question, sources, self._mode, search, self._deadline)  # type: ignore[arg-type]
        return await call.in_time(self._finish)

    async def _finish(self, call: AnswerRun) -> Postprocessed:
        reviser = self._reviser
        if reviser is None:
            reviser = await result_of(self._built())
        return await call.by(reviser)

    def _built(self) -> "Future[Reviser]":
        """Returns the reviser that is being built or is ready; after a failure, it is built again.

        A deadline does not end the building: the next answer finds the models ready.
        """
        with self._lock:
            if self._building is None or (self._building.done() and self._building.exception()):
                self._building = ThreadPoolExecutor(1, "rarr-building").submit(Reviser, self._settings)
            return self._building
