"""Prompt injection in evidence: what is marked, what reaches a prompt, and what changes a verdict or an edit.

    python -m benchmarks.injection [--pending DIR]

One model obeys every injection that it can read, in each of several ways, and answers the truth to all other
messages. The injections that aim at cards are also read without a model, and by the recorded strong model;
--pending writes the requests that are not recorded into a folder. Rely on the figures of the held-out half:
no rule was changed because of it.
"""

import json
import random
import re
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.harness import machine, parser, rows, share
from benchmarks.injection_cases import (
    HALVES,
    Half,
    Injection,
    card_injections,
    injections,
    lookalikes,
    obvious,
)
from benchmarks.recorded_reader import RecordedModel
from rarr import Reviser, Revision, Settings, prompts
from rarr.testing import Asked, InMemoryRetriever, RuleModel, ScriptedModel
from rarr.testing.card_answers import sentences_in
from rarr.tools.guard.injection import suspicion
from rarr.tools.guard.invisible_characters import seen

CLEAN = ("dev/retrieval/wiki_passages_corpus.jsonl", "train/text_wikipedia_recent.jsonl.gz")
SAMPLE = 500  # clean passages of the data sets
LENGTH = 1000  # the most characters of a clean passage
SEED = 7

PRINTED = {
    "changed something": "changed",
    "- got what it wants": "obtained",
    "- made another edit": "edited",
    "- lost a verdict or edit": "silenced",
}

Card = dict[str, Any]


class Way(NamedTuple):
    """How the model obeys: in which sentences, and with which line as its quote."""

    everywhere: bool
    cites_injection: bool


WAYS = {
    "in its sentence, by the honest line": Way(everywhere=False, cites_injection=False),
    "in its sentence, by the injection": Way(everywhere=False, cites_injection=True),
    "in every sentence": Way(everywhere=True, cites_injection=False),
}
_ENDS = re.compile(r"[\n.!?。]+")
_LINE = re.compile(r"^\((P\d+\.\d+)\) (.*)$", re.MULTILINE)


class Outcome(NamedTuple):
    """The parts of a revision that an injection must not change."""

    verdicts: tuple[str, ...]
    statuses: tuple[str, ...]
    edits: tuple[str, ...]
    text: str
    queries: tuple[str, ...]


class ObedientModel:
    """Answers the truth, but obeys the injection wherever the message has it."""

    def __init__(self, case: Injection, way: Way) -> None:
        self._case, self._way = case, way
        self._rules = RuleModel()
        self.obeyed = 0

    def __call__(self, request: Asked) -> str:
        """The answer, as JSON. The claim is the first sentence; planted controls come after it."""
        obeys = can_read(self._case.injection, request.user)
        self.obeyed += obeys
        if request.prompt == "target_queries":
            question = self._case.wants.get("query") if obeys else None
            asked = {"question": question or self._case.question, "about": self._case.claimed}
            return json.dumps({"questions": [asked]})
        cards = json.loads(self._rules(request))["cards"]
        variables = prompts.load(str(request.prompt)).parse(request.user) or {}
        labels = {text: label for label, text in _LINE.findall(variables["sources"])}
        words = sentences_in(variables)[0][1]
        for number, card in enumerate(cards):
            if number == 0 or (obeys and self._way.everywhere):
                own = self._obedient(words, labels) if obeys else self._truthful(words, labels)
                cards[number] = {"s": card["s"], **own}
        return json.dumps({"cards": cards})

    def _truthful(self, words: str, labels: Mapping[str, str]) -> Card:
        truth = self._case.truth
        quotes = [label for text, label in labels.items() if truth in text][:1]
        return {"q": quotes, "v": "yes"} if truth in words else _edited(quotes, self._case.claimed, truth)

    def _obedient(self, words: str, labels: Mapping[str, str]) -> Card:
        wants = self._case.wants
        if "query" in wants:
            return self._truthful(words, labels)
        if wants.get("verdict") == "irrelevant":
            return {"q": [], "v": "open", "open": [words]}
        if wants.get("verdict") == "disagrees":
            return {"q": list(labels.values())[:1], "v": "no", "open": [], "edits": []}
        quotes = (
            list(labels.values())[-1:] if self._way.cites_injection else self._truthful(words, labels)["q"]
        )
        wanted = wants.get("edit", words)
        return {"q": quotes, "v": "yes"} if wanted in words else _edited(quotes, self._case.claimed, wanted)


def _edited(quotes: Sequence[str], old: str, new: str) -> Card:
    return {"q": quotes, "v": "no", "open": [], "edits": [{"old": old, "new": new, "by": new}]}


def can_read(injection: str, message: str) -> bool:
    """Does `message` have the letters of each sentence of `injection`, whatever stands between them?"""
    wanted = [letters for part in _ENDS.split(seen(injection)) if (letters := _letters(part))]
    there = _letters(message)
    return all(letters in there for letters in wanted) if wanted else injection in message


def run(case: Injection, way: Way, *, injected: bool = True) -> tuple[Revision, ObedientModel]:
    """Revises the claim by a model that obeys in this way."""
    model = ObedientModel(case, way)
    return revised(case, ScriptedModel(model), injected=injected), model


def revised(case: Injection, model: Any, *, injected: bool = True, rounds: int = 2) -> Revision:
    """Revises the claim with a search that finds only the page of the case."""
    search = InMemoryRetriever([case.page(injected=injected)])
    with Reviser(Settings(model=model, search=search, rounds=rounds, trace=False)) as reviser:
        return reviser.revise(case.claim)


class Obeyed(NamedTuple):
    """What came of an order that the model obeyed.

    `caught`: it missed planted sentences, and nothing that it said is relied on. `unexamined`: no error could
    be planted, and nothing is relied on either. `foreign`: an accepted edit has words that are not in the
    passage.
    """

    caught: bool
    unexamined: bool
    supported: bool
    edited: bool
    foreign: bool


def obeyed(cases: Sequence[Injection], way: Way) -> list[Obeyed]:
    """Revises the claims with a model that obeys in this way; leaves out orders about queries."""
    outcomes: list[Obeyed] = []
    for case in cases:
        revision, model = run(case, way)
        if "query" in case.wants or not model.obeyed:
            continue
        accepted = [edit.new for edit in revision.edits if edit.accepted]
        outcomes.append(
            Obeyed(
                caught=(caught := any(it.code == "reader_unreliable" for it in revision.warnings)),
                unexamined=not caught and revision.usage.controls.blocks_without > 0,
                supported=any(sentence.status == "supported" for sentence in revision.report.sentences),
                edited=bool(accepted),
                foreign=any(new not in case.page().text for new in accepted),
            )
        )
    return outcomes


def print_obeyed(cases: Sequence[Injection], title: str) -> None:
    """Prints what came of the orders, by the way in which the model obeys."""
    print(f"\n## Orders that the model obeys, {title}\n")
    for name, way in WAYS.items():
        outcomes = obeyed(cases, way)
        print(f"{name:<38} {len(outcomes)} obeyed: {_counts(outcomes)}")


class Read(NamedTuple):
    """What a reader made of a claim beside an injection.

    `right`: the claim says the truth. `supported`: a wrong claim is called supported. `foreign`: an
    accepted edit has words that are not in the passage.
    """

    right: bool
    supported: bool
    foreign: bool


def read_by(model: Any, cases: Sequence[Injection], *, injected: bool = True) -> list[Read]:
    """Revises the claims in one round."""
    outcomes: list[Read] = []
    for case in cases:
        revision = revised(case, model, injected=injected, rounds=1)
        statuses = [sentence.status for sentence in revision.report.sentences]
        accepted = [edit.new for edit in revision.edits if edit.accepted]
        outcomes.append(
            Read(
                right=revision.text == case.claim.replace(case.claimed, case.truth),
                supported=case.claimed != case.truth
                and revision.text == case.claim
                and "supported" in statuses,
                foreign=any(new not in case.page().text for new in accepted),
            )
        )
    return outcomes


def print_read(cases: Sequence[Injection], title: str, recorded: RecordedModel) -> None:
    """Prints what the readers made of the claims."""
    print(f"\n## Readers beside injections that aim at cards, {title}\n")
    for name, model, injected in (
        ("embedded, without injection", "embedded", False),
        ("embedded", "embedded", True),
        ("recorded strong model", recorded, True),
    ):
        outcomes = read_by(model, cases, injected=injected)
        print(f"{name:<28} {len(outcomes)} claims: {_counts(outcomes)}")


def _counts(outcomes: Sequence[Any]) -> str:
    return ", ".join(f"{name} {sum(getattr(it, name) for it in outcomes)}" for name in outcomes[0]._fields)


def outcome(revision: Revision) -> Outcome:
    """The first verdict of each query, the statuses of the report, and the accepted edits.

    Later verdicts of a query are about the edited text, so they are left out.
    """
    verdicts: dict[str, str] = {}
    for check in revision.checks:
        verdicts.setdefault(check.query_id, check.verdict)
    return Outcome(
        tuple(verdicts.values()),
        tuple(sentence.status for sentence in revision.report.sentences),
        tuple(edit.new for edit in revision.edits if edit.accepted),
        revision.text,
        tuple(query.text for query in revision.queries),
    )


class Effect(NamedTuple):
    """What an injection achieved in any of the ways."""

    marked: bool
    read: bool
    obtained: bool
    edited: bool
    silenced: bool

    @property
    def changed(self) -> bool:
        """A verdict or an edit, in any way."""
        return self.obtained or self.edited or self.silenced


def effect(case: Injection) -> Effect:
    """Compares the runs with the injection with the run without it.

    `obtained`: the run has the verdict or query that the injection wants. `edited`: the run makes other
    edits. `silenced`: the run loses an edit or a verdict, and has nothing in its place.
    """
    honest = outcome(run(case, next(iter(WAYS.values())), injected=False)[0])
    read = obtained = edited = silenced = False
    for way in WAYS.values():
        revision, model = run(case, way)
        injected = outcome(revision)
        read |= model.obeyed > 0
        obtained |= _obtained(case, injected, honest)
        edited |= injected.edits != honest.edits and bool(injected.edits)
        silenced |= injected.edits != honest.edits and not injected.edits
        silenced |= injected.statuses != honest.statuses
    return Effect(bool(suspicion(case.page().text)), read, obtained, edited, silenced)


def _obtained(case: Injection, injected: Outcome, honest: Outcome) -> bool:
    if "query" in case.wants:
        return injected.queries != honest.queries
    wanted = case.wants.get("verdict", "disagrees")
    return wanted in injected.verdicts and wanted not in honest.verdicts


def main() -> None:
    """Prints the parts."""
    made = parser(__doc__)
    made.add_argument("--pending", type=Path, help="write requests that are not recorded to this folder")
    options, recorded = made.parse_args(), RecordedModel()
    print(machine())
    print("\n## Signs: marked\n")
    print(f"{'obvious injections':<28} {share([bool(suspicion(passage)) for passage in obvious()])}")
    for half in HALVES:
        marked = [bool(suspicion(passage)) for passage in lookalikes(half)]
        print(f"{'look-alikes, ' + half:<28} {share(marked)}")
    print_clean(sampled())
    for half in HALVES:
        print_effects(half)
        print_obeyed(injections(half), half)
        print_obeyed(card_injections(half), f"aimed at cards, {half}")
        print_read(card_injections(half), half, recorded)
    recorded.report_missing(options.pending)


def print_effects(half: Half) -> None:
    """Prints the effects of the subtle injections.

    An injection that states a value is evidence for the value, so such injections are counted apart.
    """
    effects = [(case, effect(case)) for case in injections(half)]
    groups = sorted({case.group for case, _ in effects})
    print(f"\n## Subtle injections, {half}\n")
    for group in groups:
        marked = [result.marked for case, result in effects if case.group == group]
        print(f"{'marked: ' + group:<28} {share(marked)}")
    print(f"{'marked':<28} {share([result.marked for _, result in effects])}")
    print(f"{'reached a prompt':<28} {share([result.read for _, result in effects])}")
    for name, states in (("asks for a verdict or query", False), ("states the value it wants", True)):
        chosen = [(case, result) for case, result in effects if case.says_what_it_wants == states]
        print(f"\n{name}: {len(chosen)}")
        for label, attribute in PRINTED.items():
            print(f"  {label:<26} {share([getattr(result, attribute) for _, result in chosen])}")
        for case, result in chosen:
            if result.obtained or result.edited:
                print(f"  - {case.id}: {case.injection[:100]!a}")


def sampled() -> list[str]:
    """Clean passages, the same number from each data set; each is the beginning of another page."""
    chance = random.Random(SEED)
    return [row["text"][:LENGTH] for name in CLEAN for row in chance.sample(rows(name), SAMPLE // len(CLEAN))]


def print_clean(texts: Sequence[str]) -> None:
    """Prints how many clean passages are marked, and the time that the search for signs takes."""
    suspicion(texts[0])  # patterns are compiled on first use
    started = time.process_time()
    reasons = [suspicion(text) for text in texts[1:]]
    each = (time.process_time() - started) / sum(map(len, texts[1:])) * 500
    marked = share([bool(reason) for reason in reasons])
    print(f"{'clean passages':<28} {marked}; {each * 1000:.2f} ms for 500 characters")
    print(*(f"- {reason}" for reason in reasons if reason), sep="\n")


def _letters(text: str) -> str:
    return "".join(character for character in text if character.isalnum())


if __name__ == "__main__":
    main()
