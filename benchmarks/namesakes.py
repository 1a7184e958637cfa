"""Revises claims about invented things that have a namesake. Counts the results with the namesake's page.

    python -m benchmarks.namesakes [--half tuned|held_out|all] [--each] [--model M] [--rounds N]
                                   [--pending DIR]

A claim with `{{wrong=>right}}` is revised twice, with the wrong value and with the right value. There are two
corpora. One has the pages of all namesakes; the other also has the pages of the things themselves. The
embedded reader gets each claim alone; a language model gets the claims of a half as the paragraphs of one
text. Of `held_out`, only totals are printed. `--model recorded` repeats recorded answers (see
`benchmarks.answers`).
"""

import re
from collections.abc import Sequence
from itertools import product
from typing import Any, NamedTuple, get_args

from benchmarks.harness import EXAMPLES, half_parser, parse_halves, report_time, sentence_place, share, table
from benchmarks.recorded_reader import NOT_RECORDED, count_unrecorded, read_lines, reader_of_pages
from rarr import Revision
from rarr.records import Status
from rarr.tools.text.blocks_and_sentences import Span

HALVES = ("tuned", "held_out")
ALONE, BOTH = "the namesake's page alone", "both pages"
CORRECTED, CHANGED, SUGGESTED = "corrected exactly", "changed otherwise", "a change is suggested"
STATUSES: tuple[str, ...] = get_args(Status)
_MARK = re.compile(r"\{\{(.+?)=>(.+?)\}\}")


class NamesakeCase(NamedTuple):
    """A claim with a marked value, the page about its subject, and the page about a namesake."""

    claim: str  # with the wrong and the right value as {{wrong=>right}}
    kind: str  # the kind of the value, such as a date
    words: str  # "close" or "other": the words in which the page of the subject says the value
    title: str
    page: str
    namesake_title: str
    namesake_page: str
    namesake_value: str  # the value of the same kind on the page of the namesake

    def text(self, *, wrong: bool) -> str:
        return _MARK.sub(r"\1" if wrong else r"\2", self.claim)


class ClaimOutcome(NamedTuple):
    """The result for a claim: the change by the run, or the status of an unchanged claim."""

    case: NamesakeCase
    pages: str
    is_wrong: bool  # whether the claim had the wrong value
    text: str  # the claim after the run
    result: str
    is_suggested: bool


def namesake_cases(half: str) -> list[NamesakeCase]:
    rows = read_lines(EXAMPLES / "namesakes" / f"{half}.jsonl")
    return [NamesakeCase(**{name: row[name] for name in NamesakeCase._fields}) for row in rows]


def outcomes(half: str, *, model: Any = "embedded", rounds: int = 2) -> list[ClaimOutcome]:
    every = [case for name in HALVES for case in namesake_cases(name)]
    namesakes = [_page(case.namesake_title, case.namesake_page) for case in every]
    corpora = {ALONE: namesakes, BOTH: [*namesakes, *(_page(case.title, case.page) for case in every)]}
    cases = namesake_cases(half)
    texts = [[case] for case in cases] if model == "embedded" else [cases]
    found = list[ClaimOutcome]()
    for pages, corpus in corpora.items():
        with reader_of_pages(corpus, model=model, rounds=rounds) as reviser:
            for together, wrong in product(texts, (True, False)):
                known = count_unrecorded(model)
                revision = reviser.revise("\n\n".join(case.text(wrong=wrong) for case in together))
                lacks = count_unrecorded(model) > known
                of_text = (claim_outcome(case, pages, revision, is_wrong=wrong) for case in together)
                found += [it._replace(result=NOT_RECORDED) if lacks else it for it in of_text]
    return found


def _page(title: str, text: str) -> dict[str, str]:
    return {"title": title, "text": text, "source": title}


def claim_outcome(case: NamesakeCase, pages: str, revision: Revision, *, is_wrong: bool) -> ClaimOutcome:
    """Returns the outcome of a claim, which is one sentence and one paragraph of the text."""
    claim, place = case.text(wrong=is_wrong), sentence_place(revision, case.text(wrong=is_wrong))
    text = place.of(revision.text)
    [sentence] = [it for it in revision.report.sentences if place.overlaps(Span(it.start, it.end))]
    result: str = sentence.status
    if text != claim:
        result = CORRECTED if text == case.text(wrong=False) else CHANGED
    start = revision.original.index(claim)
    asked = Span(start, start + len(claim))
    query_ids = {it.id for it in revision.queries if asked.overlaps(Span(it.start, it.end))}
    suggested = any(edit.state == "suggested" and edit.query_id in query_ids for edit in revision.edits)
    return ClaimOutcome(case, pages, is_wrong, text, result, suggested)


def hits_by_result(outcomes: Sequence[ClaimOutcome], pages: str, *, wrong: bool) -> dict[str, list[bool]]:
    """Returns a list for each result: whether each wrong (or right) claim with `pages` has the result."""
    group = [outcome for outcome in outcomes if (outcome.pages, outcome.is_wrong) == (pages, wrong)]
    results = (CORRECTED, CHANGED, NOT_RECORDED, *STATUSES)
    counts = {result: [outcome.result == result for outcome in group] for result in results}
    return counts | {SUGGESTED: [outcome.is_suggested for outcome in group]}


def print_half(half: str, outcomes: Sequence[ClaimOutcome]) -> None:
    print(f"\n## {half}: {len(namesake_cases(half))} cases\n")
    for title, wrong in (("wrong claims", True), ("right claims", False)):
        columns = [hits_by_result(outcomes, pages, wrong=wrong) for pages in (ALONE, BOTH)]
        body = [[result, *(share(column[result]) for column in columns)] for result in columns[0]]
        print(f"{table([title, ALONE, BOTH], body)}\n")
    for words in ("close", "other"):
        group = [outcome for outcome in outcomes if outcome.case.words == words]
        hits = hits_by_result(group, BOTH, wrong=True)[CORRECTED]
        print(f"{CORRECTED} with {BOTH}, the own page in {words} words: {share(hits)}")


def print_each(outcomes: Sequence[ClaimOutcome]) -> None:
    for outcome in sorted(outcomes, key=lambda outcome: (outcome.pages, -outcome.is_wrong, outcome.result)):
        case = outcome.case
        value = "wrong" if outcome.is_wrong else "right"
        suggested = f", {SUGGESTED}" if outcome.is_suggested else ""
        print(f"- {outcome.pages}, {value} {case.kind}, {case.words} words: {outcome.result}{suggested}")
        print(f"    {outcome.text} [{case.title}; {case.namesake_title}: {case.namesake_value}]")


def main() -> None:
    options = parse_halves(half_parser(__doc__, HALVES), HALVES)
    with report_time(options):
        for half in options.halves:
            half_outcomes = outcomes(half, model=options.model, rounds=options.rounds)
            print_half(half, half_outcomes)
            if options.each and half == "tuned":
                print_each(half_outcomes)


if __name__ == "__main__":
    main()
