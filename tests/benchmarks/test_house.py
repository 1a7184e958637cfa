"""The figures of the repository itself."""

import pytest

from benchmarks.house import (
    ROOT,
    TO_THE_GATE,
    TO_THE_SEARCH,
    broken_hops,
    function_lengths,
    import_circles,
    package,
    quantiles,
    repeated_names,
    rooms,
    weak_names,
)

SOURCES = {
    "rarr.a.first": "class Same: ...\ndef run():\n    found = one(2)\n    return found\n",
    "rarr.b.second": "from rarr.a.first import run\nclass _Same: ...\ndef walk():\n    return run()\n",
}


@pytest.mark.slow
@pytest.mark.parametrize("path", [TO_THE_GATE, TO_THE_SEARCH])
def test_a_reader_finds_each_next_function_named_in_the_one_before(path: tuple[str, ...]) -> None:
    assert broken_hops(path, package(ROOT)) == []


def test_a_function_that_is_not_there_or_not_named_breaks_a_path() -> None:
    assert broken_hops(("rarr.b.second.walk", "rarr.a.first.run"), SOURCES) == []
    assert broken_hops(("rarr.a.first.run", "rarr.b.second.walk"), SOURCES) == [
        "rarr.a.first.run -> rarr.b.second.walk"
    ]
    assert broken_hops(("rarr.a.first.gone",), SOURCES) == ["rarr.a.first.gone"]


def test_rooms_and_lengths_are_counted() -> None:
    assert rooms(SOURCES) == ["a", "b"]
    assert quantiles(sorted(function_lengths(SOURCES))) == (3, 3, 3)


def test_classes_of_one_name_are_listed_with_their_modules() -> None:
    classes, functions = repeated_names(SOURCES)
    assert classes == {"Same": ["rarr.a.first", "rarr.b.second"]}
    assert functions == {}


def test_rooms_that_import_each_other_are_a_circle() -> None:
    assert import_circles(SOURCES) == []
    (circle,) = import_circles({**SOURCES, "rarr.a.third": "import rarr.b.second"})
    assert set(circle) == {"a", "b"}


def test_names_that_say_nothing_are_counted_in_code_alone() -> None:
    count = weak_names({"rarr.a": '"""One is found."""\nfound = one.its\nfound += 1\n'})
    assert count == {"one": 1, "found": 2, "said": 0, "its": 1, "mine": 0}
