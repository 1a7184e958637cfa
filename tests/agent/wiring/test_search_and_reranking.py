"""Sources and rerankers by their names: how sources are limited, and whose scores are kept."""

from pathlib import Path
from typing import Any

import pytest
from makers import FACT, TEXT, passage
from pydantic import SecretStr
from retrievers.services import Asked, Said, Service

from rarr.agent.revise import Reviser
from rarr.agent.wiring.resources import Resources
from rarr.agent.wiring.search_and_reranking import reranker
from rarr.agent.wiring.web_sources import WEB_SOURCES, NamedSource
from rarr.errors import RetrievalError
from rarr.settings import Settings
from rarr.settings.settings_by_type import names_with
from rarr.testing import InMemoryRetriever
from rarr.tools.concurrency import run

pytestmark = pytest.mark.loopback


def scoring(score: float) -> Service:
    """A reranker to which everything is worth as much."""

    def answer(asked: Asked) -> Said:
        results = [{"index": n, "relevance_score": score} for n, _ in enumerate(asked.fields["documents"])]
        return Said({"results": results})

    return Service(answer)


async def scores(model: str, url: str, **more: Any) -> list[float]:
    settings = Settings(reranker=f"vllm:{model}", base_url=url, **more)
    opened = Resources(settings)
    try:
        return list(await reranker(settings, opened).score("When?", [passage()]))
    finally:
        for part in opened:
            await part.aclose()


@pytest.mark.slow
async def test_scores_are_those_of_one_model_at_one_server() -> None:
    with scoring(0.25) as server, scoring(0.75) as other:
        asked = [
            (await scores(model, url), len(server.asked), len(other.asked))
            for model, url in [
                ("bge", server.url),
                ("bge", other.url),
                ("bge", f"{server.url}/"),  # known
                ("mxbai", server.url),
            ]
        ]
    assert asked == [([0.25], 2, 0), ([0.75], 2, 2), ([0.25], 2, 2), ([0.25], 4, 2)]


async def test_password_in_the_address_is_not_shown() -> None:
    with pytest.raises(RetrievalError, match=r"score of reranker vllm:bge at http://\*\*\*@a\.org") as raised:
        await scores("bge", "http://me:secret@a.org", offline=True)
    assert "secret" not in str(raised.value)


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


@pytest.mark.parametrize("name", WEB_SOURCES)
def test_every_named_source_can_be_examined(name: str, tmp_path: Path) -> None:
    settings = everything(tmp_path)
    opened = Resources(settings)
    source = WEB_SOURCES[name](settings, opened)
    run(opened.aclose())
    assert isinstance(source, NamedSource), f"give the class of {name} the methods retrieve and probe"


class Undated(InMemoryRetriever):
    """A source with a name whose passages have neither a date nor a web address."""

    def probe(self) -> None:
        """Nothing to ask."""


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
