"""The options that the benchmarks share, and the changes that they count."""

import pytest

from benchmarks import close_claims
from benchmarks.examples import Replacement, changes
from rarr import Edit, Revision


def test_sentences_held_out_are_not_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["close_claims", "--half", "held_out", "--each"])
    with pytest.raises(SystemExit):
        close_claims.main()
    assert "for measuring alone" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        ([(9, "1931", "37"), (2, "1931", "1937")], {Replacement(5, "1", "7"), Replacement(9, "1931", "37")}),
        ([(7, "b ", ""), (0, "", "x")], {Replacement(0, "", "x"), Replacement(7, "b ", "")}),
    ],
)
def test_changes_have_their_places_in_the_original(
    edits: list[tuple[int, str, str]], expected: set[Replacement]
) -> None:
    original, made = "a 1931 b 1931 c", []
    text = original
    for number, (start, old, new) in enumerate(edits):
        ids = {"id": f"e{number}", "query_id": "q", "evidence_id": "v", "reason": ""}
        made.append(Edit(start=start, end=start + len(old), old=old, new=new, state="accepted", **ids))
        text = text[:start] + new + text[start + len(old) :]
    assert (
        changes(Revision(run_id="r", original=original, text=text, changed=True, edits=tuple(made)))
        == expected
    )
