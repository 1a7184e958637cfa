"""Declares the interface of a chat model. A request has messages and a JSON schema; an answer has texts.

Each kind of model is a small class: `langchain_chat.py` has the class for all models that the settings name,
and `rarr.testing` has scripted models for tests.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol

from rarr.valid_unicode import valid

DEFAULT_URLS = {"vllm": "http://localhost:8000/v1", "ollama": "http://localhost:11434/v1"}
"""Maps each local provider with OpenAI's protocol to its address, which counts if `base_url` is not set."""
MODEL_NAMES = ", ".join(f"{provider}:NAME" for provider in (*DEFAULT_URLS, "openai"))
"""Examples of names of models, for help texts and error messages."""
EXPECTED_TOKENS = 200
"""The number of tokens that a budget expects of an answer if the request does not set `expected`."""


class Message(NamedTuple):
    """One message of a chat: the role of the author, and the text."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True)
class ChatRequest:
    """A request for `samples` answers. Each answer has at most `max_tokens` tokens and is JSON for `schema`.

    `name` is the name of the prompt and of the schema. `expected` is the number of tokens that a budget
    expects of an answer. The server gets the `seed`, unless it is 0 or the server refuses seeds.
    """

    name: str
    prompt_hash: str
    messages: tuple[Message, ...]
    schema: Mapping[str, Any]
    samples: int = 1
    temperature: float = 0.0
    max_tokens: int = 1000
    expected: int = EXPECTED_TOKENS
    seed: int = 0


class Tokens(NamedTuple):
    """The token counts of one request. `cached` counts the input tokens that the server had in its cache."""

    input: int = 0
    output: int = 0
    cached: int = 0


@dataclass(frozen=True)
class Answer:
    """The answer of a model. `texts` has one text for each sample, but a server may return fewer samples.

    `cut` tells whether a text was cut off at `max_tokens`. `served` is the name of the model in the server's
    answer; empty if the answer has no name. A store may keep the answer under `key`, unless `key` is empty.
    `model` is the name of the model in the settings; only `LanguageModel` sets this field.
    """

    texts: tuple[str, ...]
    tokens: Tokens
    cut: bool = False
    served: str = ""
    key: tuple[Any, ...] = ()
    model: str = ""


class ChatModel(Protocol):
    """The interface of a chat model. `name` is `provider:name`. A model may have an address, `server`."""

    name: str

    async def complete(self, ask: ChatRequest) -> Answer:
        """Sends one request and returns the answer. Raises `CallFailure` for every failure."""

    async def aclose(self) -> None:
        """Closes the connections of the running event loop."""


FailureKind = Literal[
    "timeout", "connection", "busy", "spent", "server", "refused", "too_long", "resting", "declined"
]  # fmt: skip


class CallFailure(Exception):  # noqa: N818  # it is caught within the package and never leaves it
    """A request failed. `retry_after` is the wait in seconds that the server asks for, or None.

    `status` and `said` are the HTTP status and the message of the server, if the server answered. `tokens`
    counts the tokens of an answer that cannot be used.

    Kinds: `timeout` (no answer in time), `connection` (no connection), `busy` (status 429), `spent` (the
    account has no credit left), `server` (status 5xx, a closed connection, or an answer in a wrong form),
    `refused` (another status 4xx), `too_long` (prompt and answer do not fit into the context of the model),
    `resting` (not sent, because the server failed several times just before), `declined` (the model refused,
    or a filter withheld the answer).
    """

    def __init__(
        self,
        kind: FailureKind,
        message: str,
        retry_after: float | None = None,
        *,
        status: int | None = None,
        said: str = "",
        tokens: Tokens = Tokens(),  # noqa: B008  # it is immutable
    ) -> None:
        super().__init__(valid(message))
        self.kind, self.retry_after, self.status, self.said = kind, retry_after, status, valid(said)
        self.tokens = tokens


def estimated_tokens(texts: Sequence[str]) -> int:
    """Estimates the number of tokens of these texts: one token for each four bytes of UTF-8."""
    return sum(-(-len(text.encode(errors="surrogatepass")) // 4) for text in texts)


def name_of(model: Any) -> str:
    """Returns `model`, if a string, or the first of its `name`, `model_name`, `model` and class name."""
    if isinstance(model, str):
        return valid(model)
    names = (getattr(model, name, None) for name in ("name", "model_name", "model"))
    return valid(next((str(name) for name in names if name), type(model).__name__))
