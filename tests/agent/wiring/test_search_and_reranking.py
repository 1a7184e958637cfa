"""Sources and rerankers by their names: how sources are limited, and whose scores are kept."""

from pathlib import Path
from typing import Any

import pytest
from makers import FACT, TEXT
from pydantic import SecretStr

from rarr.agent.revise import Reviser
from rarr.agent.wiring.sources import WEB_SOURCES
from rarr.settings import Settings
from rarr.settings.setting_errors import names_with
from rarr.testing import InMemoryRetriever

pytestmark = pytest.mark.loopback


def everything(folder: Path) -> Settings:
    """Settings with an address, a key and a path wherever a source may need one."""
    fields = Settings.model_fields
    keys, paths = (
        names_with(SecretStr, fields) - {"endpoints"},
        names_with(Path, fields) - {"home", "weights", "serve_corpora"},
    )
    addresses = {name for name in fields if name.endswith("_url")}
    return Settings(
        **dict.fromkeys(addresses, "http://127.0.0.1:9"),
        **dict.fromkeys(keys, "secret"),
        **dict.fromkeys(paths, folder),
    )


class Undated(InMemoryRetriever):
    """A source with a name whose passages have neither a date nor a web address."""


@pytest.mark.parametrize(
    ("limits", "missing"),
    [
        ({"published_after": "2020"}, "no date: unset published_after"),
        ({"include_domains": ["a.org"]}, "no web address: unset include_domains"),
        ({"exclude_domains": ["a.org"]}, ""),
    ],
)
@pytest.mark.parametrize("named", [True, False])
def test_passages_that_no_limit_can_allow_are_a_warning(
    limits: dict[str, Any], missing: str, *, named: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(WEB_SOURCES, "undated", lambda settings, opened: Undated([FACT]))
    with Reviser(Settings(search="undated" if named else Undated([FACT]), **limits)) as reviser:
        warnings = {warning.code: warning.message for warning in reviser.revise(TEXT).warnings}
    left_out = warnings.get("source_left_out", "")
    assert (bool(left_out), missing in left_out) == (bool(missing), True)
