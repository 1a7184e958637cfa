from rarr.records import Notice
from rarr.tools.notices import grouped


def test_same_warnings_are_counted() -> None:
    one, other = Notice(code="c", message="m", node="n"), Notice(code="c", message="o", node="n")
    assert grouped([one, other, one]) == ["c: m (2 times)", "c: o"]
