"""WikiGenBench over made-up events: what is read, written and scored, and by which systems."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from rarr import InputError, Settings
from rarr.errors import SettingsError
from rarr.evals.literature.compared_rerankers import Bm25Reranker, RandomReranker, compared_reranker
from rarr.evals.literature.wikigen_benchmark import (
    ArticleLine,
    WikigenOptions,
    WikigenReport,
    bench_wikigen,
    scores_of,
)  # fmt: skip
from rarr.evals.literature.wikigen_rows import EventPages, events_of
from rarr.records import Passage
from rarr.records.articles import CitationScores
from rarr.testing import RETRIEVED_AT, RuleModel, ScriptedModel, ScriptedServer
from rarr.tools.models.chat import CallFailure

FOLDER = Path(__file__).resolve().parents[3] / "examples/benchmark/wikigen"
EVENTS, DOCS = FOLDER / "events.jsonl", FOLDER / "docs.jsonl"


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RARR_HOME", str(tmp_path / "home"))


def bench(out: Path, settings: Settings | None = None, **options: Any) -> WikigenReport:
    return bench_wikigen(EVENTS, DOCS, out, settings=settings, options=WikigenOptions(**options))


def lines(folder: Path) -> list[ArticleLine]:
    text = (folder / "predictions.jsonl").read_text(encoding="utf-8")
    return [ArticleLine.model_validate(json.loads(line)) for line in text.splitlines()]


def test_events_have_their_pages_but_those_of_wikipedia() -> None:
    events = {event.id: event for event in events_of(EVENTS, DOCS)}
    assert set(events) == {"kestrel-hall", "kestrel-library", "ashdown-observatory"}
    assert [page.title for page in events["kestrel-hall"].documents] == ["Kestrel Hall"]
    assert events["kestrel-hall"].outline == ("Architecture", "Ownership")
    assert events["kestrel-hall"].reference.startswith("Kestrel Hall is a concert hall in Tarrow")


def test_order_of_events_does_not_depend_on_the_file(tmp_path: Path) -> None:
    turned = tmp_path / "events.jsonl"
    turned.write_text("\n".join(reversed(EVENTS.read_text().splitlines())) + "\n")
    assert [e.id for e in events_of(turned, DOCS)] == [e.id for e in events_of(EVENTS, DOCS)]


async def test_all_pages_of_an_event_are_found() -> None:
    [event] = [event for event in events_of(EVENTS, DOCS) if event.id == "kestrel-library"]
    found = await EventPages(event.documents, 50).retrieve("anything", 1)
    assert {passage.source for passage in found} == {page.url for page in event.documents}
    assert all(len(passage.text.split()) <= 50 for passage in found)


@pytest.mark.slow
def test_extractive_articles_are_cited_and_kept(tmp_path: Path) -> None:
    report = bench(tmp_path / "out")
    scores = report.systems["extractive, overlap"]
    assert (report.events, scores.articles, scores.errors) == (3, 3, ())
    assert scores.as_written["recall"].value == 1.0
    assert scores.checked["precision"].value == 1.0
    assert scores.rouge_l.value is not None and scores.rouge_l.value > 0.1
    assert (tmp_path / "out/report.json").exists()
    assert all("[^1]" in line.text for line in lines(tmp_path / "out/extractive-overlap"))


def test_same_call_continues_and_a_higher_limit_adds(tmp_path: Path) -> None:
    first = bench(tmp_path / "out", limit=1)
    assert first.systems["extractive, overlap"].articles == 1
    kept = lines(tmp_path / "out/extractive-overlap")
    assert bench(tmp_path / "out").systems["extractive, overlap"].articles == 3
    assert lines(tmp_path / "out/extractive-overlap")[:1] == kept


def test_rerankers_are_compared(tmp_path: Path) -> None:
    report = bench(tmp_path / "out", rerankers=("overlap", "bm25", "random"), limit=1)
    assert list(report.systems) == ["extractive, overlap", "extractive, bm25", "extractive, random"]


def test_given_outline_is_that_of_the_reference(tmp_path: Path) -> None:
    bench(tmp_path / "out", given_outline=True)
    texts = {line.id: line.text for line in lines(tmp_path / "out/extractive-overlap")}
    assert "\n## Instruments\n" in texts["ashdown-observatory"]
    assert "References" not in texts["kestrel-hall"]


@pytest.mark.loopback
def test_language_model_writes_planned_and_unplanned(tmp_path: Path) -> None:
    with ScriptedServer(RuleModel()) as server:
        settings = Settings(model="vllm:scripted", base_url=server.url)
        report = bench(tmp_path / "out", settings, systems=("rr", "prr"), limit=2)
    prompts = {request.prompt for request in server.requests}
    assert {"outline", "write_section", "write_article"} <= prompts
    assert [each.articles for each in report.systems.values()] == [2, 2]
    calls = {
        name: [line.model_calls for line in lines(tmp_path / "out" / name)]
        for name in ("rr-overlap", "prr-overlap")
    }
    assert all(count == 1 for count in calls["rr-overlap"])
    assert all(count > 1 for count in calls["prr-overlap"])


def test_article_that_fails_has_an_error_and_is_repeated(tmp_path: Path) -> None:
    broken = ScriptedModel(RuleModel(), failures=[CallFailure("refused", "no")] * 100)
    report = bench(tmp_path / "out", Settings(model=broken), systems=("rr",), limit=1)
    [error] = report.systems["rr, overlap"].errors
    assert "no" in error
    working = Settings(model=ScriptedModel(RuleModel()))
    again = bench(tmp_path / "out", working, systems=("rr",), limit=1)
    assert again.systems["rr, overlap"].errors == ()


@pytest.mark.parametrize(
    ("systems", "error", "message"),
    [(("rr",), SettingsError, "needs a language model"), (("poem",), InputError, "unknown: give rr, prr")],
)
def test_impossible_system_is_refused(
    tmp_path: Path, systems: Sequence[str], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        bench(tmp_path / "out", systems=tuple(systems))
    assert not (tmp_path / "out").exists()


def test_data_that_do_not_belong_together_are_refused(tmp_path: Path) -> None:
    other = tmp_path / "docs.jsonl"
    row = json.loads(DOCS.read_text().splitlines()[0]) | {"event_id": "other"}
    other.write_text(json.dumps(row) + "\n")
    with pytest.raises(InputError, match="no page of an event"):
        bench_wikigen(EVENTS, other, tmp_path / "out")
    with pytest.raises(InputError, match=r"has no none\.jsonl"):
        bench_wikigen(EVENTS, tmp_path / "none.jsonl", tmp_path / "out")


def test_scores_are_means_over_articles() -> None:
    half, whole = CitationScores(recall=0.5, precision=0.5), CitationScores(recall=1.0, precision=0.75)
    done = [
        ArticleLine(id="1", as_written=half, checked=whole, words=100, rouge_l=0.1, meteor=0.2),
        ArticleLine(id="2", as_written=whole, checked=whole, words=300, rouge_l=0.3, meteor=0.4),
        ArticleLine(id="3", words=0, rouge_l=0.0, meteor=0.0),
        ArticleLine(id="4", error="down"),
    ]
    scores = scores_of(done)
    assert (scores.articles, scores.errors) == (4, ("4: down",))
    assert (scores.as_written["recall"].value, scores.as_written["recall"].unjudged) == (0.75, 1)
    assert scores.checked["precision"].value == 0.75
    assert scores.words.value == pytest.approx(400 / 3)


def passages(*texts: str) -> list[Passage]:
    return [
        Passage(text=text, source=f"{n}.md", start=0, end=len(text), retrieved_at=RETRIEVED_AT)
        for n, text in enumerate(texts)
    ]


async def test_bm25_puts_the_passage_with_the_words_first() -> None:
    scores = await Bm25Reranker().score(
        "red bridge", passages("The sky is blue.", "A red bridge.", "A bridge.")
    )
    assert scores[1] > scores[2] > scores[0] > 0


async def test_random_order_ignores_the_words_and_is_always_the_same() -> None:
    many = passages(*(f"Passage {n}." for n in range(50)))
    scores = await RandomReranker().score("red", many)
    assert scores == await RandomReranker().score("red", many)
    assert scores != await RandomReranker().score("blue", many)
    assert all(0 < score <= 1 for score in scores)


def test_other_names_are_rerankers_of_the_settings() -> None:
    assert compared_reranker("overlap") is None
