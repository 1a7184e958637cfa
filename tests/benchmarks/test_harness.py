"""The options that the benchmarks share."""

import pytest

from benchmarks import close_claims


def test_sentences_held_out_are_not_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["close_claims", "--half", "held_out", "--each"])
    with pytest.raises(SystemExit):
        close_claims.main()
    assert "for measuring alone" in capsys.readouterr().err
