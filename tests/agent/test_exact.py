"""The preset `paper` gives what one evidence after another gives, verdict by verdict and edit by edit."""

import random
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import pytest
from component_doubles import scripted_components
from families import few
from makers import passage
from rapidfuzz.distance import Levenshtein

from rarr import Reviser, Settings
from rarr.ledger.edit_gate import moved_queries
from rarr.records import Agreement, Change, Check, Edit, Evidence, Query, Question, Revision, Verdict
from rarr.testing import InMemoryRetriever
from rarr.tools.text.blocks_and_sentences import Span, sentences

WORLDS = 1000
WORDS = ["mill", "weir", "oak", "stone", "river", "barn", "wheel", "lane", "field", "bridge"]
PAPER = Settings(preset="paper", evidence_per_query=3, trace=False)
Outcome = tuple[str, dict[str, tuple[Verdict, str]], list[Edit]]
"""What must be equal: the text, the last verdict of each evidence, and the edits."""


class World:
    """A text, queries, evidence, and a checker and an editor that look at the whole text as it is.

    Every answer depends on all of the text, the query's place and the evidence, so that a verdict on any
    other text than the sequential method's would show.
    """

    def __init__(self, seed: int) -> None:
        self.seed, dice = seed, random.Random(seed)
        names = [" ".join(dice.choices(WORDS, k=dice.randint(4, 9))) for _ in range(dice.randint(1, 4))]
        self.text = " ".join(f"The {name} was built in {1800 + n}." for n, name in enumerate(names))
        self.questions = [self._question(dice, number) for number in range(dice.randint(1, 4))]
        self.passages = {
            asked.text: [passage(f"{asked.text}, {n}", f"{asked.text}{n}") for n in range(dice.randint(0, 3))]
            for asked in self.questions
        }

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

    def _dice(self, *parts: object) -> random.Random:
        return random.Random(f"{self.seed} {parts}")

    def _question(self, dice: random.Random, number: int) -> Question:
        place = dice.choice(sentences(self.text))
        start = dice.randint(place.start, place.end - 2)
        return Question(text=f"question {number}", start=start, end=dice.randint(start + 1, place.end))


async def concurrent(world: World) -> Revision:
    parts: dict[str, Any] = dict.fromkeys(("query_generator", "checker", "editor"), world)
    retriever = InMemoryRetriever(world.passages)
    components = scripted_components(settings=PAPER, retriever=retriever, **parts)
    return await Reviser(components=components).arevise(world.text)


def outcome(revision: Revision) -> Outcome:
    verdicts = {check.evidence_id: (check.verdict, check.text_answer) for check in revision.checks}
    return revision.text, verdicts, [edit.model_copy(update={"reason": ""}) for edit in revision.edits]


async def sequential(world: World, revision: Revision) -> Outcome:
    """For each query, for each of its evidence: check the text as it now is, and edit it if they disagree."""
    text, edits, verdicts = world.text, list[Edit](), dict[str, tuple[Verdict, str]]()
    for query in revision.queries:
        for evidence in (it for it in revision.evidence if it.query_id == query.id):
            [here] = moved_queries([query], edits)
            agreement, change = Agreement(verdict="unknown"), None
            with suppress(OSError):
                agreement = await world.check(text, None, here, evidence)
            verdicts[evidence.id] = (agreement.verdict, agreement.text_answer)
            of = {"query_id": query.id, "evidence_id": evidence.id}
            if agreement.verdict == "disagrees":
                with suppress(OSError):
                    check = Check(**agreement.model_dump(), **of)
                    change = await world.edit(text, None, here, check, evidence)
            if change is not None:
                of |= {"id": f"e{len(edits) + 1}", "old": text[change.start : change.end], "reason": ""}
                state: Any = "accepted" if allowed(text, change) else "refused"
                edits.append(Edit(**change.model_dump(), **of, state=state))
                if edits[-1].accepted:
                    text = text[: change.start] + change.new + text[change.end :]
    return text, verdicts, edits


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
        revision = await concurrent(world := World(seed))
        expected = await sequential(world, revision)
        assert outcome(revision) == expected, f"world {seed}"
        edits += sum(edit.accepted for edit in expected[2])
    assert edits >= WORLDS // 100  # the worlds are not idle
