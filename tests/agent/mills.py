"""Runs about the made world of `benchmarks.mills`, and what they leave."""

import itertools
from collections.abc import Callable
from typing import Any

from benchmarks.mills import SlowDocuments
from rarr import Reviser, Revision, Settings
from rarr.records import with_edits
from rarr.testing import ScriptedServer


def settings_for(server: ScriptedServer | str, **more: Any) -> Settings:
    url = server if isinstance(server, str) else server.url
    return Settings(**({"model": "vllm:mills", "base_url": url, "search": SlowDocuments(0.0)} | more))


def revised(settings: Settings, text: str, **callbacks: Any) -> Revision:
    """The revision, whose text is what its edits make of the original."""
    with Reviser(settings, **callbacks) as reviser:
        revision = reviser.revise(text)
    assert with_edits(revision.original, revision.edits) == revision.text
    return revision


def codes(revision: Revision) -> set[str]:
    return {notice.code for notice in revision.warnings}


def statuses(revision: Revision) -> set[str]:
    return {sentence.status for sentence in revision.report.sentences}


def stopping_at(last: int) -> Callable[[str], None]:
    """Raises `ZeroDivisionError` when it is told of the node of this number."""
    left = itertools.count(last - 1, -1)

    def stop(node: str) -> None:
        if next(left) == 0:
            raise ZeroDivisionError

    return stop
