"""Declares and reads all settings. Precedence, highest first: argument, environment, file, preset, default.

The file is `rarr.toml`, or else the table `[tool.rarr]` of `pyproject.toml`, in the working directory. The
name of an environment variable is `RARR_` and the name of the setting in capitals. Only this file reads or
changes the environment.
"""

import os
from importlib.metadata import distributions
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self, get_args

import platformdirs
from pydantic import BaseModel, Field, SecretStr, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, InitSettingsSource, PydanticBaseSettingsSource

from rarr.errors import SettingsError
from rarr.settings import reading
from rarr.settings.reading import Domain, EnvSource, Key, Moment, error_line, file_values, has_type
from rarr.valid_unicode import valid

ServeMode = Literal["revise", "cite", "check", "annotate", "off"]
"""What the server does with the answer of a model. `off`: nothing."""
Kind = Literal["own", "official", "reference", "news", "other", "forum"]
VERSION = next((it.version for it in distributions(name="rarr")), "0")
"""The version of the installed `rarr`; "0" if the package is not installed."""
SOURCES = ("corpus", "graph", "wikipedia", "tavily", "searxng")
"""The names that the setting `search` accepts."""
PRESETS: dict[str, dict[str, Any]] = {
    "default": {},
    # The constants of RARR (Gao et al. 2023, sections 3.2 to 3.4).
    "paper": {"documents_per_query": 5, "evidence_per_query": 1, "window": 4, "report_size": 5, "rounds": 1},
    "fast": {"documents_per_query": 2, "evidence_per_query": 1, "rounds": 1},
}
"""The values of the settings in each preset."""
EMBEDDED = ("embedded",)
"""The names of models that are not language models. The embedded reader only finds near quotations."""
_Price = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Endpoint(BaseModel, frozen=True, extra="forbid"):
    """The address, key and price of one model, in place of the settings `base_url` and `api_key`."""

    base_url: str | None = Field(default=None, min_length=1)
    api_key: Key | None = None
    price: Annotated[tuple[_Price, ...], Field(min_length=2, max_length=3)] | None = None
    """The prices of a million tokens: input, output and, if it has another price, cached input."""
    extra: dict[str, Any] = {}
    """Fields to add to the body of every request to an OpenAI-compatible server."""


# An error must not show a key from RARR_ENDPOINTS.
class Settings(BaseSettings, frozen=True, env_prefix="RARR_", hide_input_in_errors=True):
    """The settings of a run. Raises `SettingsError` for an unknown name."""

    # models
    preset: Literal["default", "paper", "fast"] = "default"
    """A named set of values for settings. A setting that you give replaces its value."""
    model: Any = "embedded"
    """The model for generate_queries, check_agreement and edit: `embedded`, or `provider:NAME`."""
    models: dict[str, Any] = {}
    """The model of a single node, by the node's name, also for attribute. It replaces `model`."""
    base_url: str | None = None
    """The address of the model's server. None: localhost, port 8000 for vllm:NAME, 11434 for ollama:NAME."""
    api_key: Key | None = None
    """The key of the model. None: the provider's environment variable, or no key for vllm and ollama."""
    endpoints: dict[str, Endpoint] = {}
    """By model name: `base_url`, `api_key`, `price` for a million tokens, `extra` fields of requests."""
    fallbacks: list[Any] = []
    """Language models to ask, in this order, if a node's language model fails."""
    max_answer_tokens: int = Field(default=4000, ge=16)
    """The most tokens of one answer, including reasoning."""
    weights: Path | None = None
    """A folder with weights for `embedded`, written by `rarr train editor`. None: no weights are used."""
    prompts: Path | None = None
    """A folder with your own prompts, such as edit.md. They replace prompts of the package."""
    doubt: Literal["auto", "always", "never"] = "auto"
    """Whether to ask a language model again about doubtful sentences; auto: unless its record is good."""

    # search
    search: Any = None
    """A source by name, several with commas, or a retriever. None: `corpus` and `graph`, else wikipedia."""
    corpus: Path | None = None
    """A folder, a file or a built index to search."""
    graph: Path | None = None
    """A file of triples to search: CSV, JSON lines or Turtle."""
    queries: Literal["auto", "questions", "sentences", "text"] = "auto"
    """What to search for: questions, sentences, or the text; auto: on the web questions, else sentences."""
    rounds: int = Field(default=2, ge=1, le=10)
    """The most rounds of research. Later rounds ask about sentences that still lack support."""
    reranker: str = Field(default="overlap", min_length=1)
    """`overlap`, `vllm:NAME`, or a cross-encoder: its folder or name (extra `torch`)."""
    documents_per_query: int = Field(default=5, ge=1, le=100)
    """K: documents to retrieve for a query."""
    evidence_per_query: int = Field(default=3, ge=1, le=100)
    """J: passages to keep for a query after reranking."""
    window: int = Field(default=4, ge=1, le=50)
    """The number of sentences in a passage."""
    wikipedia_language: str = "en"
    """The edition of Wikipedia to search."""
    wikipedia_url: str | None = None
    """Another MediaWiki to search instead of Wikipedia."""
    tavily_key: Key | None = Field(
        default_factory=lambda: SecretStr(os.environ.get("TAVILY_API_KEY", "")) or None
    )
    """The key for tavily. The variable TAVILY_API_KEY can also hold it."""
    tavily_url: str | None = None
    """Another address for tavily, such as a gateway."""
    searxng_url: str | None = None
    """The address of your SearXNG."""
    include_domains: list[Domain] = []
    """Web sources must be of these domains; empty: of any domain."""
    exclude_domains: list[Domain] = []
    """Web sources must not be of these domains."""
    published_after: Moment | None = None
    """Web sources must be published at this time or later. Sources without a date are left out."""
    published_before: Moment | None = None
    """Web sources must be published before this time. Sources without a date are left out."""
    source_kinds: dict[Domain, Kind] = {}
    """By domain: `official`, `reference`, `news`, `other` or `forum`. Replaces the package's kind."""
    offline: bool = False
    """Search only the cache and the corpus."""
    refresh: bool = False
    """Do not read the cache, but store all new results."""
    robots: bool = True
    """Do not fetch pages that the site's robots.txt forbids."""
    user_agent: str = f"rarr/{VERSION} (https://pypi.org/project/rarr/)"
    """The user agent of requests to the web. It should include a contact address."""

    # limits
    deadline_s: float | None = Field(default=None, gt=0)
    """The most seconds for one run. See `max_calls`."""
    max_cost: float | None = Field(default=None, ge=0)
    """The most cost of one run, about, in the unit of the prices in `endpoints`. See `max_calls`."""
    max_calls: int | None = Field(default=None, ge=0)
    """The most model requests in one run. At the limit, the run ends with the best revision so far."""
    max_tokens: int | None = Field(default=None, ge=0)
    """The most input and output tokens of one run, about; an open request counts as 200. See `max_calls`."""
    timeout_s: float = Field(default=60, gt=0)
    """The most seconds for one request to a language model, until the answer is complete."""
    concurrency: int = Field(default=32, ge=1, le=10_000)
    """The most model requests at once; unless set: 2 with Ollama, `serve_concurrency` in `rarr serve`."""

    # output
    report_size: int = Field(default=5, ge=1, le=100)
    """M: the most evidences in the attribution report."""

    # data
    trace: bool = True
    """Keep a trace of each run in the data folder: the input and output of nodes, with texts and evidence."""
    trace_days: float = Field(default=30, gt=0)
    """Days to keep traces."""
    home: Path = Field(default_factory=lambda: platformdirs.user_data_path("rarr"))
    """The user's data folder: indexes of corpora, cache, record of readers, and traces."""

    # server
    serve_upstream_url: str | None = None
    """The address of the OpenAI-compatible server behind `rarr serve`, such as http://localhost:8000/v1."""
    serve_upstream_key: Key | None = None
    """The key for the upstream server. None: the key that a caller sends, unless it is in `serve_token`."""
    serve_token: Key | None = None
    """The tokens of callers, several with commas. Each caller has one token."""
    serve_host: str = "127.0.0.1"
    """The address at which `rarr serve` listens. An address that other machines reach needs `serve_token`."""
    serve_port: int = Field(default=8100, ge=0, le=65535)
    """The port at which `rarr serve` listens; 0: any free port."""
    serve_mode: ServeMode = "revise"
    """What to do with an answer, unless the request tells: revise, cite, check, annotate or off."""
    serve_deadline_s: float = Field(default=30, gt=0)
    """The most seconds for an answer or a block of a streamed answer. Then the original is sent."""
    serve_workers: int | None = Field(default=None, ge=1, le=64)
    """Processes that revise. None: one for each core. Not used with a language model."""
    serve_max_body_mb: float = Field(default=16, gt=0)
    """The most megabytes of the body of a request."""
    serve_body_timeout_s: float = Field(default=20, gt=0)
    """The most seconds for the body of a request."""
    serve_upstream_timeout_s: float = Field(default=600, gt=0)
    """The most seconds without a byte from `serve_upstream_url`."""
    serve_concurrency: int = Field(default=256, ge=1)
    """The most parallel requests of all callers together."""
    serve_shutdown_s: float = Field(default=20, gt=0)
    """Seconds to finish open requests after SIGTERM. Shortly before the end, originals are sent."""

    # constants that users cannot set
    attempts: ClassVar[int] = 3
    """How often a request is sent at most, if it fails with a lost connection, or the status 429 or 5xx."""
    support_threshold: ClassVar[float] = 0.55
    """The least support by a judge, from 0 to 1, with which a sentence counts as supported."""
    trace_max_mb: ClassVar[float] = 500
    """The most megabytes of all traces together. Above this size, the oldest traces are removed."""

    def __init__(self, **values: Any) -> None:
        """Raises `SettingsError` with one line that names the wrong setting and the cure."""
        if values.get("base_url") == "":  # an empty variable counts as unset
            raise SettingsError("setting 'base_url' is '': give http://HOST:PORT/v1")
        try:
            super().__init__(**values)
        except ValidationError as error:
            raise SettingsError(error_line(error, values, type(self).model_fields, {*os.environ})) from None

    @property
    def scope(self) -> Literal["sentence", "text"]:
        """The unit of checks and edits: each `sentence`, or in the preset `paper` the whole `text`."""
        return "text" if self.preset == "paper" else "sentence"

    @property
    def is_embedded(self) -> bool:
        """True if no node uses a language model."""
        return all(model in EMBEDDED for model in (self.model, *self.models.values()))

    @property
    def names_source(self) -> bool:
        """True if the settings name a source. If they name no source, Wikipedia is searched."""
        return any(each is not None for each in (self.search, self.corpus, self.graph))

    def model_access(self, name: str) -> tuple[str | None, str | None, dict[str, Any]]:
        """Returns three values for a model: the base URL, the API key, and the extra fields of requests.

        The values are from `endpoints`, or else from `base_url` and `api_key`. A model with a base URL in
        `endpoints` does not get `api_key`, so that no other server sees that key.
        """
        own = self.endpoints.get(name, Endpoint())
        key = own.api_key or (None if own.base_url else self.api_key)
        return own.base_url or self.base_url or None, key.get_secret_value() if key else None, own.extra

    @field_validator("*")
    @classmethod
    def _holds_valid_unicode(cls, value: Any) -> Any:
        return valid(value)  # a path stays as it is, because its bytes are the file system's

    @field_validator("*", mode="before")
    @classmethod
    def _is_read_as_written(cls, value: Any, info: Any) -> Any:
        annotation = cls.model_fields[info.field_name].annotation
        if isinstance(value, bool) and {int, float} & {annotation, *get_args(annotation)}:
            raise ValueError("give a number")  # pydantic reads true as 1
        if has_type(annotation, Path) and (value == "" or not isinstance(value, str | os.PathLike | None)):
            raise ValueError("give a path")  # "" is an unset shell variable, not the working directory
        return value

    @model_validator(mode="after")
    def _period_is_not_empty(self) -> Self:
        if self.published_after and self.published_before and self.published_after >= self.published_before:
            raise ValueError("nothing is published between published_after and published_before: change one")
        return self

    @model_validator(mode="before")
    @classmethod
    def _with_preset_values(cls, values: dict[str, Any]) -> dict[str, Any]:
        for name in os.environ:
            prefix, key = name[:5].upper(), name[5:].lower()
            if prefix == "RARR_" and key not in cls.model_fields:
                near = reading.closest_name(key, cls.model_fields)
                raise SettingsError(f"environment variable {name} is not a setting{near}: unset it")
        return PRESETS.get(str(values.get("preset", "default")), {}) | values

    @classmethod
    def settings_customise_sources(
        cls, settings_cls: type[BaseSettings], init_settings: Any, *others: Any, **more: Any
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Returns the sources of settings: arguments, environment, file. Files of secrets are not read."""
        return init_settings, EnvSource(settings_cls), InitSettingsSource(settings_cls, file_values())


def without_server_settings(settings: Settings) -> Settings:
    """Returns the settings with default values for all settings of `rarr serve`, such as callers' tokens."""
    defaults = {name: field.default for name, field in Settings.model_fields.items()}
    return settings.model_copy(update={it: defaults[it] for it in defaults if it.startswith("serve_")})


def set_environment_variable(name: str, value: str) -> None:
    """Sets an environment variable for libraries, and for the processes that this process starts."""
    os.environ[name] = value
