"""E+ and E-."""

from rarr.records import Passage
from rarr.training.noised import MOST_OTHERS, split
from training.noising.helpers import evidence


def passages(count: int) -> list[Passage]:
    return [evidence(f"Note {n}.", number=n) for n in range(count)]


def bare(passage: Passage) -> Passage:
    return Passage.model_validate(passage.model_dump(include=set(Passage.model_fields)))


def test_passages_are_split_by_relevance_best_first() -> None:
    parts = split([bare(passage) for passage in passages(4)], [0.3, 0.9, 0.6, 0.5], 0.6)
    assert [passage.text for passage in parts.relevant] == ["Note 1.", "Note 2."]
    assert [(passage.text, passage.id, passage.relevance) for passage in parts.others] == [
        ("Note 3.", "e3", 0.5),
        ("Note 0.", "e4", 0.3),
    ]


def test_relevant_passages_beyond_four_are_left_out() -> None:
    parts = split([bare(passage) for passage in passages(20)], [0.9] * 6 + [0.1] * 14, 0.6)
    assert (len(parts.relevant), len(parts.others)) == (4, MOST_OTHERS)
    assert all(passage.relevance == 0.1 for passage in parts.others)


def test_overlapping_windows_count_once() -> None:
    passage = bare(evidence("The mill opened in 1901."))
    shorter = passage.model_copy(update={"text": "mill opened in 1901."})
    assert split([passage, shorter], [0.9, 0.2], 0.6).others == []
