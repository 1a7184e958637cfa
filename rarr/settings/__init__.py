"""Every knob, declared once. Precedence: argument, environment, file, preset, default.

The file is `rarr.toml`, or else the table `[tool.rarr]` of `pyproject.toml`, in the working directory; the
environment's names are `RARR_` and the name in capitals. This is the only file that reads the environment.
"""

import os
import re
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import platformdirs
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic_settings import (
    BaseSettings,
    InitSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from rarr.errors import SettingsError
from rarr.settings.environment import Variables
from rarr.settings.file import file_values
from rarr.settings.presets import PRESETS
from rarr.settings.setting_errors import closest, cure
from rarr.settings.source_filters import Domains, Moment, by_domain, require_possible
from rarr.unicode import valid

Kind = Literal["own", "official", "reference", "news", "other", "forum"]


def installed_version() -> str:
    """The version of `rarr`; "0" where it runs without being installed."""
    try:
        return version("rarr")
    except PackageNotFoundError:
        return "0"


_SECRET = re.compile(r"api_key|tavily_key|endpoints")  # settings whose values are not repeated in errors

Price = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Endpoint(BaseModel):
    """How one model is reached, and what it costs; wins over `base_url` and `api_key`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    base_url: str | None = None
    api_key: SecretStr | None = None
    price: Annotated[tuple[Price, ...], Field(min_length=2, max_length=3)] | None = None
    """For a million tokens: input, output and, where it differs, input that the server had cached."""
    extra: dict[str, Any] = {}
    """Goes into the body of every request to an OpenAI-compatible server."""


class Settings(BaseSettings):
    """What a run does and what it may use. An unknown key is a `SettingsError`."""

    model_config = SettingsConfigDict(
        frozen=True,
        extra="forbid",
        env_prefix="RARR_",
        hide_input_in_errors=True,  # an error must not repeat a key that is in RARR_ENDPOINTS
    )

    preset: Literal["default", "paper", "fast"] = "default"
    """Named set of the values below; anything given explicitly wins over it."""
    model: Any = "embedded"
    """The model for generate_queries, check_agreement and edit: `embedded`, `rules`, or `provider:NAME`."""
    models: dict[str, Any] = {}
    """The model for a node, by the node's name, attribute included; wins over `model`."""
    weights: Path | None = None
    """A folder with weights for `embedded`, as `rarr train editor` writes it; None: those that ship."""
    fallbacks: list[Any] = []
    """Models that are asked, in this order, where a node's language model fails."""
    base_url: str | None = None
    """Where an OpenAI-compatible server answers; None: http://localhost:8000/v1 for vllm:NAME."""
    api_key: SecretStr | None = None
    """The key of the model; None: the provider's environment variable, and none for vllm:NAME."""
    endpoints: dict[str, Endpoint] = {}
    """By model name: `base_url`, `api_key`, `price` for a million tokens, and `extra` for the body."""
    prompts: Path | None = None
    """A folder with prompts of your own, such as edit.md; what it lacks is the package's."""
    query_samples: int = Field(default=3, ge=1, le=10)
    """Times that a language model is asked for questions, at once; they are united."""
    query_temperature: float = Field(default=0.7, ge=0, le=2)
    """Sampling temperature of these; everything else is asked at 0."""
    queries: Literal["questions", "sentences", "text"] = "questions"
    """What is searched for: questions, or, to compare with, each sentence or the text as it stands."""
    agreement: bool = True
    """Edit only where evidence disagrees; without, to compare with, wherever an editor finds a change."""
    blind: bool = True
    """A language model answers each question from the passage alone; code compares it with the text."""
    editor: Literal["minimal", "efec", "lamda", "random", "none"] = "minimal"
    """`minimal` edits, or, to compare with, a rewriting of each sentence or the text, by chance, or none."""
    scope: Literal["sentence", "text"] = "sentence"
    """What checks and edits look at: the query's sentences, or the text, one evidence after another."""
    rounds: int = Field(default=2, ge=1, le=10)
    """Rounds of research, at most; the later ones ask about sentences that still lack support."""
    follow_up: bool = True
    """After an edit, ask about what else in the text draws on the value that was corrected."""
    verify: bool = True
    """Refuse edits that do not give the evidence's answer, lose support, or about which sources differ."""
    cascade: float | None = Field(default=None, ge=0, le=1)
    """Ask a language model only where the embedded check is less sure than this; None: always."""
    block_chars: int | None = Field(default=4000, ge=500)
    """A longer text goes through all steps in blocks of about so many characters; None: as a whole."""
    concurrency: int = Field(default=32, ge=1, le=10_000)
    """Requests to language models at once, over all branches and texts of a reviser."""
    timeout_s: float = Field(default=60, gt=0)
    """Seconds for one answer of a language model."""
    attempts: int = Field(default=3, ge=1, le=20)
    """Times that a request is made which fails with a lost connection, a 429 or a 5xx."""
    max_answer_tokens: int = Field(default=4000, ge=16)
    """Tokens of one answer, reasoning included, at most."""
    max_calls: int | None = Field(default=None, ge=0)
    """Requests to language models in one run, at most; then the run returns its best revision so far."""
    max_tokens: int | None = Field(default=None, ge=0)
    """Tokens in and out in one run, about. An answer under way counts as 200; then as for `max_calls`."""
    max_cost: float | None = Field(default=None, ge=0)
    """Cost of one run, about, in the unit of the prices in `endpoints`; then as for `max_calls`."""
    deadline_s: float | None = Field(default=None, gt=0)
    """Seconds for one run; then as for `max_calls`."""
    search: Any = None
    """A source by its name, several with commas, or a retriever; None: the corpus, else wikipedia."""
    corpus: Path | None = None
    """A folder, a file or a built index to search."""
    wikipedia_language: str = "en"
    """The edition of Wikipedia that is searched."""
    wikipedia_url: str | None = None
    """Another MediaWiki that is searched in its place."""
    tavily_key: SecretStr | None = Field(default_factory=lambda: _secret("TAVILY_API_KEY"))
    """The key for tavily; also read from TAVILY_API_KEY."""
    tavily_url: str | None = None
    """Another address for tavily, such as that of a gateway."""
    searxng_url: str | None = None
    """Where your SearXNG answers."""
    include_domains: Domains = []
    """Sources on the web must be of these domains; empty: of any."""
    exclude_domains: Domains = []
    """Sources on the web must not be of these domains."""
    published_after: Moment | None = None
    """Sources on the web must be published at this time or after it; those without a date are left out."""
    published_before: Moment | None = None
    """Sources on the web must be published before this time; those without a date are left out."""
    source_kinds: Annotated[dict[str, Kind], BeforeValidator(by_domain)] = {}
    """By domain: `official`, `reference`, `news`, `other` or `forum`; wins over the table that ships."""
    offline: bool = False
    """Search what is in the cache and the corpus alone."""
    refresh: bool = False
    """Read nothing from the cache, and store anew what is found."""
    cache_days: float = Field(default=7, ge=0)
    """Days that searches and pages in the cache are good for."""
    user_agent: str = f"rarr/{installed_version()} (https://pypi.org/project/rarr/)"
    """How requests to the web call themselves; best with an address to write to."""
    robots: bool = True
    """Fetch no page that its site's robots.txt asks not to fetch."""
    page_timeout_s: float = Field(default=20, gt=0)
    """Seconds for one page, its redirects included."""
    max_page_mb: int = Field(default=10, ge=1, le=1000)
    """Pages above this size, in megabytes, are not read."""
    reranker: str = "overlap"
    """`overlap`, `embedded`, `vllm:NAME`, or a cross-encoder: its folder or name (extra `torch`)."""
    documents_per_query: int = Field(default=5, ge=1, le=100)
    """K: documents retrieved for a query."""
    evidence_per_query: int = Field(default=3, ge=1, le=100)
    """J: passages that the reranker keeps for a query."""
    window: int = Field(default=4, ge=1, le=50)
    """Sentences in a passage."""
    step: int = Field(default=1, ge=1, le=50)
    """Sentences from the start of a passage to the start of the next."""
    report_size: int = Field(default=5, ge=1, le=100)
    """M: evidences in the attribution report, at most."""
    accept_confidence: float = Field(default=0.9, ge=0, le=1)
    """An edit that is right less often than this, where its kind was measured, is only suggested."""
    max_edit_chars: int = Field(default=50, ge=0)
    """An edit that changes more characters than this is refused."""
    max_edit_share: float = Field(default=0.5, ge=0, le=1)
    """An edit that changes more than this share of its sentence's characters is refused."""
    support_threshold: float = Field(default=0.55, ge=0, le=1)
    """A sentence counts as supported from this support on."""
    max_file_mb: int = Field(default=200, ge=1)
    """Files of a corpus above this size, in megabytes as unpacked, are skipped with a warning."""
    otel: bool = False
    """Send spans to the collector of OTEL_EXPORTER_OTLP_ENDPOINT (OpenTelemetry; extra `otel`)."""
    trace: bool = True
    """Keep a trace of each run in the data folder: what nodes saw and said, with texts and evidence."""
    trace_days: float = Field(default=30, gt=0)
    """Days that traces are kept."""
    trace_max_mb: float = Field(default=500, gt=0)
    """Above this size, in megabytes, the oldest traces go."""
    home: Path = Field(default_factory=lambda: platformdirs.user_data_path("rarr"))
    """The user's data folder, for the indexes of corpora, the cache and the traces."""

    def __init__(self, **values: Any) -> None:
        """Raises `SettingsError`, one line that names the key and the cure."""
        try:
            super().__init__(**values)
        except ValidationError as error:
            raise SettingsError(_one_line(error, values)) from None

    @field_validator("*")
    @classmethod
    def _holds_valid_unicode(cls, value: Any) -> Any:
        return valid(value)  # but for paths, whose bytes are the file system's

    @field_validator("corpus", "weights", mode="before")
    @classmethod
    def _path_is_named(cls, value: Any) -> Any:
        if value == "":  # as from an unset shell variable: the working directory was not meant
            raise ValueError("it is empty; give a path")
        return value

    @field_validator("reranker")
    @classmethod
    def _reranker_is_named(cls, value: str) -> str:
        if not value.removeprefix("vllm:").strip():
            raise ValueError("it names no model; give overlap, embedded, vllm:NAME, or a cross-encoder")
        return value

    @model_validator(mode="after")
    def _some_source_is_within_the_limits(self) -> Self:
        require_possible(
            self.include_domains, self.exclude_domains, self.published_after, self.published_before
        )
        return self

    @model_validator(mode="before")
    @classmethod
    def _presets(cls, values: dict[str, Any]) -> dict[str, Any]:
        for name in os.environ:
            prefix, key = name[:5].upper(), name[5:].lower()
            if prefix == "RARR_" and key not in cls.model_fields:
                raise SettingsError(
                    f"environment variable {name} is no setting{closest(key, cls.model_fields)}: unset it"
                )
        return PRESETS.get(str(values.get("preset", "default")), {}) | values

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Argument, then environment, then file; no dotenv and no secrets files."""
        file = InitSettingsSource(settings_cls, file_values())
        if any(name.upper().startswith("RARR_") for name in os.environ):
            return init_settings, Variables(settings_cls), file
        return init_settings, file  # to look for each setting takes longer than all else here


def _secret(variable: str) -> SecretStr | None:
    value = os.environ.get(variable)
    return SecretStr(value) if value else None


def _one_line(error: ValidationError, given: Mapping[str, Any]) -> str:
    first = error.errors()[0]
    key = ".".join(map(str, first["loc"]))
    if not key:  # of several settings together
        return first["msg"].removeprefix("Value error, ")
    if first["type"] == "extra_forbidden" and len(first["loc"]) == 1:
        close = closest(key, Settings.model_fields) or f": settings are {', '.join(Settings.model_fields)}"
        return f"unknown setting {key!r}{close}"
    name = _origin(key, given)
    if first["type"] == "extra_forbidden":
        return f"{name} is unknown: an endpoint has {', '.join(Endpoint.model_fields)}"
    value = "wrong" if _SECRET.search(key) else repr(first["input"])
    return f"{name} is {value}: {cure(first, Settings.model_fields)}"


def _origin(key: str, given: Mapping[str, Any]) -> str:
    """The setting as it has to be mended: by the variable that it comes from, or by its own name."""
    setting = key.partition(".")[0]
    variable = f"RARR_{setting.upper()}"
    if setting in given or variable not in map(str.upper, os.environ):
        return f"setting {key!r}"
    return variable if key == setting else f"{variable}, in which {key!r}"
