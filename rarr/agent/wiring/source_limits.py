"""Reads the limits on sources, by domain and date, from the settings."""

from rarr.retrievers.web.allowed_sources import SourceLimits
from rarr.settings import Settings


def source_limits(settings: Settings) -> SourceLimits:
    return SourceLimits(
        include=tuple(settings.include_domains),
        exclude=tuple(settings.exclude_domains),
        after=settings.published_after,
        before=settings.published_before,
    )
