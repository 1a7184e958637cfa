"""Every knob, declared once. Precedence: argument, file, environment, default.

The file is `rarr.toml`, or else the table `[tool.rarr]` of `pyproject.toml`, in the working directory; the
environment's names are `RARR_` and the name in capitals. This is the only file that reads the environment.
"""

import difflib
import os
import tomllib
from pathlib import Path
from typing import Any, Literal

import platformdirs
from pydantic import Field, ValidationError, field_validator, model_validator
from pydantic_settings import (
    BaseSettings,
    InitSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError as UnreadableSource,
)

from rarr.errors import SettingsError

PRESETS: dict[str, dict[str, Any]] = {
    "default": {},
    # The constants of RARR (Gao et al. 2023, sections 3.2 to 3.4).
    "paper": {"documents_per_query": 5, "evidence_per_query": 1, "window": 4, "step": 1, "report_size": 5},
    "fast": {"documents_per_query": 2, "evidence_per_query": 1},
}


class Settings(BaseSettings):
    """What a run does and what it may use. An unknown key is a `SettingsError`."""

    model_config = SettingsConfigDict(
        frozen=True,
        extra="forbid",
        env_prefix="RARR_",
    )

    preset: Literal["default", "paper", "fast"] = "default"
    """Named set of the values below; anything given explicitly wins over it."""
    model: str = "embedded"
    """The model for every node; this version has `embedded`."""
    models: dict[str, str] = {}
    """The model for a node, by the node's name; wins over `model`."""
    search: Any = None
    """Where evidence comes from: `corpus`, or a retriever object; None: the corpus, where one is given."""
    corpus: Path | None = None
    """A folder, a file or a built index to search."""
    reranker: str = "overlap"
    """`overlap`, or a cross-encoder: its folder, or its name on the Hugging Face hub (extra `torch`)."""
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
    max_edit_chars: int = Field(default=50, ge=0)
    """An edit that changes more characters than this is rejected."""
    max_edit_share: float = Field(default=0.5, ge=0, le=1)
    """An edit that changes more than this share of its sentence's characters is rejected."""
    support_threshold: float = Field(default=0.55, ge=0, le=1)
    """A sentence counts as supported from this support on."""
    max_file_mb: int = Field(default=200, ge=1)
    """Files of a corpus above this size, in megabytes, are skipped with a warning."""
    home: Path = Field(default_factory=lambda: platformdirs.user_data_path("rarr"))
    """The user's data folder, for the indexes of corpora."""

    def __init__(self, **values: Any) -> None:
        """Raises `SettingsError`, one line that names the key and the cure."""
        try:
            super().__init__(**values)
        except ValidationError as error:
            raise SettingsError(_one_line(error)) from None
        except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError, UnreadableSource) as error:
            raise SettingsError(
                f"rarr.toml, pyproject.toml or a RARR_ variable cannot be read: {error}"
            ) from None

    @field_validator("corpus", mode="before")
    @classmethod
    def _corpus_is_named(cls, value: Any) -> Any:
        if value == "":  # as from an unset shell variable: the working directory was not meant
            raise ValueError("it is empty; give a folder, a file or a built index")
        return value

    @model_validator(mode="before")
    @classmethod
    def _presets(cls, values: dict[str, Any]) -> dict[str, Any]:
        for name in os.environ:
            key = name.removeprefix("RARR_").lower()
            if name.startswith("RARR_") and key not in cls.model_fields:
                raise SettingsError(f"environment variable {name} is no setting{_closest(key)}: unset it")
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
        """Argument, then file, then environment; no dotenv and no secrets files."""
        return init_settings, InitSettingsSource(settings_cls, _file_values()), env_settings


def _file_values() -> dict[str, Any]:
    # pydantic-settings' own file sources warn when the one that is configured is not the one in use.
    own, shared = Path("rarr.toml"), Path("pyproject.toml")
    if own.is_file():
        return tomllib.loads(own.read_text(encoding="utf-8"))
    if shared.is_file():
        tool: dict[str, dict[str, Any]] = tomllib.loads(shared.read_text(encoding="utf-8")).get("tool", {})
        return tool.get("rarr", {})
    return {}


def _one_line(error: ValidationError) -> str:
    first = error.errors()[0]
    key = ".".join(map(str, first["loc"]))
    if first["type"] == "extra_forbidden":
        return f"unknown setting {key!r}{_closest(key)}: settings are {', '.join(Settings.model_fields)}"
    return f"setting {key!r} is {first['input']!r}: {first['msg']}"


def _closest(key: str) -> str:
    close = difflib.get_close_matches(key, Settings.model_fields, n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""
