"""Tells callers apart by their tokens, and limits how often each of them calls."""

import hashlib
import hmac
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from uuid import uuid4

from rarr.serve.refusals import Refusal, too_many
from rarr.settings import Settings
from rarr.tools.guard.listening import require_long

LOCAL = "local"
"""The name of the only caller of a server without tokens."""
TOKEN_HEADER = "x-rarr-token"
_HEADERS = (TOKEN_HEADER, "authorization", "x-api-key")


@dataclass(frozen=True)
class Caller:
    """Somebody who sends requests with one token. `name` is a hash of the token, which does not tell it."""

    name: str

    def new_run(self) -> str:
        """Makes the id of a run of this caller."""
        return f"{self.name}-{uuid4().hex}"

    def owns(self, run_id: str) -> bool:
        """Tells whether the run belongs to this caller."""
        return run_id.startswith(f"{self.name}-")


class Callers:
    """All callers of the server, by their tokens."""

    def __init__(self, settings: Settings) -> None:
        """Raises `SettingsError` for a token that is too short."""
        given = settings.serve_token.get_secret_value() if settings.serve_token else ""
        tokens = [token.strip() for token in given.split(",") if token.strip()]
        for token in tokens:
            require_long(token, "serve_token")
        self._names = {token.encode(): _name(token) for token in tokens}
        self._rate = settings.serve_rate
        self._budgets: dict[str, tuple[float, float]] = {}

    @property
    def known(self) -> bool:
        """Tells whether callers need a token."""
        return bool(self._names)

    def of(self, headers: Mapping[str, str]) -> Caller:
        """Returns the caller who sends these headers. Raises `Refusal` for an unknown or missing token."""
        if not self._names:
            return Caller(LOCAL)
        for header in _HEADERS:
            given = headers.get(header, "").strip()
            scheme, _, rest = given.partition(" ")
            token = rest.strip() if header == "authorization" and scheme.lower() == "bearer" else given
            if name := self._name_of(token.encode(errors="replace")):
                return Caller(name)
        raise Refusal(
            401,
            "invalid_token",
            "send a token of this server: Authorization: Bearer TOKEN, or X-Rarr-Token: TOKEN",
            headers={"WWW-Authenticate": "Bearer"},
        )

    def without_tokens(self, headers: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
        """Returns the headers of a request without those that hold a token, whatever their name is."""
        return [(name, value) for name, value in headers if not self._holds_token(value)]

    def _holds_token(self, value: bytes) -> bool:
        """Tells whether a header's value is a token of this server, alone or behind a word such as Bearer."""
        _, _, rest = (whole := value.strip()).partition(b" ")
        return any(self._name_of(token) for token in (whole, rest.strip()))

    def _name_of(self, token: bytes) -> str:
        """Returns the name of the caller with this token; "" if it is unknown.

        Compares with every token, so that the time tells nothing.
        """
        found = ""
        for known, name in self._names.items():
            if hmac.compare_digest(known, token):
                found = name
        return found

    def count(self, caller: Caller) -> None:
        """Counts a request. Raises `Refusal` if the caller has made too many in the last minute."""
        if self._rate is None:
            return
        now = time.monotonic()
        left, since = self._budgets.get(caller.name, (float(self._rate), now))
        left = min(self._rate, left + (now - since) * self._rate / 60)
        self._budgets[caller.name] = (max(0.0, left - 1) if left >= 1 else left, now)
        if left < 1:
            raise too_many(
                "rate_limit_exceeded",
                f"more than {self._rate} requests in a minute: wait, or raise serve_rate",
                (1 - left) * 60 / self._rate,
            )


def _name(token: str) -> str:
    """Makes a name that is the same after a restart, and from which nobody finds the token."""
    return hashlib.scrypt(token.encode(), salt=b"rarr serve", n=2**14, r=8, p=1, dklen=6).hex()
