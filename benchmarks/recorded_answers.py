"""Answers of a language model in a file: a run can continue from it, or repeat without the model."""

import hashlib
import json
from pathlib import Path

from rarr.tools.models.chat import Answer, CallFailure, ChatModel, ChatRequest, Tokens


class KeptAnswers:
    """Answers from the file. Asks `live` for missing answers, and appends each to the file.

    The key of an answer is the hash of its prompt and the messages that the model was sent.
    """

    def __init__(self, name: str, file: Path, live: ChatModel | None = None) -> None:
        """`name` is that of the model, as in the settings. Without `live` a new request fails.

        `repeated` counts the answers that the file gave.
        """
        self.name, self.repeated = name, 0
        self._file, self._live = file, live
        lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
        self._kept = {kept["key"]: kept for kept in map(json.loads, lines)}

    async def complete(self, ask: ChatRequest) -> Answer:
        """Raises `CallFailure` for a new request when there is no live model."""
        key = _key(ask)
        if key in self._kept:
            self.repeated += 1
        else:
            self._keep(key, ask, await self._asked(ask))
        kept = self._kept[key]
        return Answer(tuple(kept["texts"]), Tokens(*kept["tokens"]))

    async def aclose(self) -> None:
        """Closes the connections of the model."""
        if self._live is not None:
            await self._live.aclose()

    async def _asked(self, ask: ChatRequest) -> Answer:
        if self._live is None:
            cure = "record the answers anew with python -m benchmarks.real_model --answers FILE"
            raise CallFailure("refused", f"{self.name} was not asked this for prompt {ask.name}: {cure}")
        return await self._live.complete(ask)

    def _keep(self, key: str, ask: ChatRequest, answer: Answer) -> None:
        kept = {
            "key": key,
            "prompt": ask.name,
            "texts": answer.texts,
            "tokens": answer.tokens,
        }
        self._kept[key] = kept
        with self._file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(kept, ensure_ascii=False) + "\n")


def _key(ask: ChatRequest) -> str:
    asked = [ask.prompt[2], [message.content for message in ask.messages[1:]], ask.samples, ask.temperature]
    return hashlib.sha256(json.dumps(asked).encode()).hexdigest()[:16]
