"""Declares the profile of a language model, and keeps it in the data folder.

`rarr doctor --model` finds out what a model can do by asking it. Later runs read the profile: they begin with
the form of request that the server accepts, and estimate their time by the measured speed.
"""

import json
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import ValidationError

from rarr.records.base import Record
from rarr.tools.models.chat import FormatKind, Part, RequestForm, Tokens
from rarr.tools.models.client_failures import redacted
from rarr.tools.storage.atomic_files import private_folder, write_whole

State = Literal["yes", "no", "unknown", "not asked"]


class Ability(Record):
    """Something that a model can do or cannot, with the details in words."""

    name: str
    state: State
    detail: str


class Speed(Record):
    """The speed of a model: seconds before an answer begins, and tokens a second, read and written.

    The tokens are None if they were too fast to measure with a short request: their time is left out.
    `at_once` is how much faster several requests at once are than the same requests one after another.
    """

    latency_s: float
    input_per_s: float | None
    output_per_s: float | None
    at_once: float

    def seconds(self, tokens: Tokens) -> float:
        """Estimates the seconds that one request with these tokens adds to a run.

        A run sends several requests at once, so this is less than the request itself takes.
        """
        reading = tokens.input / self.input_per_s if self.input_per_s else 0.0
        writing = tokens.output / self.output_per_s if self.output_per_s else 0.0
        return (self.latency_s + reading + writing) / self.at_once


class ModelProfile(Record):
    """The abilities of a model at a server, the form of request that it accepts, and its speed.

    `requests` and tokens are those that the questions cost. `base_url` has no API key; it is empty for the
    provider's own address.
    """

    model: str
    base_url: str
    asked_at: datetime
    format: FormatKind
    left_out: tuple[Part, ...]
    speed: Speed | None
    abilities: tuple[Ability, ...]
    requests: int
    input_tokens: int
    output_tokens: int

    @property
    def form(self) -> RequestForm:
        """The form of request that the server accepted."""
        return RequestForm(self.format, frozenset(self.left_out))


class ProfilePlace(NamedTuple):
    """Where a profile is stored: the data folder, the name of the model, and its address without secrets."""

    home: Path
    model: str
    base_url: str

    @classmethod
    def of(cls, home: Path, model: str, base_url: str, api_key: str | None) -> "ProfilePlace":
        """Makes the place for an address that may hold API keys or a password, and leaves these out."""
        return cls(home.expanduser(), model, redacted(base_url.rstrip("/"), [api_key] if api_key else []))

    @property
    def path(self) -> Path:
        """The file of the profile. Its name is a hash of model and address."""
        name = sha256(json.dumps([self.model, self.base_url]).encode()).hexdigest()[:16]
        return self.home / "models" / f"{name}.json"

    def prepare(self) -> None:
        """Makes the folder for the profiles of language models, readable by its owner alone.

        Raises `OSError`.
        """
        private_folder(self.path.parent)

    def keep(self, profile: ModelProfile) -> None:
        """Writes the profile in place of an earlier one. Raises `OSError`."""
        self.prepare()
        write_whole(self.path, profile.model_dump_json(indent=2) + "\n")

    def kept(self) -> ModelProfile | None:
        """Reads the profile; None without a file.

        A file that cannot be read, such as that of another version, is as none: the server is asked as if it
        were unknown.
        """
        try:
            return ModelProfile.model_validate_json(self.path.read_bytes())
        except (OSError, ValidationError):
            return None

    def forget(self) -> None:
        """Deletes the profile, if there is a file. Raises `OSError`."""
        self.path.unlink(missing_ok=True)
