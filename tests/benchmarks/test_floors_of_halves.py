"""What becomes of claims, sentences and cells is at least as good as it was."""

from collections import Counter

import pytest

from benchmarks import close_claims, document_claims, namesakes, tables
from benchmarks.namesakes import ALONE, BOTH, CHANGED, CORRECTED, SUGGESTED


def test_sentences_held_out_are_not_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["close_claims", "--half", "held_out", "--each"])
    with pytest.raises(SystemExit):
        close_claims.main()
    assert "for measuring alone" in capsys.readouterr().err


# Of each half: wrong claims that may be called supported, and right ones that must be, as measured.
FLOORS = [
    (close_claims, "tuned", 0, 0), (close_claims, "held_out", 0, 0),
    (document_claims, "tuned", 0, 20), (document_claims, "unseen", 0, 14),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("benchmark", "half", "most", "least"), FLOORS)
def test_claims_come_out_as_measured(benchmark: object, half: str, most: int, least: int) -> None:
    counts = Counter((label, outcome) for label, outcome, _ in benchmark.results(half))  # type: ignore[attr-defined]  # a module
    assert counts["wrong", "supported"] <= most
    assert counts["right", "supported"] >= least
    assert counts["right", "changed"] == 0


@pytest.mark.slow
@pytest.mark.parametrize(("half", "corrected", "supported"), [("tuned", 1, 1), ("held_out", 0, 0)])
def test_cells_of_tables(half: str, corrected: int, supported: int) -> None:
    cells = tables.results(half)
    wrong, right = (Counter(it for label, it, _ in cells if label == of) for of in ("wrong", "right"))
    assert wrong["damaged"] == right["damaged"] == wrong["supported"] == 0
    assert wrong["corrected"] >= corrected and right["supported"] >= supported


@pytest.mark.slow
@pytest.mark.parametrize(("half", "corrected", "supported"), [("tuned", 2, 3), ("held_out", 2, 2)])
def test_no_page_of_a_namesake_changes_or_supports_a_claim(half: str, corrected: int, supported: int) -> None:
    done = namesakes.outcomes(half)
    for pages in (ALONE, BOTH):
        wrong, right = (namesakes.hits_by_result(done, pages, wrong=wrong) for wrong in (True, False))
        assert not any((*wrong[CHANGED], *right[CHANGED], *wrong["supported"]))
        assert not any((*wrong[SUGGESTED], *right[SUGGESTED]))
    alone = [namesakes.hits_by_result(done, ALONE, wrong=wrong) for wrong in (True, False)]
    assert not any(any(count["contradicted"]) or any(count["supported"]) for count in alone)
    assert sum(namesakes.hits_by_result(done, BOTH, wrong=True)[CORRECTED]) >= corrected
    assert sum(namesakes.hits_by_result(done, BOTH, wrong=False)["supported"]) >= supported
