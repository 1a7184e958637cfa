"""Runs the postprocessing of one answer: within its deadline, and whatever fails, with a text to send out."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, get_args

from rarr.agent.input_checks import required_text
from rarr.agent.postprocessing.conversation import Message, context_of
from rarr.agent.postprocessing.result import results
from rarr.agent.postprocessing.untouched_answer import untouched
from rarr.errors import InputError, RarrError
from rarr.records.postprocessing import Outcome, Postprocessed, PostprocessMode
from rarr.retrievers.given_passages import Given, GivenPassages
from rarr.tools.concurrency import by_deadline, in_thread, work
from rarr.tools.models.failures import redacted
from rarr.tools.text.wording import shown

if TYPE_CHECKING:
    from rarr.agent.revise import Reviser


@dataclass(frozen=True)
class AnswerRun:
    """One call of `postprocess`, with its options; see `Reviser.apostprocess`."""

    answer: str
    question: str | Sequence[Message] | None = None
    sources: Sequence[Given] | None = None
    mode: PostprocessMode = "revise"
    search: Literal["given"] | None = None
    deadline: float | None = None
    run_id: str | None = None

    given: str = field(init=False)
    """The answer as it came: the run warns of its characters that are not valid."""

    def __post_init__(self) -> None:
        """Raises `InputError` for a wrong call."""
        object.__setattr__(self, "given", self.answer)
        object.__setattr__(self, "answer", required_text(self.answer, "answer"))
        if self.mode not in (modes := get_args(PostprocessMode)):
            raise InputError(f"mode is {self.mode!r}: give one of {', '.join(map(repr, modes))}")
        if self.search not in (None, "given"):
            raise InputError(f"search is {self.search!r}: give 'given', or name sources in the settings")
        if self.search == "given" and self.sources is None:
            raise InputError(
                "search is given, and sources are not: give the passages of the model as sources"
            )
        if self.deadline is not None and not self._is_positive(self.deadline):
            raise InputError(f"deadline is {self.deadline!r}: give seconds above 0, or None for no deadline")

    async def in_time(self, finish: "Callable[[AnswerRun], Awaitable[Postprocessed]]") -> Postprocessed:
        """Awaits `finish(self)` and returns its result, or the untouched answer if the deadline comes first.

        Raises what `finish` raises.
        """
        if (result := await by_deadline(_awaited(finish, self), self.deadline)) is not None:
            return result
        return self._untouched("deadline", f"not checked: the deadline of {self.deadline:g} s came first")

    async def by(self, reviser: "Reviser") -> Postprocessed:
        """Postprocesses the answer. A failure is told by the result; a wrong call raises `InputError`."""
        try:
            return await self._result(reviser)
        except InputError:
            raise
        except Exception as error:  # an application must be able to send its answer out
            named = "" if isinstance(error, RarrError) else f"{type(error).__name__}: "
            return self._untouched(
                "failed", f"not checked: {named}{shown(redacted(' '.join(str(error).split())))}"
            )

    def _untouched(self, outcome: Outcome, notice: str) -> Postprocessed:
        return untouched(self.answer, self.mode, outcome, notice)

    async def _result(self, reviser: "Reviser") -> Postprocessed:
        context = context_of(self.question, self.answer)
        alone = self.search == "given" or not reviser.names_sources
        if self.mode != "revise":
            reviser = await in_thread(reviser.unedited)  # it is made at the first call
        if self.sources is not None:
            settings = reviser.settings
            given = await work(
                lambda: GivenPassages(
                    [] if self.sources is None else self.sources,
                    window=settings.window,
                    step=settings.step,
                    name="sources",
                )
            )
            if not given.sources and alone:
                return self._untouched("failed", "not checked: the answer has no sources")
            reviser = reviser.searching(given, alone=alone)
        return await results(reviser, self.given, context, self.mode, self.run_id)

    @staticmethod
    def _is_positive(number: object) -> bool:
        return isinstance(number, int | float) and not isinstance(number, bool) and number > 0


async def _awaited(finish: Callable[[AnswerRun], Awaitable[Postprocessed]], call: AnswerRun) -> Postprocessed:
    return await finish(call)
