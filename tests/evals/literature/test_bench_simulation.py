"""The four constructions of AttrScore's simulation."""

import pytest

from evals.literature.made_up_rows import BUILDERS, passage, question
from rarr.evals.literature.attrscore_benchmark import QuoteSumRow, answered_questions
from rarr.evals.literature.simulated_claims import (
    AnsweredQuestion,
    answer_kind,
    contains,
    other_answer,
    simulated,
)
from rarr.evals.rows import RowEvidence

ASKED = answered_questions([QuoteSumRow.model_validate(question(number)) for number in range(6)])
CORPUS = [RowEvidence(text=passage(n)["text"], title=passage(n)["title"]) for n in range(6)]


def made(asked: list[AnsweredQuestion], corpus: list[RowEvidence] = CORPUS) -> dict[str, list[str]]:
    """The claim and the passage of each construction of the first question."""
    claims = [claim for claim in simulated(asked, corpus) if claim.id.startswith(asked[0].id)]
    return {claim.id[-1]: [claim.claim, claim.evidence[0].text, str(claim.label)] for claim in claims}


def test_bench_attributable_claim_is_the_answer_beside_its_passage() -> None:
    assert made(ASKED)["A"] == ["Ida Lunde", passage(0)["text"], "attributable"]


def test_bench_contradictory_claim_has_another_answer() -> None:
    claim, text, label = made(ASKED)["B"]
    assert claim in BUILDERS[1:] and (text, label) == (passage(0)["text"], "contradictory")


def test_bench_contradictory_passage_has_the_other_answer_instead() -> None:
    other, claim_text = made(ASKED)["B"][0], made(ASKED)["C"]
    changed = passage(0)["text"].replace("Ida Lunde", other)
    assert claim_text == ["Ida Lunde", changed, "contradictory"]


def test_bench_answer_is_exchanged_in_the_title_too() -> None:
    titled = ASKED[0]._replace(passage=RowEvidence(text="By Ida Lunde.", title="IDA LUNDE"))
    [changed] = [each.evidence[0] for each in simulated([titled, *ASKED[1:]], CORPUS) if each.id == "q0/1/C"]
    assert "lunde" not in f"{changed.title} {changed.text}".lower()


def test_bench_extrapolatory_passage_is_the_nearest_without_an_answer() -> None:
    claim, text, label = made(ASKED)["D"]
    assert (claim, label) == ("Ida Lunde", "extrapolatory")
    assert text != passage(0)["text"] and not contains(text, "Ida Lunde")


def test_bench_passage_with_an_alias_of_the_answer_is_no_extrapolatory_one() -> None:
    near = RowEvidence(text="Who built Aarle Mill? I. Lunde built Aarle Mill.", title="Aarle Mill")
    assert made(ASKED, [*CORPUS, near])["D"][1] == near.text
    aliased = [ASKED[0]._replace(answers=("Ida Lunde", "I. Lunde")), *ASKED[1:]]
    assert made(aliased, [*CORPUS, near])["D"][1] != near.text


def test_bench_question_without_a_comparable_answer_makes_no_claim() -> None:
    assert list(simulated(ASKED[:1], CORPUS)) == []


def test_bench_question_without_another_passage_makes_no_claim() -> None:
    assert made(ASKED, CORPUS[:1]) == {}


def test_bench_other_answer_is_of_the_same_kind_and_not_in_the_passage() -> None:
    year = ASKED[1]._replace(answer="1937", answers=("1937",))
    assert other_answer(ASKED[0], [ASKED[0], year]) is None
    there = ASKED[1]._replace(answer="Aarle Mill", answers=("Aarle Mill",))
    assert other_answer(ASKED[0], [ASKED[0], there]) is None


def test_bench_other_answer_has_the_same_interrogative_first() -> None:
    which = [each._replace(question="Which mill is it?") for each in ASKED[1:5]]
    assert other_answer(ASKED[0], [*which, ASKED[5]]) == "Per Vik"


def test_bench_choice_does_not_depend_on_the_order_of_questions() -> None:
    assert other_answer(ASKED[0], ASKED) == other_answer(ASKED[0], ASKED[::-1])


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        ("Ida Lunde", "name"),
        ("4 March 1931", "date"),
        ("two mills", "number"),
        ("because it rained", "words"),
    ],
)
def test_bench_kind_of_an_answer(answer: str, kind: str) -> None:
    assert answer_kind(answer) == kind


def test_bench_passage_without_its_answer_is_no_question() -> None:
    row = question(0)
    row["passages"] = [passage(0) | {"short_answer": "Lund"}, passage(0)]
    [asked] = answered_questions([QuoteSumRow.model_validate(row)])
    assert (asked.answer, asked.answers) == ("Ida Lunde", ("Ida Lunde", "Lund"))
