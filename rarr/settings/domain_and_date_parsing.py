"""Parses and checks settings that limit the sources: days and domains as people write them."""

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, time
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import BeforeValidator

_TIME = "give a year, such as 2020, a day, such as 2020-01-31, or a time, such as 2020-01-31T12:00Z"
_DOMAIN = re.compile(r"(?:(?!-)[\w-]{1,63}(?<!-)\.)*(?!-)[\w-]{1,63}(?<!-)")
_DATE = re.compile(r"\d{4}-\d\d(-\d\d(?:[T ].+)?)?")


def moment(value: Any) -> datetime:
    """Parses a year, a month, a day (each as its first moment) or an ISO 8601 time. Raises `ValueError`.

    A number that is not a year is refused: it might be seconds since 1970, or a day without dashes.
    """
    if isinstance(value, datetime):
        return value
    if isinstance(value, date):
        return datetime.combine(value, time())
    text = str(value).strip() if isinstance(value, str | int) and not isinstance(value, bool) else ""
    if re.fullmatch(r"[1-9]\d{3}", text, re.ASCII):
        return datetime(int(text), 1, 1)
    try:
        if (date_match := _DATE.fullmatch(text)) is not None:
            return datetime.fromisoformat(text if date_match[1] else f"{text}-01")
    except ValueError:
        pass
    raise ValueError(_TIME)


def domains(value: Any) -> Any:
    """Parses a list of domains, or a string of domains with commas. Raises `ValueError` for a wrong domain.

    Other types are returned unchanged, and pydantic refuses them.
    """
    if isinstance(value, str):
        value = [part for part in map(str.strip, value.split(",")) if part]
    if not isinstance(value, list | tuple | set | frozenset):
        return value  # pydantic reports it
    return [domain(name) if isinstance(name, str) else name for name in value]


def by_domain(value: Any) -> Any:
    """Checks the keys of a dict, which are domains. Raises `ValueError`; returns other types unchanged."""
    if not isinstance(value, dict):
        return value
    return {domain(name) if isinstance(name, str) else name: kind for name, kind in value.items()}


def domain(name: str) -> str:
    """Checks a domain, and removes "*." before it and "." after it.

    Raises `ValueError`, which names the host if `name` is an address.
    """
    plain = name.strip().removeprefix("*").removeprefix(".").removesuffix(".")
    if _DOMAIN.fullmatch(plain):
        return plain
    host = _host(name.strip())
    cure = f"its host, {host}" if host and _DOMAIN.fullmatch(host) else "a host, such as example.org"
    raise ValueError(f"{name!r} is not a domain: give {cure}")


def require_possible(
    include: Sequence[str], exclude: Sequence[str], after: datetime | None, before: datetime | None
) -> None:
    """Raises `ValueError` for an included domain that is excluded too, or if no time is left."""
    for included in include:
        if (excluded := next((name for name in exclude if _is_under(included, name)), None)) is not None:
            raise ValueError(
                f"include_domains has {included!r}, and exclude_domains has {excluded!r}:"
                " leave one of them out"
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


def _is_under(domain: str, other: str) -> bool:
    domain, other = (name.lower().removeprefix("www.") for name in (domain, other))
    return domain == other or domain.endswith(f".{other}")


def _zoned(when: datetime) -> datetime:
    return when if when.tzinfo else when.replace(tzinfo=UTC)


def _shown(when: datetime) -> str:
    return when.isoformat().removesuffix("T00:00:00")


Moment = Annotated[datetime, BeforeValidator(moment)]
Domains = Annotated[list[str], BeforeValidator(domains)]
