"""Many similar records, such as the pages of towns: one says nothing about another."""

import random
from pathlib import Path

import pytest

from rarr import Reviser, Settings

_FIRST = ("Al", "Bor", "Er", "Ith", "Kel", "Mor", "Nar", "Os", "Pel", "Ran")
_LAST = ("ven", "dale", "wick", "mere")
TUNED = (
    "The town of {name} was founded in {number}.",
    "The mayor of {name} serves up to {small} terms.",
    "{name} has {number} inhabitants.",
    "The library of {name} opens at {small}:30.",
)
# Written after the rule, for measuring alone: the rule is not to be changed for one of these.
HELD_OUT = (
    "The {name} pump weighs {number} kilograms.",
    "Patient {name} takes {small} tablets in the evening.",
    "The firm {name} employed {number} people in 2021.",
    "The lease of {name} Hall runs for {small} years.",
)


def records(kinds: tuple[str, ...], seed: int) -> dict[str, list[str]]:
    """The sentences of each of forty records."""
    chance = random.Random(seed)
    names = [first + last for first in _FIRST for last in _LAST]
    return {
        name: [
            kind.format(name=name, number=chance.randrange(1500, 1990), small=chance.randrange(2, 10))
            for kind in kinds
        ]
        for name in names
    }


def corpus(made: dict[str, list[str]], folder: Path, *, one_file: bool) -> Path:
    parts = {name: f"## {name}\n\n{' '.join(facts)}\n\n" for name, facts in made.items()}
    if one_file:
        parts = {"all": "".join(parts.values())}
    for name, text in parts.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("one_file", [True, False], ids=["one file", "a file each"])
@pytest.mark.parametrize("kinds", [TUNED, HELD_OUT], ids=["tuned", "held out"])
def test_records_about_other_names_contradict_no_sentence(
    kinds: tuple[str, ...], one_file: bool, tmp_path: Path
) -> None:
    made = records(kinds, seed=len(kinds[0]))
    source = corpus(made, tmp_path, one_file=one_file)
    names = list(made)[::4]
    with Reviser(Settings(corpus=source, home=tmp_path / "home", trace=False)) as reviser:
        for name in names:
            revision = reviser.revise(" ".join(made[name]))
            assert not revision.changed
            assert "contradicted" not in {sentence.status for sentence in revision.report.sentences}


@pytest.mark.slow
@pytest.mark.parametrize("kinds", [TUNED, HELD_OUT], ids=["tuned", "held out"])
def test_value_of_another_record_is_not_supported(kinds: tuple[str, ...], tmp_path: Path) -> None:
    made = records(kinds, seed=1)
    source = corpus(made, tmp_path, one_file=False)
    names = list(made)
    with Reviser(Settings(corpus=source, home=tmp_path / "home", trace=False)) as reviser:
        for name, other in zip(names[::8], names[3::8], strict=True):
            for right, fact in zip(made[name], made[other], strict=True):
                wrong = fact.replace(other, name)
                if wrong == right:
                    continue
                revision = reviser.revise(wrong)
                assert revision.text in (wrong, right)
                assert revision.changed or revision.report.sentences[0].status != "supported"
