"""Settings do what their documentation says, from their name to the part that uses them."""

import time
from pathlib import Path

import pytest
from makers import FACT, TEXT
from traces.helpers import filled

from rarr import Reviser, Settings
from rarr.agent.wiring.components import wire
from rarr.testing import (
    InMemoryRetriever,
)

DAY_S = 86_400


def test_wikipedia_language_is_the_edition_that_is_asked() -> None:
    wikipedia = wire(Settings(search="wikipedia", wikipedia_language="de")).retriever.source  # type: ignore[attr-defined]  # within its limits
    assert wikipedia.probe().url == "https://de.wikipedia.org/w/api.php"


@pytest.mark.parametrize(
    ("limits", "kept"),
    [
        ({"trace_days": 2}, {"yesterday", "new"}),
        ({"trace_days": 0.5}, {"new"}),
    ],
)
def test_trace_days_remove_old_traces(limits: dict[str, float], kept: set[str], tmp_path: Path) -> None:
    store = filled(tmp_path, "yesterday", stored=time.time() - DAY_S)
    with Reviser(Settings(home=tmp_path, search=InMemoryRetriever([FACT]), **limits)) as reviser:
        reviser.revise(TEXT, run_id="new")
    with store.used() as sqlite:
        assert {run_id for (run_id,) in sqlite.execute("SELECT run_id FROM runs")} == kept
