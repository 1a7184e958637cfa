"""E+ and E-."""

from rarr.records import Passage
from rarr.training.noising.relevance import MOST_OTHERS, split
from training.noising.helpers import evidence


def passages(count: int) -> list[Passage]:
    return [evidence(f"Note {n}.", number=n) for n in range(count)]


def bare(one: Passage) -> Passage:
    return Passage.model_validate(one.model_dump(include=set(Passage.model_fields)))


def test_passages_are_split_by_relevance_best_first() -> None:
    found = split([bare(one) for one in passages(4)], [0.3, 0.9, 0.6, 0.5], 0.6)
    assert [one.text for one in found.relevant] == ["Note 1.", "Note 2."]
    assert [(one.text, one.id, one.relevance) for one in found.others] == [
        ("Note 3.", "e3", 0.5),
        ("Note 0.", "e4", 0.3),
    ]


def test_relevant_passages_beyond_four_are_on_neither_side() -> None:
    found = split([bare(one) for one in passages(20)], [0.9] * 6 + [0.1] * 14, 0.6)
    assert (len(found.relevant), len(found.others)) == (4, MOST_OTHERS)
    assert all(one.relevance == 0.1 for one in found.others)


def test_windows_of_one_place_count_once() -> None:
    one = bare(evidence("The mill opened in 1901."))
    assert split([one, one.model_copy(update={"text": "mill opened in 1901."})], [0.9, 0.2], 0.6).others == []
