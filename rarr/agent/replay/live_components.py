"""What a replay asks for real, because the trace does not have it."""

from functools import cached_property

from rarr.agent.wiring.components import wire
from rarr.agent.wiring.language_models import chat_model
from rarr.components import Components
from rarr.errors import RetrievalError
from rarr.settings import Settings
from rarr.tools.models.chat import Answer, CallFailure, ChatModel, ChatRequest


class Live:
    """Models and sources of today's `settings`, opened when they are first needed.

    `asked` has an entry for each question to a model: what went wrong, empty for nothing.
    """

    settings: Settings

    def __init__(self) -> None:
        self.asked: list[str] = []

    def model(self, named: object) -> ChatModel:
        """By what the settings call it. Raises `SettingsError` or `SetupError` where it is not to be had."""
        return _Counted(chat_model(named, self.settings), self.asked)

    @cached_property
    def components(self) -> Components:
        """What is searched, and what reranks, where the settings name a source. Raises `RetrievalError`."""
        if self.settings.search is None and self.settings.corpus is None:
            raise RetrievalError("the recorded run did not search for this: name what to search")
        return wire(self.settings.model_copy(update={"model": "embedded", "models": {}, "fallbacks": []}))


class _Counted:
    def __init__(self, model: ChatModel, asked: list[str]) -> None:
        self.name, self._model, self._asked = model.name, model, asked

    async def complete(self, ask: ChatRequest) -> Answer:
        try:
            answer = await self._model.complete(ask)
        except CallFailure as failure:
            self._asked.append(str(failure))
            raise
        self._asked.append("")
        return answer

    async def aclose(self) -> None:
        await self._model.aclose()
