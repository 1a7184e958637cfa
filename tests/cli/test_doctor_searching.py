"""What the doctor finds of the sources on the web and of their cache."""

import re
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from retrievers.services import Said, Service

from cli.helpers import Command
from rarr.agent.wiring.web_sources import SOURCES, WEB_SOURCES
from rarr.cli.doctor import examine, source_probing
from rarr.cli.doctor.diagnosis import Diagnosis
from rarr.cli.doctor.web_sources_and_cache import sources
from rarr.errors import RetrievalError
from rarr.retrievers.web.cache import CacheFile
from rarr.settings import Settings
from rarr.testing import InMemoryRetriever, refused_url

Serve = Callable[[Said], Service]
HERE = {"wikipedia": "RARR_WIKIPEDIA_URL", "tavily": "RARR_TAVILY_URL", "searxng": "RARR_SEARXNG_URL"}
GOOD = {
    "wikipedia": Said({"query": {}}),
    "tavily": Said({"key": {}}),
    "searxng": Said({"error": "No query"}, 400),
}


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RARR_TAVILY_KEY", "tvly-secret")


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Runs services that answer as they are told, with the content type of JSON if they say no other."""
    with ExitStack() as stack:

        def serving(response: Said) -> Service:
            headers = {"Content-Type": "application/json", **response.headers}
            return stack.enter_context(Service(lambda asked: response._replace(headers=headers)))

        yield serving


def finding_of(name: str, *, offline: bool = False) -> Diagnosis:
    (finding,) = [candidate for candidate in examine(offline=offline) if candidate.name == name]
    return finding


def searched(name: str, url: str, monkeypatch: pytest.MonkeyPatch) -> Diagnosis:
    monkeypatch.setenv("RARR_SEARCH", name)
    monkeypatch.setenv(HERE[name], url)
    return finding_of(f"search {name}")


@pytest.mark.loopback
@pytest.mark.parametrize("name", HERE)
def test_source_that_answers_is_found(name: str, serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    service = serve(GOOD[name])
    finding = searched(name, service.url, monkeypatch)
    assert (finding.state, "configured; 127.0.0.1 answers in" in finding.detail) == ("ok", True)
    [asked] = service.asked
    assert "q" not in asked.fields
    assert "srsearch" not in asked.fields


@pytest.mark.loopback
def test_wikipedia_is_asked_where_no_source_is_named(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RARR_WIKIPEDIA_URL", serve(GOOD["wikipedia"]).url)
    finding = finding_of("search wikipedia")
    assert (finding.state, finding.detail[:23]) == ("ok", "the default; 127.0.0.1 ")


@pytest.mark.loopback
def test_default_that_cannot_be_reached_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RARR_WIKIPEDIA_URL", refused_url().removesuffix("/v1"))
    finding = finding_of("search wikipedia")
    assert (finding.state, finding.detail[:16]) == ("missing", "the default, but")
    assert "set corpus" in finding.cure


@pytest.mark.loopback
@pytest.mark.parametrize(("search", "status"), [((), 0), (("--search", "wikipedia"), 2)])
def test_source_that_no_setting_names_is_no_failure(
    search: tuple[str, ...], status: int, monkeypatch: pytest.MonkeyPatch, command: Command
) -> None:
    monkeypatch.setenv("RARR_WIKIPEDIA_URL", refused_url().removesuffix("/v1"))
    done = command("doctor", *search)
    assert (done.status, b"127.0.0.1 cannot be reached" in done.out) == (status, True)


@pytest.mark.loopback
@pytest.mark.parametrize(
    ("name", "response", "detail", "cure"),
    [
        ("wikipedia", Said("", 403), "status 403", "user agent"),
        ("wikipedia", Said("<a>", headers={"Content-Type": "text/html"}), "something else", "wikipedia_url"),
        ("wikipedia", Said("", 500), "status 500", "check the connection"),
        ("tavily", Said("", 401), "status 401", "TAVILY_API_KEY"),
        ("searxng", Said("", 403), "status 403", "add json to formats"),
        ("searxng", Said("", 404), "status 404", "searxng_url"),
    ],
)  # fmt: skip
def test_source_with_an_unexpected_answer_is_broken(
    name: str, response: Said, detail: str, cure: str, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    finding = searched(name, serve(response).url, monkeypatch)
    assert (finding.state, detail in finding.detail, cure in finding.cure) == ("broken", True, True)
    assert "secret" not in str(finding)


@pytest.mark.loopback
@pytest.mark.parametrize("name", HERE)
def test_source_that_cannot_be_reached_is_broken(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    finding = searched(name, refused_url().removesuffix("/v1"), monkeypatch)
    assert (finding.state, "cannot be reached" in finding.detail) == ("broken", True)
    assert finding.cure


@pytest.mark.slow
@pytest.mark.loopback
def test_sources_that_hang_are_given_up_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source_probing, "LIMIT_S", 0.2)

    with socket.create_server(("127.0.0.1", 0)) as silent:  # it takes connections, and answers none
        for variable in HERE.values():
            monkeypatch.setenv(variable, f"http://127.0.0.1:{silent.getsockname()[1]}")
        monkeypatch.setenv("RARR_SEARCH", ",".join(HERE))
        findings = [finding for finding in examine() if finding.name.startswith("search ")]
    assert [finding.state for finding in findings] == ["broken"] * len(HERE)
    assert "no answer within 0.2 s" in findings[0].detail


@pytest.mark.parametrize(
    ("search", "name", "detail"),
    [
        ("searxng", "search searxng", "give searxng_url"),
        ("wikipedia,bing", "search", "unknown search 'bing'"),
        ("wikipedia,wikipedia", "search", "twice"),
        ("", "search", "search is empty"),
    ],
)
def test_source_that_is_not_configured_is_broken(
    search: str, name: str, detail: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RARR_SEARCH", search)
    finding = finding_of(name, offline=True)
    assert (finding.state, detail in finding.detail) == ("broken", True)


def test_tavily_without_a_key_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RARR_TAVILY_KEY")
    monkeypatch.delenv("TAVILY_API_KEY", raising=False)
    monkeypatch.setenv("RARR_SEARCH", "tavily")
    assert "set TAVILY_API_KEY" in finding_of("search tavily").detail


def test_source_is_not_asked_offline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RARR_OFFLINE", "true")
    assert finding_of("search wikipedia") == Diagnosis(
        "search wikipedia", "ok", "the default; not asked, offline"
    )


def test_corpus_that_is_named_and_not_given_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RARR_SEARCH", "corpus")
    assert (finding_of("corpus").state, finding_of("corpus").cure[:15]) == ("broken", "give --corpus P")


@pytest.mark.slow
def test_cache_is_opened_and_measured_but_not_made(tmp_path: Path) -> None:
    path = tmp_path / "home" / "cache.sqlite"
    finding = finding_of("cache", offline=True)
    assert (finding.state, path.exists()) == ("missing", False)
    CacheFile(path).close()
    assert finding_of("cache", offline=True) == Diagnosis("cache", "ok", f"{path} opens; 0.0 MB")


def test_cache_that_is_damaged_is_broken(tmp_path: Path) -> None:
    path = tmp_path / "home" / "cache.sqlite"
    path.parent.mkdir()
    path.write_text("no database, but long enough to be read as the head of one" * 100)
    finding = finding_of("cache", offline=True)
    assert (finding.state, "delete it, or give another" in finding.detail) == ("broken", True)


@pytest.mark.loopback
@pytest.mark.parametrize(
    ("response", "state"), [(Said({"data": []}), "ok"), (Said("", 404), "ok"), (Said("", 500), "broken")]
)
def test_reranker_that_is_served_is_asked(
    response: Said, state: str, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = serve(response)
    monkeypatch.setenv("RARR_SEARCH", "corpus")
    monkeypatch.setenv("RARR_RERANKER", "vllm:bge")
    monkeypatch.setenv("RARR_BASE_URL", f"{service.url}/v1")
    finding = next(candidate for candidate in examine() if candidate.name == "reranker vllm:bge")
    assert (finding.state, "/v1/models" in [request.path for request in service.asked]) == (state, True)
    assert finding_of("reranker vllm:bge", offline=True).detail == "configured; not asked, offline"


class WordList(InMemoryRetriever):
    """A source that reads a file, which it looks for itself."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self._file = file

    def probe(self) -> None:
        if not self._file.exists():
            raise RetrievalError(f"{self._file.name} does not exist: write it")


@pytest.mark.parametrize("offline", [True, False])
def test_source_without_a_server_examines_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, offline: bool
) -> None:
    file = tmp_path / "words.txt"
    monkeypatch.setitem(WEB_SOURCES, "words", lambda settings, opened: WordList(file))
    [broken] = sources(Settings(search="words", offline=offline))
    file.touch()
    [found] = sources(Settings(search="words", offline=offline))
    assert (broken.state, broken.detail) == ("broken", "words.txt does not exist: write it")
    assert found == Diagnosis("search words", "ok", "configured; it has no server to ask")


def test_object_that_is_searched_is_not_asked() -> None:
    [finding] = sources(Settings(search=InMemoryRetriever()))
    assert (finding.state, "InMemoryRetriever of your own" in finding.detail) == ("ok", True)


def test_every_source_is_documented() -> None:
    page = Path(__file__).parents[2].joinpath("docs/guides/sources.md").read_text(encoding="utf-8")
    table = page.partition("| an object")[0]
    rows = re.findall(r"^\| `(\w+)` \| ", table, re.MULTILINE)
    assert rows == ["search", *SOURCES], "correct the table of docs/guides/sources.md"
