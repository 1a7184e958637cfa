"""For tests whose models answer verdicts, as the paper asks (scope `text`).

Cards are the default; tests/agent/test_cards.py has their runs.
"""

from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True, scope="package")
def fixtures_with_the_text_in_view() -> Iterator[None]:
    """The same for fixtures of modules, which are made before those of a test."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RARR_SCOPE", "text")
        yield


@pytest.fixture(autouse=True)
def with_the_text_in_view(_no_settings_from_outside: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """`check_agreement` asks for a verdict, as in preset `paper`."""
    monkeypatch.setenv("RARR_SCOPE", "text")
