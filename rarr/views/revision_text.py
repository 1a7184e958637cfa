"""Writes a revision as text or as a diff, for a terminal or a pipe; writes a verified claim as text.

The texts may be harmful, so their markup is not applied, and their control characters become visible signs.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from difflib import unified_diff
from typing import Any, NamedTuple

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.text import Text

from rarr.records import Edit, Report, Revision, Sentence, Status, Verification
from rarr.tools.text.blocks_and_sentences import Span, closest_sentence, table_cells
from rarr.tools.text.edit_segments import segments
from rarr.tools.text.wording import counted, warning_lines
from rarr.views.shown_text import in_quotes, one_line, visible_text

_STYLES = {"kept": "", "deleted": "strike red", "inserted": "bold green"}
_STATUS_STYLES: dict[Status, str] = {
    "supported": "green",
    "contradicted": "red",
    "unconfirmed": "bright_blue",
    "no_evidence": "yellow",
    "retrieval_failed": "magenta",
    "unjudged": "dim",
}
_PART_STYLES = {"confirmed": "green", "differs": "bold red", "open": "underline bright_blue"}
_PIPE_WIDTH = 240  # characters of a line, if standard output is no terminal
_MOST_PLACE, _MOST_SENTENCE, _MOST_HEAD = 500, 200, 80  # characters; heads are those of table rows


class Line(NamedTuple):
    """A line to print. A terminal wraps a long line, and indents every part of it by `indent` columns."""

    indent: int
    text: Text


def revision_text(revision: Revision, *, terminal: bool, verbose: bool = False) -> str:
    """Writes the revised text, its changes, its sentences, and then counts and the cost of the run.

    A terminal with colours shows the changes in the text. In a pipe, the output begins with the exact text.
    `verbose` adds the reasons for accepted edits, the refused edits, and all quotes.
    """
    text, end = revision.text, "" if revision.text.endswith("\n") else "\n"
    if terminal and _console(terminal).color_system is None:  # old and new words would look alike
        text = visible_text(text)
    elif terminal:
        pieces = segments(revision.original, revision.edits)
        shown = (Text(visible_text(piece.text), _STYLES[piece.kind]) for piece in pieces)
        text = rich_text(shown, terminal=True, soft_wrap=True, end="")
    return text + end + lines_as_text(_report_lines(revision, verbose), terminal=terminal)


def revision_diff(revision: Revision, *, terminal: bool) -> str:
    """Writes a unified diff from the original to the revised text. Keeps the line ends of both texts."""
    before, after = (re.findall(r"[^\n]*\n|[^\n]+", text) for text in (revision.original, revision.text))
    rows = [
        row if row.endswith("\n") else f"{row}\n\\ No newline at end of file\n"
        for row in unified_diff(before, after, "original", "revised")
    ]
    shown = (Text(visible_text(it), {"+": "green", "-": "red", "@": "cyan"}.get(it[0], "")) for it in rows)
    return rich_text(shown, terminal=True, soft_wrap=True, end="") if terminal else "".join(rows)


def lines_as_text(lines: Iterable[Line], *, terminal: bool) -> str:
    """Writes the lines as plain text. For a terminal, adds colours and wraps the lines to the width."""
    if not terminal:
        return "".join(f"{' ' * line.indent}{line.text.plain}\n" for line in lines)
    return rich_text((Padding.indent(line.text or Text(" "), line.indent) for line in lines), terminal=True)


def rich_text(parts: Iterable[RenderableType], *, terminal: bool | None = None, **how: Any) -> str:
    """Draws `parts` as text with the library rich. Without a terminal, a line has at most 240 characters."""
    console = _console(terminal)
    with console.capture() as capture:
        for part in parts:
            console.print(part, **how)
    return capture.get()


def _console(terminal: bool | None = None) -> Console:
    console = Console(force_terminal=terminal, markup=False, highlight=False, emoji=False)
    console.width = console.width if console.is_terminal else _PIPE_WIDTH
    return console


def _report_lines(revision: Revision, verbose: bool) -> Iterator[Line]:
    edits = (edit for edit in revision.edits if verbose or edit.state != "refused")
    changes = [_change_line(edit, verbose=verbose) for edit in edits]
    for title, lines in (("Changes", changes), ("Sentences", [*_sentence_lines(revision, verbose)])):
        if lines:
            yield from (Line(0, Text()), Line(0, Text(title, "bold")), *lines)
    yield from (Line(0, Text()), Line(0, Text(_counts(revision))), Line(0, Text(_cost_text(revision), "dim")))
    for warning in warning_lines(revision.warnings):
        yield Line(0, Text(one_line(f"warning: {warning}"), "yellow"))


def _change_line(edit: Edit, *, verbose: bool) -> Line:
    sides = [in_quotes(words) for words in (edit.old, edit.new) if words]
    change = " → ".join(sides) + ("" if len(sides) > 1 else " inserted" if edit.new else " deleted")
    state = "" if edit.accepted else f", {edit.state}"
    why = f": {one_line(edit.reason)}" if verbose or edit.state == "suggested" else ""
    return Line(2, Text(f"{edit.id}  {change}{state}{why}", "dim" if edit.state == "refused" else ""))


def _sentence_lines(revision: Revision, verbose: bool) -> Iterator[Line]:
    """Yields each sentence's line, its words that differ, and more sources (if `verbose` or contradicted)."""
    text, cells = revision.text, table_cells(revision.text)
    for number, sentence in enumerate(revision.report.sentences, start=1):
        # The support of a contradicted sentence counts only one side, so it is not shown.
        support = None if sentence.status == "contradicted" else sentence.support
        score = "" if support is None else f" {support:.2f}"
        status = Text(f"{sentence.status}{score}{_dispute_note(sentence)}", _STATUS_STYLES[sentence.status])
        cell = cells.get(Span(sentence.start, sentence.end))
        heads = [one_line(head.of(text), _MOST_HEAD) for head in (cell.row, cell.column)] if cell else []
        place = f"{', '.join(filter(None, heads))}: " if any(heads) else ""
        words, sources = sentence.open_words, list(dict.fromkeys(_source_texts(sentence, revision)))
        is_told = sentence.status == "unconfirmed" and words and words != (sentence.text,)
        unsaid = f"  (not confirmed: {', '.join(map(in_quotes, words))})" if is_told else ""
        first = Text(f"  ← {sources[0]}", "cyan") if sources else Text()
        line = Text(f"{number}. ") + status + Text(f"  {place}") + _marked_sentence(sentence)
        yield Line(2, line + Text(unsaid) + first)
        for part in (it for it in sentence.parts if it.state == "differs" and it.says):
            says = f"{in_quotes(sentence.words(part))}, and the source says {in_quotes(part.says)}"
            yield Line(6, Text(f"differs: {says}"))
        if verbose or sentence.status == "contradicted":
            yield from (Line(6, Text(source, "cyan")) for source in sources[1:])


def _dispute_note(*sentences: Sentence) -> str:
    is_disputed = any(len({quote.side for quote in it.quotes}) > 1 for it in sentences)
    return " (the sources disagree)" if is_disputed else ""


def _marked_sentence(sentence: Sentence) -> Text:
    line = Text(one_line(sentence.text, _MOST_SENTENCE))
    if sentence.text.startswith(line.plain.removesuffix("…")):  # if not, the offsets do not fit
        for part in sentence.parts:
            line.stylize(_PART_STYLES[part.state], part.start - sentence.start, part.end - sentence.start)
    return line


def _source_texts(sentence: Sentence, revision: Revision) -> Iterator[str]:
    """Yields a sentence's quotes with their sources. Without quotes: each passage's closest sentence."""
    by_id = {passage.id: passage for passage in revision.evidence}
    verdicts = {check.evidence_id: check.verdict for check in revision.checks if not check.stale}
    cited = defaultdict[tuple[str, str], list[str]](list)
    for quote in sentence.quotes:
        cited[quote.evidence_id, "agrees" if quote.side == "for" else "disagrees"].append(quote.text)
    uncited = {(name, verdicts.get(name, "")): list[str]() for name in sentence.evidence_ids}
    for (name, verdict), quotes in (cited or uncited).items():
        if passage := by_id.get(name):
            says = next((it.says for it in sentence.parts if it.evidence_id == name), "")
            shown = dict.fromkeys(quotes or [closest_sentence(passage.text, says or sentence.text)])
            words = " … ".join(in_quotes(quote, _MOST_SENTENCE) for quote in shown)
            place = ", ".join(one_line(part, _MOST_PLACE) for part in (passage.title, passage.source) if part)
            label = f"{verdict}: " if verdict and sentence.status == "contradicted" else ""
            yield f"{label}{words} ({place})"


def _counts(revision: Revision) -> str:
    counts = Counter(sentence.status for sentence in revision.report.sentences)
    states = ", ".join(f"{count} {status}" for status, count in sorted(counts.items())) or "none judged"
    edits = Counter(edit.state for edit in revision.edits)
    others = "".join(f", {edits[state]} {state}" for state in ("suggested", "refused") if edits[state])
    old, new = revision.scores.attribution_before, revision.scores.attribution_after
    known = "nothing was judged" if old is None or new is None else f"attribution {old:.2f} → {new:.2f}"
    total = counted(sum(counts.values()), "sentence")
    return f"{total}: {states}; {counted(edits['accepted'], 'change')}{others}; {known}"


def _cost_text(revision: Revision) -> str:
    usage, evidence = revision.usage, counted(len(revision.evidence), "passage")
    calls, cost = counted(usage.model_calls, "model call"), f", cost {usage.cost:.4f}" if usage.cost else ""
    if usage.model_calls:
        calls += f" ({counted(usage.input_tokens, 'token')} in, {usage.output_tokens:,} out{cost})"
    saved = [counted(usage.saved_calls, "saved call")] if usage.saved_calls else []
    found = [counted(len(revision.queries), "query"), f"{evidence} of evidence"]
    return ", ".join([*found, calls, *saved, f"{usage.seconds:.1f} seconds"])


def verification_text(verification: Verification) -> str:
    """Writes the label of a claim, the support (0 to 1), and the sentences, with quotes and differences."""
    support = "" if verification.probability is None else f" (support {verification.probability:.2f})"
    support += _dispute_note(*verification.sentences)
    claim, report = verification.claim, Report(sentences=verification.sentences)
    known: dict[str, Any] = {"evidence": verification.evidence, "report": report}
    read = Revision(run_id="verify", original=claim, text=claim, changed=False, **known)
    label = Line(0, Text(f"{verification.label or 'not judged'}{support}"))
    return lines_as_text([label, *_sentence_lines(read, verbose=True)], terminal=False)
