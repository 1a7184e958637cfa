"""Declares the endpoint of a model in the settings: its address, key and price."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, SecretStr

Price = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Endpoint(BaseModel):
    """Address, key and price of one model. They win over the settings `base_url` and `api_key`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    base_url: str | None = None
    api_key: SecretStr | None = None
    price: Annotated[tuple[Price, ...], Field(min_length=2, max_length=3)] | None = None
    """For a million tokens: input, output and, where it differs, cached input."""
    extra: dict[str, Any] = {}
    """Added to the body of every request to an OpenAI-compatible server."""
