"""Declares the settings of `rarr serve`. They are settings like all others; no other command reads them."""

from pathlib import Path
from typing import Literal, TypeVar

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings

ServeMode = Literal["revise", "cite", "check", "annotate", "off"]
"""What becomes of an answer on its way through the server. `off`: nothing."""
Some = TypeVar("Some", bound="ServingSettings")


class ServingSettings(BaseSettings):
    """The settings of `rarr serve`."""

    serve_upstream_url: str | None = None
    """The address of the OpenAI-compatible server behind `rarr serve`, such as http://localhost:8000/v1."""
    serve_upstream_key: SecretStr | None = None
    """The key for that server; None: the key that each caller sends, unless it is a token of this server."""
    serve_token: SecretStr | None = None
    """The tokens of callers, several with commas. Each token is a caller."""
    serve_host: str = "127.0.0.1"
    """The address at which `rarr serve` listens. Any other than this machine's own needs `serve_token`."""
    serve_port: int = Field(default=8100, ge=0, le=65535)
    """The port at which `rarr serve` listens; 0: any free port."""
    serve_corpora: dict[str, Path] = {}
    """By name: the corpora that a caller may choose. The first is searched if a caller chooses none."""
    serve_mode: ServeMode = "revise"
    """What becomes of an answer if its request does not say: revise, cite, check, annotate or off."""
    serve_deadline_s: float = Field(default=30, gt=0)
    """Seconds for one answer, or one block of a streamed answer. After that, the original goes out."""
    serve_workers: int | None = Field(default=None, ge=1, le=64)
    """Processes that revise; None: one for each core. A language model needs none."""
    serve_max_body_mb: float = Field(default=16, gt=0)
    """Megabytes of the body of a request, at most."""
    serve_body_timeout_s: float = Field(default=20, gt=0)
    """Seconds for the body of a request, at most."""
    serve_upstream_timeout_s: float = Field(default=600, gt=0)
    """Seconds without a byte from the server behind, at most."""
    serve_concurrency: int = Field(default=256, ge=1)
    """Requests at once, of all callers, at most."""
    serve_keep_alive_s: float = Field(default=10, gt=0)
    """Seconds after which a silent stream gets a comment, which keeps its connection open."""
    serve_shutdown_s: float = Field(default=20, gt=0)
    """Seconds for requests under way after SIGTERM. Shortly before the end, originals go out."""


def unserved(settings: Some) -> Some:
    """Returns the settings with the defaults for all that `rarr serve` alone reads, such as its tokens."""
    defaults = {name: field.get_default() for name, field in ServingSettings.model_fields.items()}
    return settings.model_copy(update=defaults)
