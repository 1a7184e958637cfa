"""Opens the models and sources that a replay asks if the trace lacks an answer."""

from functools import cached_property

from rarr.agent.wiring.components import wire
from rarr.agent.wiring.language_models import chat_model
from rarr.components import Components, text_of_source
from rarr.errors import RetrievalError
from rarr.records import Evidence
from rarr.settings import Settings
from rarr.tools.concurrency import in_thread
from rarr.tools.models.chat import Answer, CallFailure, ChatModel, ChatRequest


class LiveComponents:
    """Models and sources of the current `settings`, opened when they are first needed.

    `outcomes` has one entry for each question to a model: the error, or "" where there was none.
    """

    settings: Settings

    def __init__(self) -> None:
        self.outcomes: list[str] = []

    def model(self, named: object) -> ChatModel:
        """Makes the model with this name in the settings; its calls are added to `outcomes`.

        Raises `SettingsError` or `SetupError` if the model cannot be used.
        """
        return _Counted(chat_model(named, self.settings), self.outcomes)

    @cached_property
    def components(self) -> Components:
        """The components for searching. Raises `RetrievalError` if the settings name no source."""
        if not self.settings.names_source:
            raise RetrievalError("the recorded run did not search for this: name what to search")
        return wire(self.settings.model_copy(update={"model": "embedded", "models": {}, "fallbacks": []}))

    async def text_of(self, evidence: Evidence) -> str | None:
        """Reads the text into which the offsets of `evidence` point; None if no source has it."""
        components = await in_thread(lambda: self.components)  # it may index a corpus
        return await text_of_source(components.opened, evidence)


class _Counted:
    def __init__(self, model: ChatModel, outcomes: list[str]) -> None:
        self.name, self._model, self._outcomes = model.name, model, outcomes

    async def complete(self, ask: ChatRequest) -> Answer:
        try:
            answer = await self._model.complete(ask)
        except CallFailure as failure:
            self._outcomes.append(str(failure))
            raise
        self._outcomes.append("")
        return answer

    async def aclose(self) -> None:
        await self._model.aclose()
