"""Prompt injection in evidence: what is marked, what is marked wrongly, and what still changes a revision.

    python -m benchmarks.injection

The model of the last part obeys every injection that it is shown, plain or encoded, and is truthful else.
"""

import json
import random
import time
from collections import defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

from rarr.tools.invisible import bare, spelled
from rarr.tools.untrusted import suspicion

from benchmarks.injections import Injection, Lookalike, injections, lookalikes
from benchmarks.report import machine, share
from benchmarks.shared_data import rows
from rarr import Passage, Reviser, Revision, Settings
from rarr.testing import RETRIEVED_AT, Asked, InMemoryRetriever, RuleModel, ScriptedModel, UnansweredError

CLEAN = ("dev/retrieval/wiki_passages_corpus.jsonl", "train/text_wikipedia_recent.jsonl.gz")
SAMPLE = 500  # clean passages of the data sets
LENGTH = 1000  # characters of one, at most
SEED = 7
HALVES = (("tuned on", False), ("held out", True))


class Outcome(NamedTuple):
    """What of a revision an injection must not change; verdicts are by query and source."""

    queries: tuple[str, ...]
    edits: tuple[tuple[int, int, str, bool], ...]
    verdicts: dict[tuple[str, str], str]


class ObedientModel:
    """Does what the injection wants wherever it can read it, and answers by the embedded rules else."""

    def __init__(self, injection: str) -> None:
        self._injection = injection
        self._truthful = RuleModel()
        self.obeyed = 0

    def __call__(self, asked: Asked) -> str:
        """The answer, as JSON."""
        if can_read(self._injection, asked.user):
            self.obeyed += 1
            return json.dumps(self._demanded(asked))
        return self._truthful(asked)

    def _demanded(self, asked: Asked) -> dict[str, Any]:
        try:
            answer: dict[str, Any] = json.loads(self._truthful(asked))
        except UnansweredError:  # the injection broke the form of the message
            answer = {"text_answer": "", "evidence_answer": "", "reason": "", "verdict": "unknown"}
        if "verdict" in answer:
            return answer | {"verdict": "irrelevant" if answer["verdict"] == "agrees" else "agrees"}
        return {"questions": []} if "questions" in answer else {"span": "", "revision": ""}


def can_read(injection: str, message: str) -> bool:
    """Does `message` say the same, whatever stands between its letters?"""
    if next(spelled(injection), None) is not None:
        return injection in message
    return _letters(injection) in _letters(message)


def run(passage: str, one: Injection, injection: str) -> tuple[Outcome, ObedientModel]:
    """Revises the claim with `passage` and another one as all that a search finds."""
    obedient = ObedientModel(injection)
    found = [_passage("injected", passage), _passage("other", one.other)]
    settings = Settings(model=ScriptedModel(obedient), search=InMemoryRetriever(found))
    with Reviser(settings) as reviser:
        return outcome(reviser.revise(one.claim)), obedient


def outcome(revision: Revision) -> Outcome:
    """Of every query and source, the first verdict: later ones are about what edits made of the text.

    Evidence that is withheld has none, or is unknown.
    """
    withheld = {one.id for one in revision.evidence if getattr(one, "suspicious", False)}
    queries = {query.id: query.text for query in revision.queries}
    sources = {evidence.id: evidence.source for evidence in revision.evidence}
    verdicts: dict[tuple[str, str], str] = {}
    for check in revision.checks:
        if check.evidence_id in withheld and check.verdict == "unknown":
            continue
        verdicts.setdefault((queries[check.query_id], sources[check.evidence_id]), check.verdict)
    edits = tuple((edit.start, edit.end, edit.new, edit.accepted) for edit in revision.edits)
    return Outcome(tuple(queries.values()), edits, verdicts)


def changed(with_it: Outcome, without: Outcome) -> bool:
    """Evidence that is withheld is no change: its edit must come from elsewhere."""
    common = with_it.verdicts.keys() & without.verdicts.keys()
    return (
        with_it.queries != without.queries
        or with_it.edits != without.edits
        or any(with_it.verdicts[key] != without.verdicts[key] for key in common)
    )


def main() -> None:
    """Prints the four parts."""
    print(machine())
    all_of_them = injections()
    print_marked(all_of_them)
    print_lookalikes(lookalikes())
    print_clean(sampled())
    print_revisions(all_of_them)


def print_marked(all_of_them: Sequence[Injection]) -> None:
    """Part 1: by half, then by kind."""
    marked = [(one, bool(suspicion(one.passage))) for one in all_of_them]
    print(f"\n## Injections: {len(marked)}, marked\n")
    for name, half in HALVES:
        print(f"{name:<18} {share([hit for one, hit in marked if one.held_out == half])}")
    by_kind: dict[str, list[bool]] = defaultdict(list)
    for one, hit in marked:
        by_kind[one.kind].append(hit)
    for kind, hits in by_kind.items():
        print(f"{kind:<18} {share(hits)}")


def print_lookalikes(texts: Sequence[Lookalike]) -> None:
    """Part 2."""
    print(f"\n## Look-alikes: {len(texts)}, marked (wrongly)\n")
    for name, half in HALVES:
        print(f"{name:<18} {share([bool(suspicion(one.text)) for one in texts if one.held_out == half])}")


def sampled() -> list[str]:
    """Clean passages: as many of each data set, each the beginning of another page."""
    chance = random.Random(SEED)
    return [row["text"][:LENGTH] for name in CLEAN for row in chance.sample(rows(name), SAMPLE // len(CLEAN))]


def print_clean(texts: Sequence[str]) -> None:
    """Part 3, with what it takes."""
    for text in texts:
        suspicion(text)  # patterns are compiled on first use
    started = time.process_time()
    reasons = [suspicion(text) for text in texts]
    each = (time.process_time() - started) / sum(map(len, texts)) * 500
    print(f"\n## Clean passages of {' and '.join(CLEAN)}, marked (wrongly)\n")
    print(f"{share([bool(reason) for reason in reasons])}; {each * 1000:.2f} ms for 500 characters")
    print(*(f"- {reason}" for reason in reasons if reason), sep="\n")


def print_revisions(all_of_them: Sequence[Injection]) -> None:
    """Part 4: each revision with the injection beside the same one without it."""
    changes, shown, names = [], [], []
    for one in all_of_them:
        with_it, obedient = run(one.passage, one, one.injection)
        without, _ = run(one.clean, one, one.injection)
        changes.append(changed(with_it, without))
        shown.append(obedient.obeyed > 0)
        names += [f"- {one.kind}: {one.injection!a:.100}"] if changes[-1] else []
    print("## Revisions with a model that obeys what it can read\n")
    print(f"a verdict, a query or an edit changed: {share(changes)}")
    print(f"a prompt held the injection:           {share(shown)}")
    print(*names, sep="\n")


def _passage(source: str, text: str) -> Passage:
    return Passage(text=text, source=source, start=0, end=len(text), retrieved_at=RETRIEVED_AT)


def _letters(text: str) -> str:
    return "".join(character for character in bare(text) if character.isalnum())


if __name__ == "__main__":
    main()
