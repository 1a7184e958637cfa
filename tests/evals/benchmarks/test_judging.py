"""AttrScore, ExpertQA and FActScore over made-up rows: what they measure, and how a run continues."""

from pathlib import Path

import pytest

from evals.benchmarks.made_up_rows import BUILDERS, STANCES, data_folder, passage, question, write
from rarr import Settings
from rarr.errors import InputError
from rarr.evals.benchmarks.attrscore import (
    CORPUS,
    AnsweredQuestion,
    QuoteSumRow,
    answer_kind,
    answered_questions,
    bench_attrscore,
    contains,
    other_answer,
    simulated,
)  # fmt: skip
from rarr.evals.benchmarks.expertqa import CLAIMS, bench_expertqa, system_scores
from rarr.evals.benchmarks.factscore import (
    AtomicFact,
    FactsLine,
    StanceRow,
    bench_factscore,
    fact_tables,
    stance_claims,
)  # fmt: skip
from rarr.evals.benchmarks.report import BenchmarkClaim, BenchmarkReport, Options, published
from rarr.evals.rows import RowEvidence
from rarr.evals.verified_claims import VerifiedRow
from rarr.records import AttributionClass
from rarr.testing import Asked, ScriptedModel, ScriptedServer
from rarr.views.report_tables import as_tables

ASKED = answered_questions([QuoteSumRow.model_validate(question(number)) for number in range(6)])
PASSAGES = [RowEvidence(text=passage(n)["text"], title=passage(n)["title"]) for n in range(6)]
EMBEDDED = Options(judges=("embedded",))


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return data_folder(tmp_path / "data")


def made(asked: list[AnsweredQuestion], corpus: list[RowEvidence] = PASSAGES) -> dict[str, list[str]]:
    """The claim and the passage of each construction of the first question."""
    claims = [claim for claim in simulated(asked, corpus) if claim.id.startswith(asked[0].id)]
    return {claim.id[-1]: [claim.claim, claim.evidence[0].text, str(claim.label)] for claim in claims}


def test_four_constructions() -> None:
    claims = made(ASKED)
    assert claims["A"] == ["Ida Lunde", passage(0)["text"], "attributable"]
    other = claims["B"][0]
    assert other in BUILDERS[1:] and claims["B"][1:] == [passage(0)["text"], "contradictory"]
    assert claims["C"] == ["Ida Lunde", passage(0)["text"].replace("Ida Lunde", other), "contradictory"]
    assert claims["D"][::2] == ["Ida Lunde", "extrapolatory"] and not contains(claims["D"][1], "Ida Lunde")
    assert made(ASKED[:1]) == made(ASKED, PASSAGES[:1]) == {}


def test_answer_is_exchanged_in_the_title_and_an_alias_is_no_unrelated_passage() -> None:
    titled = ASKED[0]._replace(passage=RowEvidence(text="By Ida Lunde.", title="IDA LUNDE"))
    [changed] = [
        each.evidence[0] for each in simulated([titled, *ASKED[1:]], PASSAGES) if each.id == "q0/1/C"
    ]
    assert "lunde" not in f"{changed.title} {changed.text}".lower()
    near = RowEvidence(text="Who built Aarle Mill? I. Lunde built Aarle Mill.", title="Aarle Mill")
    assert made(ASKED, [*PASSAGES, near])["D"][1] == near.text
    aliased = [ASKED[0]._replace(answers=("Ida Lunde", "I. Lunde")), *ASKED[1:]]
    assert made(aliased, [*PASSAGES, near])["D"][1] != near.text


def test_other_answer_is_of_the_same_kind_and_not_in_the_passage() -> None:
    year = ASKED[1]._replace(answer="1937", answers=("1937",))
    there = ASKED[1]._replace(answer="Aarle Mill", answers=("Aarle Mill",))
    assert other_answer(ASKED[0], [ASKED[0], year]) is None
    assert other_answer(ASKED[0], [ASKED[0], there]) is None
    which = [each._replace(question="Which mill is it?") for each in ASKED[1:5]]
    assert other_answer(ASKED[0], [*which, ASKED[5]]) == "Per Vik"
    assert other_answer(ASKED[0], ASKED) == other_answer(ASKED[0], ASKED[::-1])
    kinds = {"Ida Lunde": "name", "4 March 1931": "date", "two mills": "number", "because it rained": "words"}
    assert {answer: answer_kind(answer) for answer in kinds} == kinds


def test_attrscore_scores_each_construction_and_continues(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    bench_attrscore(data, out, options=EMBEDDED.model_copy(update={"limit": 5}))
    before = (out / "embedded" / "predictions.jsonl").read_text().splitlines()
    report = bench_attrscore(data, out, options=EMBEDDED)
    after = (out / "embedded" / "predictions.jsonl").read_text().splitlines()
    assert (len(before), len(after), after[:5]) == (5, 16, before)
    scores = report.tables[0].rows["embedded"]
    assert (report.counts, [scores[each].n for each in "ABCD"]) == ({"questions": 4, "claims": 16}, [4] * 4)
    assert BenchmarkReport.model_validate_json((out / "report.json").read_text()) == report
    assert "GPT-4, few-shot" in as_tables(report)


def test_failed_requests_are_counted_apart(data: Path, tmp_path: Path) -> None:
    judge = Settings(models={"attribute": ScriptedModel(lambda asked: "no JSON")}, attempts=1)
    report = bench_attrscore(data, tmp_path / "out", settings=judge, options=Options(limit=3))
    [scores] = report.tables[0].rows.values()
    assert sum(scores[each].unjudged for each in "ABCD" if each in scores) == len(report.errors) == 3
    assert "accuracy" not in scores and len(report.failed) == 1


def test_expertqa_joins_passages_and_leaves_out_claims_that_need_no_citation(
    data: Path, tmp_path: Path
) -> None:
    report = bench_expertqa(data, tmp_path / "out", options=EMBEDDED)
    overall, systems, fields = report.tables
    assert overall.rows["embedded"]["f1"].n == 4
    assert {name: row["f1"].n for name, row in systems.rows.items()} == {"post_hoc": 1, "rr": 2, "all": 3}
    assert list(fields.rows) == ["Law", "all"]


def judged(
    number: int, answer: str, label: AttributionClass | None, *, supported: bool
) -> tuple[BenchmarkClaim, VerifiedRow]:
    groups = {"answer": answer}
    claim = BenchmarkClaim(id=str(number), claim="A.", evidence=(), supported=supported, groups=groups)
    return claim, VerifiedRow(id=str(number), label=label, supported=supported)


def test_autoais_is_a_mean_over_answers() -> None:
    """By hand. First answer: 1 of 3 supported claims; second: 1 of 1. Macro 2/3, where micro would be 1/2."""
    scores = system_scores(
        [
            judged(1, "a", "attributable", supported=True),
            judged(2, "a", "extrapolatory", supported=True),
            judged(3, "a", "contradictory", supported=True),
            judged(4, "b", "attributable", supported=True),
            judged(5, "b", "attributable", supported=False),
            judged(6, "b", None, supported=True),
        ]
    )
    assert scores["autoais"].value == pytest.approx(2 / 3)
    assert (scores["precision"].value, scores["recall"].value) == pytest.approx((2 / 3, 0.5))
    assert (scores["f1"].n, scores["f1"].unjudged) == (5, 1)


STANCE_CLAIMS = stance_claims([StanceRow.model_validate(row) for row in STANCES])


def line(number: int, *labels: AttributionClass | None) -> FactsLine:
    facts = tuple(AtomicFact(text="A.", label=label) for label in labels)
    return FactsLine(id=STANCE_CLAIMS[number].id, facts=facts)


def test_factscores_by_hand() -> None:
    """Scores 1, 0.5 and 0.25: the first two are called factual. People support the first alone.

    True: 1 hit of 2 called, 1 true, F1 2/3. False: 1 hit of 1 called, 2 false, F1 2/3. Text 1 has 2 of 3
    facts where people have 1 of 2 claims (the mean of its claims' scores would be 0.75); text 2 has 1 of 4
    where people have 0. The mean over texts is 11/24.
    """
    assert [(len(claim.evidence), claim.supported) for claim in STANCE_CLAIMS] == [
        (2, True), (1, False), (1, False),
    ]  # fmt: skip
    quarter: list[AttributionClass] = ["attributable", *["extrapolatory"] * 3]  # type: ignore[list-item]
    lines = [line(0, "attributable"), line(1, "attributable", "contradictory"), line(2, *quarter)]
    supported, factual, texts = (table.rows["j"] for table in fact_tables(STANCE_CLAIMS, {"j": lines}))
    measured = {name: each.value for name, each in supported.items()}
    assert measured == pytest.approx({"f1_true": 2 / 3, "f1_false": 2 / 3, "micro_f1": 2 / 3})
    assert (factual["micro_f1"].value, factual["micro_f1"].n) == (0.5, 2)
    assert [each.value for each in texts.values()] == pytest.approx([7 / 3, 11 / 24, 0.25])
    unjudged = fact_tables(STANCE_CLAIMS, {"j": [lines[0], line(1, None), line(2)]})[0].rows["j"]
    assert (unjudged["micro_f1"].n, unjudged["micro_f1"].unjudged) == (1, 2)


@pytest.mark.loopback
def test_language_model_splits_and_judges_and_a_failure_is_repeated(data: Path, tmp_path: Path) -> None:
    splits: list[dict[str, object]] = [{"verdict": "attributable"}]

    def answer(asked: Asked) -> dict[str, object]:
        return splits[-1] if asked.prompt == "split_facts" else {"reason": "", "verdict": "attributable"}

    with ScriptedServer(answer) as server:
        given = {
            "settings": Settings(base_url=server.url),
            "options": Options(judges=("vllm:m",), limit=1),
        }
        failed = bench_factscore(data, tmp_path / "out", **given)  # type: ignore[arg-type]
        splits.append({"facts": ["Dams are high.", " ", "Dams are high.", "Dams are long."]})
        again = bench_factscore(data, tmp_path / "out", **given)  # type: ignore[arg-type]
    assert {request.prompt for request in server.requests} == {"split_facts", "judge_attribution"}
    assert (len(failed.errors), failed.failed, again.errors) == (1, ("vllm:m",), ())
    assert again.tables[2].rows["vllm:m"]["facts of a claim"].value == 2


def test_missing_and_wrong_data_and_other_folders_are_refused(data: Path, tmp_path: Path) -> None:
    bench_expertqa(data, tmp_path / "out", options=EMBEDDED)
    with pytest.raises(InputError, match="holds a run of rarr bench expertqa: give another folder"):
        bench_attrscore(data, tmp_path / "out", options=EMBEDDED)
    with pytest.raises(InputError, match="holds dev, not a run of rarr: give a folder of its own"):
        bench_attrscore(data, data, options=EMBEDDED)
    write(data / CLAIMS, [{"id": "a", "claim": "A.", "evidence": []}])
    with pytest.raises(InputError, match='it has no "meta"'):
        bench_expertqa(data, tmp_path / "other", options=EMBEDDED)
    (data / CORPUS).unlink()
    with pytest.raises(InputError, match=f"has no {CORPUS}: give the folder that holds it"):
        bench_attrscore(data, tmp_path / "other", options=EMBEDDED)
    assert not (tmp_path / "other").exists()


def test_published_figures_are_shares_and_say_how_rows_differ() -> None:
    names = ("attrscore", "expertqa", "factscore", "kalma", "wikigenbench")
    assert published("attrscore").systems["ChatGPT, zero-shot"]["micro_f1"] == pytest.approx(0.432)
    assert published("expertqa").systems["rr_gs_gpt4"]["autoais"] == 0.778
    assert all(published(name).differ and published(name).paper for name in names)
