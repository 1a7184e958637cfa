"""Shares of false claims that were edited rightly, or by a namesake's page."""

from evals.namesakes.makers import PAGES, entities
from rarr.evals.namesakes.edited_claims import ClaimOutcome, editing_scores, false_claims
from rarr.evals.namesakes.set_generation import name_sets


def outcome(**fields: object) -> ClaimOutcome:
    """An unchanged claim about a tail, with all pages, but for the given fields."""
    usual = {
        "query_id": "q", "is_head": False, "naming": "name", "pages": "all", "text": "t", "revised": "t",
        "status": "unconfirmed", "changed": False, "correct": False, "suggested": False,
        "from_namesake": False, "suggests_namesake": False,
    }  # fmt: skip
    return ClaimOutcome.model_validate(usual | fields)


def test_false_claim_names_its_subject_alone_and_with_its_kind() -> None:
    claims = false_claims(name_sets(entities(), PAGES))
    about_film = [claim for claim in claims if claim.documents == ("veldra-film",)]
    assert [(claim.naming, claim.text) for claim in about_film] == [
        ("name", "Veldra was directed by Piet Ruger."),
        ("kind", "The film Veldra was directed by Piet Ruger."),
    ]
    assert about_film[0].right == ("Veldra was directed by Ana Holm.", "Veldra was directed by A. Holm.")


def test_right_counts_corrections_and_right_suggestions() -> None:
    outcomes = [outcome(changed=True, correct=True), outcome(suggested=True), outcome(), outcome()]
    scores = editing_scores(outcomes)["all pages"]
    assert (scores.changed.value, scores.correct.value, scores.right.value) == (0.25, 0.25, 0.5)


def test_claims_are_counted_by_pages_and_heads() -> None:
    outcomes = [outcome(), outcome(is_head=True, pages="namesakes", changed=True, from_namesake=True)]
    scores = editing_scores(outcomes)
    assert scores["namesakes' pages alone, heads"].from_namesake.value == 1
    assert scores["all pages"].from_namesake.value == 0
    assert scores["all pages, heads"].changed.value is None


def test_claim_with_an_error_is_not_judged() -> None:
    scores = editing_scores([outcome(error="the search failed", changed=True), outcome()])["all pages"]
    assert (scores.changed.value, scores.changed.unjudged) == (0, 1)
