"""The preset `paper` gives what one evidence after another gives, verdict by verdict and edit by edit."""

import random
from collections.abc import Sequence
from typing import NamedTuple

import pytest
from component_doubles import scripted_components
from families import few
from makers import passage
from rapidfuzz.distance import Levenshtein

from rarr import Reviser, Settings
from rarr.ledger.edit_gate import moved_queries
from rarr.records import Agreement, Change, Check, Edit, Evidence, Passage, Query, Question, Revision, Verdict
from rarr.testing import InMemoryRetriever
from rarr.tools.text.blocks_and_sentences import Span, sentences

WORLDS = 1000
WORDS = ["mill", "weir", "oak", "stone", "river", "barn", "wheel", "lane", "field", "bridge"]


class World:
    """A text, queries, evidence, and a checker and an editor that look at the whole text as it is.

    Every answer depends on all of the text, the query's place and the evidence, so that a verdict on any
    other text than the sequential method's would show.
    """

    def __init__(self, seed: int) -> None:
        dice = random.Random(seed)
        self.seed = seed
        self.text = " ".join(self._sentence(dice, number) for number in range(dice.randint(1, 4)))
        self.questions = [self._question(dice, number) for number in range(dice.randint(1, 4))]
        self.passages = {question.text: self._passages(dice, question.text) for question in self.questions}

    async def generate(self, text: str, context: str | None) -> Sequence[Question]:
        return self.questions

    async def target(self, *_: object) -> Sequence[Question]:
        return ()

    async def check(self, text: str, context: str | None, query: Query, evidence: Evidence) -> Agreement:
        dice = self._dice("check", text, query, evidence)
        if dice.random() < 0.05:
            raise OSError("the server is gone")
        verdicts: list[Verdict] = ["agrees", "disagrees", "disagrees", "irrelevant", "unknown"]
        return Agreement(verdict=dice.choice(verdicts), text_answer=str(dice.random()))

    async def edit(
        self, text: str, context: str | None, query: Query, check: Check, evidence: Evidence
    ) -> Change | None:
        dice = self._dice("edit", text, query, evidence, check.text_answer)
        if dice.random() < 0.1:
            raise OSError("the server is gone")
        if dice.random() < 0.1:
            return None
        # Now and then over the end of the sentence, or too long: those are refused.
        start = min(query.start, len(text) - 1)
        end = min(len(text), start + dice.choice([0, 2, 4, 6, 40]))
        return Change(start=start, end=end, new="".join(dice.choices("abcde ", k=dice.choice([0, 3, 6, 60]))))

    def _passages(self, dice: random.Random, asked: str) -> list[Passage]:
        return [passage(f"{asked}, {number}", f"{asked}{number}") for number in range(dice.randint(0, 3))]

    def _dice(self, *parts: object) -> random.Random:
        return random.Random(f"{self.seed} {parts}")

    def _sentence(self, dice: random.Random, number: int) -> str:
        words = dice.choices(WORDS, k=dice.randint(4, 9))
        return f"The {' '.join(words)} was built in {1800 + number}."

    def _question(self, dice: random.Random, number: int) -> Question:
        place = dice.choice(sentences(self.text))
        start = dice.randint(place.start, place.end - 2)
        return Question(text=f"question {number}", start=start, end=dice.randint(start + 1, place.end))


class Outcome(NamedTuple):
    """What must be equal: the text, the last verdict of each evidence, and the edits."""

    text: str
    verdicts: dict[str, tuple[Verdict, str]]
    edits: list[Edit]


PAPER = Settings(preset="paper", evidence_per_query=3, trace=False)


async def concurrent(world: World) -> Revision:
    components = scripted_components(
        settings=PAPER,
        query_generator=world,
        retriever=InMemoryRetriever(world.passages),
        checker=world,
        editor=world,
    )
    return await Reviser(components=components).arevise(world.text)


def outcome(revision: Revision) -> Outcome:
    verdicts = {check.evidence_id: (check.verdict, check.text_answer) for check in revision.checks}
    edits = [edit.model_copy(update={"reason": ""}) for edit in revision.edits]
    return Outcome(revision.text, verdicts, edits)


async def sequential(world: World, revision: Revision) -> Outcome:
    """For each query, for each of its evidence: check the text as it now is, and edit it if they disagree."""
    text, edits, verdicts = world.text, list[Edit](), dict[str, tuple[Verdict, str]]()
    for query in revision.queries:
        for evidence in (candidate for candidate in revision.evidence if candidate.query_id == query.id):
            [here] = moved_queries([query], edits)
            agreement = await checked(world, text, here, evidence)
            verdicts[evidence.id] = (agreement.verdict, agreement.text_answer)
            check = Check(**agreement.model_dump(), query_id=query.id, evidence_id=evidence.id)
            change = await edited(world, text, here, check, evidence)
            if change is None:
                continue
            old, accepted = text[change.start : change.end], allowed(text, change)
            done = Edit(
                **change.model_dump(),
                id=f"e{len(edits) + 1}",
                old=old,
                query_id=query.id,
                evidence_id=evidence.id,
                state="accepted" if accepted else "refused",
                reason="",
            )
            edits.append(done)
            if accepted:
                text = text[: change.start] + change.new + text[change.end :]
    return Outcome(text, verdicts, edits)


async def checked(world: World, text: str, query: Query, evidence: Evidence) -> Agreement:
    try:
        return await world.check(text, None, query, evidence)
    except OSError:
        return Agreement(verdict="unknown")


async def edited(world: World, text: str, query: Query, check: Check, evidence: Evidence) -> Change | None:
    if check.verdict != "disagrees":
        return None
    try:
        return await world.edit(text, None, query, check, evidence)
    except OSError:
        return None


def allowed(text: str, change: Change) -> bool:
    """The paper's limit: an edit is refused that exceeds both 50 characters and half of the text."""
    changed = Levenshtein.distance(Span(change.start, change.end).of(text), change.new)
    kept = text[: change.start] + change.new + text[change.end :]
    return bool(kept.strip()) and (changed <= 50 or changed <= len(text) / 2)


@pytest.mark.slow
@pytest.mark.parametrize("part", few(range(40), every=40))
async def test_paper_is_exactly_the_sequential_method(part: int) -> None:
    edits = 0
    for seed in range(part * WORLDS // 40, (part + 1) * WORLDS // 40):
        world = World(seed)
        revision = await concurrent(world)
        revised_outcome, sequential_outcome = outcome(revision), await sequential(world, revision)
        assert revised_outcome == sequential_outcome, f"world {seed}"
        edits += sum(edit.accepted for edit in sequential_outcome.edits)
    assert edits >= WORLDS // 100  # the worlds are not idle
