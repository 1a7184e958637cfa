"""Declares the interface of a chat model: messages and a schema go in, texts and their tokens come out.

Each backend is a small class: `langchain_chat.py` for all models with a name, and the doubles of
`rarr.testing`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol

from rarr.valid_unicode import valid

DEFAULT_URLS = {"vllm": "http://localhost:8000/v1", "ollama": "http://localhost:11434/v1"}
"""The local providers with OpenAI's protocol, each with its address if `base_url` is not set."""
MODEL_NAMES = ", ".join(f"{provider}:NAME" for provider in (*DEFAULT_URLS, "openai"))
"""The names of models that help and errors give as examples."""
EXPECTED_TOKENS = 200
"""The tokens of an answer that a budget expects if the request names no number."""


class Message(NamedTuple):
    """One message of a chat."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True)
class ChatRequest:
    """A request for `samples` answers of at most `max_tokens` tokens, each of them JSON that fits `schema`.

    `name` is the name of the prompt and of the schema. `expected` is the number of tokens that a budget
    expects of an answer. `seed` is sent to servers that accept a seed, unless it is 0.
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
    """Tokens of one request. `cached` is the part of `input` that the server read from its prefix cache."""

    input: int = 0
    output: int = 0
    cached: int = 0


@dataclass(frozen=True)
class Answer:
    """The answer of a model. `texts` has a text for each sample: at least one text, at most `samples`.

    `cut` tells whether a text was cut off at `max_tokens`. `served` is the name of the model in the server's
    answer; empty if the answer has no name. `key` is the key under which a store may keep the answer, if any.
    `model` is the name of the model in the settings, in an answer that a `LanguageModel` returns.
    """

    texts: tuple[str, ...]
    tokens: Tokens
    cut: bool = False
    served: str = ""
    key: tuple[Any, ...] = ()
    model: str = ""


class ChatModel(Protocol):
    """A language model. `name` is `provider:name`, as in the settings. It may have an address, `server`."""

    name: str

    async def complete(self, ask: ChatRequest) -> Answer:
        """Sends one request. Raises `CallFailure` for every failure."""

    async def aclose(self) -> None:
        """Closes the connections."""


FailureKind = Literal[
    "timeout", "connection", "busy", "spent", "server", "refused", "too_long", "resting", "declined"
]  # fmt: skip


class CallFailure(Exception):  # noqa: N818  # it is caught within the package and never leaves it
    """A request failed. `retry_after` are the seconds that the server asks to wait, or None.

    `status` and `said` are the HTTP status and the message of the server, if the server answered. `tokens`
    are the tokens of an answer that cannot be used.

    Kinds: `timeout` (no answer in time), `connection` (no connection), `busy` (429), `spent` (the
    account has no credit left), `server` (5xx, a connection that was closed, an answer in another form),
    `refused` (another 4xx), `too_long` (prompt and answer do not fit into the context of the model),
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
    """Estimates the tokens of these texts: one token for four bytes of UTF-8, like common tokenizers."""
    return sum(-(-len(text.encode(errors="surrogatepass")) // 4) for text in texts)


def name_of(model: Any) -> str:
    """Returns the name of a model: the string, or the object's `name`, `model_name`, `model` or class."""
    if isinstance(model, str):
        return valid(model)
    names = (getattr(model, name, None) for name in ("name", "model_name", "model"))
    return valid(next((str(name) for name in names if name), type(model).__name__))
