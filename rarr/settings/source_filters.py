"""Settings that limit the sources: days and domains as people write them, and what can never be met."""

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, time
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import BeforeValidator

_TIME = "give a year, as in 2020, a day, as in 2020-01-31, or a time, as in 2020-01-31T12:00Z"
_DOMAIN = re.compile(r"(?:(?!-)[\w-]{1,63}(?<!-)\.)*(?!-)[\w-]{1,63}(?<!-)")
_DATE = re.compile(r"\d{4}-\d\d(-\d\d(?:[T ].+)?)?")


def moment(value: Any) -> datetime:
    """The time that a year, a month, a day or an ISO 8601 time begins with. Raises `ValueError`.

    A number that is no year might be seconds since 1970 or a day without dashes, so that it is neither.
    """
    if isinstance(value, datetime):
        return value
    if isinstance(value, date):
        return datetime.combine(value, time())
    text = str(value).strip() if isinstance(value, str | int) and not isinstance(value, bool) else ""
    if re.fullmatch(r"[1-9]\d{3}", text, re.ASCII):
        return datetime(int(text), 1, 1)
    try:
        if (found := _DATE.fullmatch(text)) is not None:
            return datetime.fromisoformat(text if found[1] else f"{text}-01")
    except ValueError:
        pass
    raise ValueError(_TIME)


def domains(value: Any) -> Any:
    """A list of domains, one string with commas among them. Raises `ValueError`."""
    if isinstance(value, str):
        value = [part for part in map(str.strip, value.split(",")) if part]
    if not isinstance(value, list | tuple | set | frozenset):
        return value  # pydantic says so
    return [domain(one) if isinstance(one, str) else one for one in value]


def by_domain(value: Any) -> Any:
    """A table by domain. Raises `ValueError`."""
    if not isinstance(value, dict):
        return value
    return {domain(name) if isinstance(name, str) else name: one for name, one in value.items()}


def domain(name: str) -> str:
    """A domain, also one that was written as *.example.org. Raises `ValueError`, which names the host."""
    plain = name.strip().removeprefix("*").removeprefix(".").removesuffix(".")
    if _DOMAIN.fullmatch(plain):
        return plain
    host = _host(name.strip())
    cure = f"its host, {host}" if host and _DOMAIN.fullmatch(host) else "a host, such as example.org"
    raise ValueError(f"{name!r} is no domain: give {cure}")


def require_possible(
    include: Sequence[str], exclude: Sequence[str], after: datetime | None, before: datetime | None
) -> None:
    """Raises `ValueError` for limits that no source is within."""
    for one in include:
        if (other := next((two for two in exclude if _is_under(one, two)), None)) is not None:
            raise ValueError(
                f"include_domains has {one!r}, and exclude_domains has {other!r}: leave one of them out"
            )
    if after and before and _zoned(after) >= _zoned(before):
        raise ValueError(
            f"published_after is {_shown(after)}, and published_before is {_shown(before)}: "
            "nothing is published between them; give a published_after that is earlier"
        )


def _host(address: str) -> str:
    try:
        return urlsplit(address if "//" in address else f"//{address}").hostname or ""
    except ValueError:
        return ""


def _is_under(one: str, other: str) -> bool:
    one, other = (name.lower().removeprefix("www.") for name in (one, other))
    return one == other or one.endswith(f".{other}")


def _zoned(one: datetime) -> datetime:
    return one if one.tzinfo else one.replace(tzinfo=UTC)


def _shown(one: datetime) -> str:
    return one.isoformat().removesuffix("T00:00:00")


Moment = Annotated[datetime, BeforeValidator(moment)]
Domains = Annotated[list[str], BeforeValidator(domains)]
