"""Claims about invented things that have a namesake: what becomes of each beside the namesake's page.

    python -m benchmarks.namesakes [--half tuned|held_out|all] [--each] [--model M] [--rounds N]
                                   [--pending DIR]

A claim with `{{wrong=>right}}` is revised twice, with the wrong value and with the right value. This happens
against two corpora: the pages of all namesakes alone, and these beside the pages of all the things
themselves. The embedded reader gets each claim alone; a language model gets the claims of a half as the
paragraphs of one text. `tuned` may be worked with; `held_out` is for measuring alone, so only totals are
printed. `--model recorded` repeats recorded answers, as in `benchmarks.answers`.
"""

import json
import re
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, get_args

from benchmarks import harness
from benchmarks.recorded_reader import components
from rarr import Reviser, Revision, Settings
from rarr.records import Status
from rarr.tools.text.blocks_and_sentences import Span

HALVES = ("tuned", "held_out")
ALONE, BOTH = "the namesake's page alone", "both pages"
CORRECTED, CHANGED, SUGGESTED = "corrected exactly", "changed otherwise", "a change is suggested"
STATUSES: tuple[str, ...] = get_args(Status)
_MARK = re.compile(r"\{\{(.+?)=>(.+?)\}\}")


class Page(NamedTuple):
    """A page of a corpus."""

    title: str
    text: str


class NamesakeCase(NamedTuple):
    """A claim with its wrong and right value marked; the page of its subject, and that of a namesake.

    `kind` is that of the value. `words`: the own page says the value in `close` or in `other` words.
    `namesake_value` is the value of the kind that the namesake's page states.
    """

    claim: str
    kind: str
    words: str
    own: Page
    namesake: Page
    namesake_value: str

    @property
    def wrong(self) -> str:
        """The claim with its wrong value."""
        return _MARK.sub(r"\1", self.claim)

    @property
    def right(self) -> str:
        """The claim with its right value."""
        return _MARK.sub(r"\2", self.claim)


class ClaimOutcome(NamedTuple):
    """The result for a claim, which held its wrong value if `is_wrong`: how it was changed, or its status."""

    case: NamesakeCase
    pages: str
    is_wrong: bool
    text: str
    result: str
    is_suggested: bool


def namesake_cases(half: str) -> list[NamesakeCase]:
    """The cases of the half."""
    return [
        NamesakeCase(
            row["claim"], row["kind"], row["words"], Page(row["title"], row["page"]),
            Page(row["namesake_title"], row["namesake_page"]), row["namesake_value"],
        )
        for row in harness.lines(harness.EXAMPLES / "namesakes" / f"{half}.jsonl")
    ]  # fmt: skip


def outcomes(half: str, *, model: Any = "embedded", rounds: int = 2) -> list[ClaimOutcome]:
    """The outcomes of all claims of the half, wrong and right, against both corpora."""
    every_case = [case for name in HALVES for case in namesake_cases(name)]
    namesakes = [case.namesake for case in every_case]
    corpora = {ALONE: namesakes, BOTH: [*namesakes, *(case.own for case in every_case)]}
    return [
        outcome
        for name, pages in corpora.items()
        for outcome in _against(name, pages, namesake_cases(half), {"model": model, "rounds": rounds})
    ]


def _against(
    name: str, pages: Sequence[Page], cases: Sequence[NamesakeCase], given: dict[str, Any]
) -> Iterator[ClaimOutcome]:
    model = given["model"]
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder, "pages.jsonl")
        rows = [{**page._asdict(), "source": page.title} for page in pages]
        corpus.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
        texts = [[case] for case in cases] if model == "embedded" else [list(cases)]
        with Reviser(
            components=components(Settings(corpus=corpus, home=Path(folder), trace=False, **given))
        ) as reviser:
            for together in texts:
                for is_wrong in (True, False):
                    claims = [case.wrong if is_wrong else case.right for case in together]
                    known = harness.unrecorded(model)
                    revision = reviser.revise("\n\n".join(claims))
                    lacking = harness.unrecorded(model) > known
                    for case in together:
                        found = claim_outcome(case, name, revision, is_wrong=is_wrong)
                        yield found._replace(result=harness.NOT_RECORDED) if lacking else found


def claim_outcome(case: NamesakeCase, pages: str, revision: Revision, *, is_wrong: bool) -> ClaimOutcome:
    """The outcome of a claim, which is a paragraph of the text and a single sentence."""
    claim = case.wrong if is_wrong else case.right
    start = revision.original.index(claim)
    asked = Span(start, start + len(claim))
    place = harness.revised_place(revision.original, revision.edits, asked)
    text = place.of(revision.text)
    [sentence] = [it for it in revision.report.sentences if place.overlaps(Span(it.start, it.end))]
    result: str = sentence.status
    if text != claim:
        result = CORRECTED if text == case.right else CHANGED
    query_ids = {it.id for it in revision.queries if asked.overlaps(Span(it.start, it.end))}
    suggested = any(edit.state == "suggested" and edit.query_id in query_ids for edit in revision.edits)
    return ClaimOutcome(case, pages, is_wrong, text, result, suggested)


def counted(outcomes: Sequence[ClaimOutcome], pages: str, *, wrong: bool) -> dict[str, list[bool]]:
    """For each result, whether each of the wrong (or else the right) claims has it with these `pages`."""
    group = [outcome for outcome in outcomes if (outcome.pages, outcome.is_wrong) == (pages, wrong)]
    results = (CORRECTED, CHANGED, harness.NOT_RECORDED, *STATUSES)
    counts = {result: [outcome.result == result for outcome in group] for result in results}
    return counts | {SUGGESTED: [outcome.is_suggested for outcome in group]}


def print_half(half: str, outcomes: Sequence[ClaimOutcome]) -> None:
    """The totals of a half."""
    print(f"\n## {half}: {len(namesake_cases(half))} cases\n")
    for title, wrong in (("wrong claims", True), ("right claims", False)):
        columns = [counted(outcomes, pages, wrong=wrong) for pages in (ALONE, BOTH)]
        body = [[result, *(harness.share(column[result]) for column in columns)] for result in columns[0]]
        print(f"{harness.table([title, ALONE, BOTH], body)}\n")
    for words in ("close", "other"):
        group = [outcome for outcome in outcomes if outcome.case.words == words]
        hits = counted(group, BOTH, wrong=True)[CORRECTED]
        print(f"{CORRECTED} with {BOTH}, the own page in {words} words: {harness.share(hits)}")


def print_each(outcomes: Sequence[ClaimOutcome]) -> None:
    """Each claim with its result, its value and its pages."""
    for outcome in sorted(outcomes, key=lambda outcome: (outcome.pages, -outcome.is_wrong, outcome.result)):
        case = outcome.case
        value = "wrong" if outcome.is_wrong else "right"
        suggested = f", {SUGGESTED}" if outcome.is_suggested else ""
        print(f"- {outcome.pages}, {value} {case.kind}, {case.words} words: {outcome.result}{suggested}")
        print(f"    {outcome.text} [{case.own.title}; {case.namesake.title}: {case.namesake_value}]")


def main() -> None:
    options = harness.chosen(harness.half_parser(__doc__, HALVES), HALVES)
    with harness.reported(options):
        for half in options.halves:
            half_outcomes = outcomes(half, model=options.model, rounds=options.rounds)
            print_half(half, half_outcomes)
            if options.each and half == "tuned":
                print_each(half_outcomes)


if __name__ == "__main__":
    main()
