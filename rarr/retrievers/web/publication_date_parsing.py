"""Parses the date of publication of a source, in the forms that sources use."""

from datetime import UTC, date, datetime, time
from email.utils import parsedate_to_datetime

from rarr.retrievers.extract.extracted_document import parse_time


def published(value: object) -> datetime | None:
    """Parses a date object, an ISO 8601 string or a mail header's date, as UTC without a zone; else None."""
    if isinstance(value, datetime):
        return value if value.tzinfo else value.replace(tzinfo=UTC)
    if isinstance(value, date):
        return datetime.combine(value, time(), UTC)
    return parse_time(value) or (_as_in_mail(value) if isinstance(value, str) else None)


def _as_in_mail(text: str) -> datetime | None:
    try:
        parsed = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    return parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)
