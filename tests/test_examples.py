"""The texts of examples/texts become what stands beside them."""

from collections.abc import Callable
from functools import cache

import pytest

from benchmarks.examples import CORPUS, find_replacements, outcome, read_examples
from rarr import Reviser, Revision, Settings

RevisionOf = Callable[[str], Revision]
EXAMPLES = {example.name: example for example in read_examples()}
# No example leaves unnoticed: these numbers may only rise. The texts are mostly in other words than their
# documents; without a model, only what nearly repeats a document is found.
FLOORS = {"texts": 35, "exact": 13, "planted": 50, "corrected": 5, "pinned": 135, "right": 6}
# The default tests revise these, which are short; the slow ones all.
QUICK = ("alaska", "demo")
NAMES = [pytest.param(name, marks=[] if name in QUICK else [pytest.mark.slow]) for name in EXAMPLES]


@pytest.fixture(scope="module")
def revised(tmp_path_factory: pytest.TempPathFactory) -> RevisionOf:
    """The revision of the example of this name, made once."""
    reviser = Reviser(Settings(corpus=CORPUS, home=tmp_path_factory.mktemp("home")))
    return cache(lambda name: reviser.revise(EXAMPLES[name].text, EXAMPLES[name].context))


@pytest.mark.parametrize("name", QUICK)
def test_sentences_near_a_document_are_corrected(name: str, revised: RevisionOf) -> None:
    assert revised(name).text == EXAMPLES[name].expected


@pytest.mark.parametrize("name", NAMES)
def test_nothing_right_is_changed_and_nothing_wrong_supported(name: str, revised: RevisionOf) -> None:
    revision = revised(name)
    assert outcome(EXAMPLES[name], revision).wrong == 0
    left = EXAMPLES[name].planted - find_replacements(revision)
    supported = [sentence for sentence in revision.report.sentences if sentence.status == "supported"]
    wrong = {error.start for error in left}
    assert not [it.text for it in supported if any(it.start <= _after(revision, at) < it.end for at in wrong)]


def _after(revision: Revision, place: int) -> int:
    """The place of the revised text that was at `place` of the original."""
    before = [change for change in find_replacements(revision) if change.start < place]
    return place + sum(len(change.new) - len(change.old) for change in before)


@pytest.mark.parametrize("name", EXAMPLES)
def test_edits_lead_to_the_expected_text(name: str) -> None:
    example = EXAMPLES[name]
    text = example.text
    for start, old, new in sorted(example.planted, reverse=True):
        assert text[start : start + len(old)] == old
        text = text[:start] + new + text[start + len(old) :]
    assert text == example.expected


@pytest.mark.slow
def test_counts_do_not_fall(revised: RevisionOf) -> None:
    outcomes = [outcome(example, revised(name)) for name, example in EXAMPLES.items()]
    counts = {name: sum(getattr(outcome, name) for outcome in outcomes) for name in FLOORS if name != "texts"}
    counts["texts"] = len(outcomes)
    assert {name: max(count, FLOORS[name]) for name, count in counts.items()} == counts


def test_text_left_as_it_is_counts_as_uncorrected() -> None:
    example = EXAMPLES["demo"]
    unrevised = Revision(run_id="r", original=example.text, text=example.text, changed=False)
    assert outcome(example, unrevised)[1:4] == (4, 0, 0)
    assert not outcome(example, unrevised).ok
