"""FActScore over made-up rows: facts, scores, and the splitting by a language model."""

from pathlib import Path

import pytest

from evals.literature.made_up_rows import SHARED, STANCES, data_folder, needs_data
from rarr import Settings
from rarr.evals.literature.atomic_fact_scoring import AtomicFact, FactsLine
from rarr.evals.literature.benchmark_judging import JudgingOptions
from rarr.evals.literature.factscore_benchmark import StanceRow, bench_factscore, fact_scores, stance_claims
from rarr.records import AttributionClass
from rarr.testing import Asked, ScriptedServer

EMBEDDED = JudgingOptions(judges=("embedded",))
CLAIMS = stance_claims([StanceRow.model_validate(row) for row in STANCES])


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return data_folder(tmp_path / "data")


def line(number: int, *labels: AttributionClass | None) -> FactsLine:
    facts = tuple(AtomicFact(text="A.", label=label) for label in labels)
    return FactsLine(id=CLAIMS[number].id, facts=facts)


def test_bench_rows_of_a_claim_become_one_claim_with_all_passages() -> None:
    assert [(claim.id, len(claim.evidence), claim.supported) for claim in CLAIMS] == [
        ("f/1/s1/0", 2, True),
        ("f/1/s1/1", 1, False),
        ("f/2/s1/0", 1, False),
    ]
    assert [claim.groups["text"] for claim in CLAIMS] == ["f/1", "f/1", "f/2"]


def test_bench_score_is_the_share_of_attributable_facts() -> None:
    assert line(0, "attributable", "contradictory", "extrapolatory", None).score == pytest.approx(1 / 3)
    assert line(0, None).score is None and line(0).score is None


def test_bench_factscores_by_hand() -> None:
    """Scores 1, 0.5 and 0.25: the first two are called factual. People support the first alone.

    True: 1 hit of 2 called, 1 true, F1 2/3. False: 1 hit of 1 called, 2 false, F1 2/3. Text 1 has 2 of 3
    facts where people have 1 of 2 claims (the mean of its claims' scores would be 0.75); text 2 has 1 of 4
    where people have 0. The mean over texts is 11/24; 3 of all 7 facts are attributable.
    """
    quarter = ("attributable", *["extrapolatory"] * 3)
    lines = [line(0, "attributable"), line(1, "attributable", "contradictory"), line(2, *quarter)]  # type: ignore[arg-type]
    scores = fact_scores(CLAIMS, lines)
    measured = {name: each.value for name, each in scores.supported.items()}
    assert measured == pytest.approx({"f1_true": 2 / 3, "f1_false": 2 / 3, "micro_f1": 2 / 3})
    of_texts = [each.value for each in (scores.texts, scores.pooled, scores.people, scores.distance)]
    assert of_texts == pytest.approx([11 / 24, 3 / 7, 0.25, 5 / 24])
    assert (scores.factual["micro_f1"].value, scores.factual["micro_f1"].n) == (0.5, 2)
    assert scores.facts.value == pytest.approx(7 / 3)


def test_bench_claim_without_a_judged_fact_is_left_out() -> None:
    scores = fact_scores(CLAIMS, [line(0, "attributable"), line(1, None), line(2)])
    assert (scores.supported["micro_f1"].n, scores.supported["micro_f1"].unjudged) == (1, 2)
    assert (scores.unjudged, scores.texts.n, scores.texts.unjudged, scores.pooled.n) == (2, 1, 1, 1)


def test_bench_embedded_judges_sentences_and_continues(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    report = bench_factscore(data, out, options=EMBEDDED)
    predictions = out / "embedded" / "predictions.jsonl"
    kept = [FactsLine.model_validate_json(each) for each in predictions.read_text().splitlines()]
    facts = {each.id: [fact.text for fact in each.facts or ()] for each in kept}
    assert facts["f/2/s1/0"] == ["Hoover Dam was 221 metres high and was 900 metres long."]
    before = predictions.read_bytes()
    assert bench_factscore(data, out, options=EMBEDDED) == report
    assert predictions.read_bytes() == before


@pytest.mark.loopback
def test_bench_language_model_splits_and_judges(data: Path, tmp_path: Path) -> None:
    def answer(asked: Asked) -> dict[str, object]:
        if asked.prompt == "split_facts":
            return {"facts": ["Dams are high.", " ", "Dams are high.", "Dams are long."]}
        return {"reason": "", "verdict": "attributable"}

    with ScriptedServer(answer) as server:
        settings = Settings(base_url=server.url)
        options = JudgingOptions(judges=("vllm:m",), limit=1)
        report = bench_factscore(data, tmp_path / "out", settings=settings, options=options)
    assert {request.prompt for request in server.requests} == {"split_facts", "judge_attribution"}
    assert report.judges["vllm:m"].facts.value == 2


@pytest.mark.loopback
def test_bench_claim_that_could_not_be_split_is_an_error_and_repeated(data: Path, tmp_path: Path) -> None:
    replies: list[dict[str, object]] = [{"verdict": "attributable"}]
    options = JudgingOptions(judges=("vllm:m",), limit=1)
    with ScriptedServer(lambda asked: replies[-1]) as server:
        settings = Settings(base_url=server.url)
        failed = bench_factscore(data, tmp_path / "out", settings=settings, options=options).judges["vllm:m"]
        replies.append({"facts": []})
        again = bench_factscore(data, tmp_path / "out", settings=settings, options=options).judges["vllm:m"]
    assert (failed.claims, len(failed.errors), failed.facts.n) == (1, 1, 0)
    assert (again.errors, again.facts.value, again.texts.n) == ((), 0, 0)


@pytest.mark.slow
@needs_data
def test_bench_factscore_on_the_data_folder(tmp_path: Path) -> None:
    report = bench_factscore(SHARED, tmp_path / "out", options=JudgingOptions(limit=50))
    assert report.claims == 310
    assert report.judges["embedded"].supported["micro_f1"].n == 50
