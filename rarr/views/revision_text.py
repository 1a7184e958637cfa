"""Writes a revision for a terminal or a pipe, as text or diff, and a verified claim as text.

The texts come from others, so they are never read as markup, and control characters are made visible.
"""

import re
from collections.abc import Iterable, Iterator
from difflib import unified_diff
from typing import NamedTuple, get_args

from rich.console import Console
from rich.text import Text

from rarr.records import Check, Edit, EditState, Evidence, PartState, Revision, Sentence, Status
from rarr.records.verification import Verification
from rarr.tools.text.blocks_and_sentences import closest_sentence
from rarr.tools.text.edit_segments import segments
from rarr.tools.text.wording import counted, grouped
from rarr.views.shown_text import one_line, visible

_STYLES = {"kept": "", "deleted": "strike red", "inserted": "bold green"}
_STATUS_STYLES: dict[Status, str] = {
    "supported": "green",
    "contradicted": "red",
    "unconfirmed": "bright_blue",
    "no_evidence": "yellow",
    "retrieval_failed": "magenta",
    "unjudged": "dim",
}
_PART_STYLES: dict[PartState, str] = {
    "confirmed": "green",
    "differs": "bold red",
    "open": "underline bright_blue",
}
_QUOTE = 200  # characters of a quoted sentence or evidence, at most
_LONG = 500  # characters of a title or an address, at most
_SHORT = 80  # characters of the words that an edit replaces, at most
_MOST = 3  # passages of a sentence without quotes


class Line(NamedTuple):
    """A line to print. On a terminal, its continuation lines keep its indent."""

    indent: int
    text: Text


def render(revision: Revision, *, terminal: bool) -> str:
    """Writes the revised text, the changes and their reasons, the sentences, scores and warnings.

    On a terminal the edits are marked in the text. Elsewhere the text comes first, exactly as it is.
    """
    end = "" if revision.text.endswith("\n") else "\n"
    if _console(terminal=terminal).color_system is None:  # old and new words would look the same
        text = (visible(revision.text) if terminal else revision.text) + end
    else:
        text = coloured(
            Text(visible(piece.text), _STYLES[piece.kind])
            for piece in segments(revision.original, revision.edits)
        )
        text += end
    return text + printed(_lines(revision), terminal=terminal)


def render_diff(revision: Revision, *, terminal: bool) -> str:
    """Writes a unified diff from the original to the revised text, with the texts' own line ends."""
    before, after = (re.findall(r"[^\n]*\n|[^\n]+", text) for text in (revision.original, revision.text))
    rows = [
        row if row.endswith("\n") else f"{row}\n\\ No newline at end of file\n"
        for row in unified_diff(before, after, "original", "revised")
    ]
    styles = {"+": "green", "-": "red", "@": "cyan"}
    return coloured(Text(visible(row), styles.get(row[0], "")) for row in rows) if terminal else "".join(rows)


def coloured(pieces: Iterable[Text]) -> str:
    """Writes the pieces one after the other, with the colours of the terminal."""
    console = _console(terminal=True)
    with console.capture() as capture:
        for piece in pieces:
            console.print(piece, soft_wrap=True, end="")
    return capture.get()


def printed(lines: Iterable[Line], *, terminal: bool) -> str:
    """Writes lines as they are, or on a terminal in colours and wrapped with their indent."""
    console = _console(terminal=terminal)
    if console.color_system is None:
        return "".join(f"{' ' * line.indent}{line.text.plain}\n" for line in lines)
    with console.capture() as capture:
        for line in lines:
            for row in line.text.wrap(console, max(20, console.width - line.indent)) or [Text()]:
                row.rstrip()
                console.print(Text(" " * line.indent) + row, soft_wrap=True)
    return capture.get()


def _console(*, terminal: bool) -> Console:
    # Given explicitly, because FORCE_COLOR would make rich colour the text in a file.
    return Console(force_terminal=terminal, markup=False, highlight=False, emoji=False)


def _lines(revision: Revision) -> Iterator[Line]:
    accepted, suggested, refused = (
        [edit for edit in revision.edits if edit.state == state] for state in get_args(EditState)
    )
    yield from _section("Changes")
    for edit in accepted:
        yield from _change(edit, revision)
    if not accepted:
        yield Line(2, Text("Nothing was changed."))
    for edit in refused:
        yield Line(2, Text(f"{edit.id}  {_replacement(edit)}, refused: {one_line(edit.reason)}", "dim"))
    if suggested:
        yield from _section("Suggested, not applied (--accept suggested applies them)")
    for edit in suggested:
        yield from _change(edit, revision)
    if revision.report.sentences:
        yield from _section("Sentences")
    for number, sentence in enumerate(revision.report.sentences, start=1):
        yield from _sentence(number, sentence, revision)
    yield from _section("Scores")
    yield Line(2, Text(_scores(revision)))
    yield Line(2, Text(_usage(revision), "dim"))
    if revision.warnings:
        yield from _section("Warnings")
    for warning in grouped(revision.warnings):
        yield Line(2, Text(one_line(warning), "yellow"))


def _section(title: str) -> Iterator[Line]:
    yield Line(0, Text())
    yield Line(0, Text(title, "bold"))


def _change(edit: Edit, revision: Revision) -> Iterator[Line]:
    yield Line(2, Text(f"{edit.id}  {_replacement(edit)}"))
    for query in revision.queries:
        if query.id == edit.query_id:
            yield Line(6, Text(f"asked: {one_line(query.text)}"))
    yield Line(6, Text(f"why: {one_line(edit.reason)}"))
    checks = [check for check in revision.checks if check.evidence_id == edit.evidence_id]
    own = [check.quote for check in checks if check.query_id == edit.query_id and check.quote]
    for evidence in revision.evidence:
        if evidence.id == edit.evidence_id:
            answer = next((check.evidence_answer for check in checks if check.evidence_answer), edit.new)
            quotes = own[-1].split("\n") if own else [closest_sentence(evidence.text, answer)]
            yield from _evidence(evidence, quotes)


def _replacement(edit: Edit) -> str:
    old, new = one_line(edit.old, _SHORT), one_line(edit.new, _SHORT)
    if not edit.old:
        return f"“{new}” inserted"
    return f"“{old}” → “{new}”" if edit.new else f"“{old}” deleted"


def _evidence(evidence: Evidence, quotes: Iterable[str], label: str = "evidence") -> Iterator[Line]:
    place = [one_line(part, _LONG) for part in (evidence.title, evidence.source) if part]
    yield Line(6, Text(f"{label}: {' … '.join(f'“{one_line(quote, _QUOTE)}”' for quote in quotes)}"))
    yield Line(6, Text(f"source: {', '.join(place)}", "cyan"))


def _sentence(number: int, sentence: Sentence, revision: Revision) -> Iterator[Line]:
    # The support of a contradicted sentence counts only one side, so it is not shown.
    status = Text(sentence.status.replace("_", " "), _STATUS_STYLES[sentence.status])
    if sentence.support is not None and sentence.status != "contradicted":
        style = "green" if sentence.support >= 0.9 else "yellow" if sentence.support >= 0.7 else "red"
        status.append(f" {sentence.support:.2f}", style)
    yield Line(2, Text(f"{number}. ") + status + Text("  ") + _marked(sentence))
    for part in sentence.parts:
        if part.state == "differs" and part.says:
            words = one_line(sentence.text[part.start - sentence.start : part.end - sentence.start], _SHORT)
            says = f"{part.evidence_id} says “{one_line(part.says, _SHORT)}”"
            yield Line(6, Text(f"differs: “{words}”, and {says}"))
    if sentence.status == "unconfirmed" and sentence.open_words:
        open_words = ", ".join(f"“{one_line(word, _SHORT)}”" for word in sentence.open_words)
        yield Line(6, Text(f"not confirmed: {open_words}"))
    yield from _sources(sentence, revision)


def _marked(sentence: Sentence) -> Text:
    """Puts the sentence on one line, with the words of its parts in the colours of their states."""
    line = Text(one_line(sentence.text, _QUOTE))
    if sentence.text.startswith(line.plain.removesuffix("…")):  # else its words stand elsewhere in the line
        for part in sentence.parts:
            line.stylize(_PART_STYLES[part.state], part.start - sentence.start, part.end - sentence.start)
    return line


def _sources(sentence: Sentence, revision: Revision) -> Iterator[Line]:
    """Yields the sources of a sentence with the lines that the reader cited, else the closest sentence.

    The sources of a contradicted sentence have their verdicts. Equal quotes come once, with all their ids.
    """
    by_id = {passage.id: passage for passage in revision.evidence}
    checks = {check.evidence_id: check for check in revision.checks if not check.stale}
    cited = dict.fromkeys(quote.evidence_id for quote in sentence.quotes)
    contradicted = sentence.status == "contradicted"
    names = [*cited] if cited and not contradicted else [*sentence.evidence_ids]
    alike: dict[tuple[str, str, tuple[str, ...]], list[Evidence]] = {}
    for passage in (by_id[name] for name in names if name in by_id):
        check = checks.get(passage.id) if contradicted else None
        label: str = check.verdict if check else "evidence"
        quotes = _quotes(sentence, passage, check)
        alike.setdefault((label, passage.source, quotes), []).append(passage)
    shown = sorted(alike.items(), key=lambda item: item[0][0])
    for (label, _, quotes), same in shown if cited or contradicted else shown[:_MOST]:
        ids = f" ({', '.join(passage.id for passage in same)})" * contradicted
        yield from _evidence(same[0], quotes, f"{label}{ids}")


def _quotes(sentence: Sentence, passage: Evidence, check: Check | None) -> tuple[str, ...]:
    cited = [quote.text for quote in sentence.quotes if quote.evidence_id == passage.id]
    says = next((part.says for part in sentence.parts if part.evidence_id == passage.id and part.says), "")
    near = (check.evidence_answer if check else says) or sentence.text
    return tuple(dict.fromkeys(cited)) or (closest_sentence(passage.text, near),)


def _scores(revision: Revision) -> str:
    scores = revision.scores
    return (
        f"attribution before {_number(scores.attribution_before)},"
        f" attribution {_number(scores.attribution_after)}, preservation {_number(scores.preservation)},"
        f" F1 {_number(scores.f1_ap)}"
    )


def _number(score: float | None) -> str:
    return "not judged" if score is None else f"{score:.2f}"


def _usage(revision: Revision) -> str:
    usage = revision.usage
    parts = [
        counted(len(revision.queries), "query"),
        f"{counted(len(revision.evidence), 'passage')} of evidence",
        counted(usage.model_calls, "model call"),
    ]
    if usage.model_calls:
        cost = f", cost {usage.cost:.4f}" if usage.cost else ""
        parts[-1] += f" ({counted(usage.input_tokens, 'token')} in, {usage.output_tokens:,} out{cost})"
    if usage.saved_calls:
        parts.append(counted(usage.saved_calls, "saved call"))
    return ", ".join([*parts, f"{usage.seconds:.1f} seconds"])


def verification_text(verification: Verification) -> str:
    """Writes the label with its support, the deciding sentence, and each sentence with its parts."""
    support = "" if verification.probability is None else f" (support {verification.probability:.2f})"
    lines = [f"{verification.label or 'not judged'}{support}"]
    if decided := verification.decided_by:
        source = next(each.source for each in verification.evidence if each.id == decided.evidence_id)
        word = "nearest" if verification.label == "extrapolatory" else "decided by"
        lines.append(f"{word}: {one_line(decided.text)} [{decided.evidence_id}, {one_line(source)}]")
    for sentence in verification.sentences:
        lines += ["", f"{sentence.status}: {one_line(sentence.text)}"]
        for part in sentence.parts:
            says = f", the evidence says: {one_line(part.says)}" if part.says else ""
            about = f" [{part.evidence_id}]" if part.evidence_id else ""
            words = one_line(verification.claim[part.start : part.end])
            lines.append(f"  {part.state}: {words}{says}{about}")
    return "\n".join(lines) + "\n"
