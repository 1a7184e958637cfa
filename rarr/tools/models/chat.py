"""Declares the interface of a chat model: messages and a schema go in, texts and their tokens come out.

Each backend is one small class: `langchain_chat.py` for every model that a name chooses, and the doubles of
`rarr.testing`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, Literal, NamedTuple, Protocol

from rarr.valid_unicode import valid


class Message(NamedTuple):
    """One message of a chat."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True)
class ChatRequest:
    """A request for `samples` answers, each of them JSON that fits `schema`.

    `prompt` is the name of the prompt, its version and hash; the schema is called by that name.
    `probability`: ask for the probabilities of the answers as well. `keeps_cut`: a text that was cut off at
    `max_tokens` is an answer, and not a failure. `seed` is sent to servers that take it, unless it is 0.
    """

    prompt: tuple[str, str, str]
    messages: tuple[Message, ...]
    schema: Mapping[str, Any]
    samples: int = 1
    temperature: float = 0.0
    max_tokens: int = 1000
    probability: bool = False
    keeps_cut: bool = False
    seed: int = 0

    @property
    def name(self) -> str:
        """The name of the prompt."""
        return self.prompt[0]


class Tokens(NamedTuple):
    """Tokens of one request. `cached` is the part of `input` that the server read from its prefix cache."""

    input: int = 0
    output: int = 0
    cached: int = 0


class Sample(NamedTuple):
    """One text of an answer, and its probability; None where that is not known."""

    text: str
    probability: float | None = None


@dataclass(frozen=True)
class Answer:
    """The answer of a model: one text for each sample (at least one, at most as many as asked for).

    `probabilities` has the probability of each text, from 0 to 1: the product of the probabilities of the
    tokens in its JSON strings, or of all tokens where it has none. It is empty where the server was not asked
    for them or does not know them. `cut`: a text was cut off at `max_tokens`, and the request keeps such
    texts. `served` is the name of the model by which the server answered; empty if it gave none.
    """

    texts: tuple[str, ...]
    tokens: Tokens
    probabilities: tuple[float, ...] = ()
    cut: bool = False
    served: str = ""

    @property
    def samples(self) -> list[Sample]:
        """Each text with its probability."""
        return [Sample(*pair) for pair in zip_longest(self.texts, self.probabilities[: len(self.texts)])]


NO_TOKENS = Tokens()


class ChatModel(Protocol):
    """A language model. `name` is its `provider:name` in the settings.

    How it does on planted sentences is kept by its attribute `server`, an address, if it has one.
    """

    name: str

    async def complete(self, ask: ChatRequest) -> Answer:
        """Sends one request. Raises `CallFailure` for every failure, and `Adapted`."""

    async def aclose(self) -> None:
        """Closes its connections."""


Kind = Literal["timeout", "connection", "busy", "server", "refused", "too_long", "resting", "cut", "declined"]


class CallFailure(Exception):  # noqa: N818  # it is caught within the package and never leaves it
    """One request that failed. `retry_after`: the seconds that the server asks to wait.

    `status` and `said` are the HTTP status and the server's own message, where it answered. `tokens` are the
    tokens of an answer that cannot be used. `begun`: an answer that was cut off had started; a model that
    reasons first may be cut off before its answer starts. `limit`: the tokens that the model can read, if the
    failure `too_long` tells them.

    Kinds: `timeout` (no answer in time), `connection` (refused, or lost during the answer), `busy` (429),
    `server` (5xx, or an answer in another form), `refused` (another 4xx: asking again would not help),
    `too_long` (prompt and answer do not fit into the context of the model), `resting` (not sent, because the
    server failed several times just before), `cut` (the answer was longer than `max_tokens`), `declined`
    (the model refused, or a filter withheld the answer).
    """

    def __init__(
        self,
        kind: Kind,
        message: str,
        retry_after: float | None = None,
        *,
        status: int | None = None,
        said: str = "",
        tokens: Tokens = NO_TOKENS,
        begun: bool = False,
        limit: int | None = None,
    ) -> None:
        super().__init__(valid(message))
        self.tokens = tokens
        self.begun = begun
        self.kind = kind
        self.retry_after = retry_after
        self.status = status
        self.said = valid(said)
        self.limit = limit


class Adapted(Exception):  # noqa: N818  # as `CallFailure`
    """The server refused a part of the request. The part is left out from now on: send it again at once."""


def estimated_tokens(texts: Sequence[str]) -> int:
    """Estimates the tokens of these texts: one for four bytes of UTF-8, as common tokenizers need."""
    return sum(-(-len(text.encode(errors="surrogatepass")) // 4) for text in texts)


def name_of(model: Any) -> str:
    """The name of a model: a string itself, or the `name`, `model_name`, `model` or class of an object."""
    if isinstance(model, str):
        return valid(model)
    names = (getattr(model, name, None) for name in ("name", "model_name", "model"))
    return valid(next((str(name) for name in names if name), type(model).__name__))
