"""Renders a revision for a terminal or a pipe, as text, diff or JSON.

The texts come from others, so they are never read as markup, and control characters are made visible.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import unified_diff
from typing import Any, NamedTuple, get_args

from pydantic import BaseModel
from rich.console import Console
from rich.text import Text

from rarr.records import Edit, EditState, Evidence, PartState, Revision, Sentence, Status
from rarr.tools.text.blocks_and_sentences import closest_sentence
from rarr.tools.text.edit_segments import segments
from rarr.tools.text.plurals_and_articles import counted
from rarr.tools.text.warning_lines import grouped
from rarr.views.quoted_sentences import quoted_sources

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

# Characters that move the cursor, colour, ring or turn the direction of writing: C0 without tab and newline,
# DEL, C1, line separators, bidirectional embeddings, overrides and isolates, and halves of surrogate pairs.
_STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")

# Marks of direction. They stay in a shown text, because Hebrew and Arabic are written with them.
_ESCAPED = re.compile(f"{_STEERING.pattern}|[\u061c\u200e\u200f]")


class Line(NamedTuple):
    """A line to print below the revised text. On a terminal, its continuation lines keep its indent."""

    indent: int
    text: Text


def visible(text: str) -> str:
    """Replaces characters that steer a terminal by visible signs. Each line ends in a newline alone."""
    return _STEERING.sub(_picture, re.sub("\r\n?", "\n", text))


def one_line(text: str, most: int | None = None) -> str:
    """Puts `text` on one line, makes it `visible`, and cuts it to `most` characters, the last of them …"""
    line = " ".join(visible(text).split())
    return line if most is None or len(line) <= most else line[: most - 1].rstrip() + "…"


def as_json(value: BaseModel | Mapping[str, Any] | Sequence[Any]) -> str:
    """Writes `value` as commands print JSON: indented, `escaped`, and with a newline at its end."""
    if isinstance(value, BaseModel):
        return escaped(value.model_dump_json(indent=2)) + "\n"
    return escaped(json.dumps(value, ensure_ascii=False, indent=2)) + "\n"


def escaped(text: str) -> str:
    """Escapes the characters in JSON that steer a terminal. The meaning of the JSON is unchanged."""
    return _ESCAPED.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def render(revision: Revision, *, terminal: bool) -> str:
    """Renders the revised text, the changes and their reasons, the sentences, scores and warnings.

    On a terminal the edits are marked in the text. Elsewhere the text comes first, exactly as it is.
    """
    console = _console(terminal=terminal)
    if console.color_system is None:  # without colours, old and new words would look the same
        text = visible(revision.text) if terminal else revision.text
        rows = (" " * line.indent + line.text.plain + "\n" for line in _lines(revision))
        return text + ("" if text.endswith("\n") else "\n") + "".join(rows)
    with console.capture() as capture:
        pieces = segments(revision.original, revision.edits)
        marked = (Text(visible(piece.text), _STYLES[piece.kind], end="") for piece in pieces)
        console.print(*marked, sep="", soft_wrap=True, end="" if revision.text.endswith("\n") else "\n")
        for line in _lines(revision):
            for row in line.text.wrap(console, max(20, console.width - line.indent)) or [Text()]:
                row.rstrip()
                console.print(Text(" " * line.indent) + row, soft_wrap=True)
    return capture.get()


def render_diff(revision: Revision, *, terminal: bool) -> str:
    """Renders a unified diff from the original to the revised text, with the texts' own line ends."""
    before, after = (re.findall(r"[^\n]*\n|[^\n]+", text) for text in (revision.original, revision.text))
    rows = [
        row if row.endswith("\n") else f"{row}\n\\ No newline at end of file\n"
        for row in unified_diff(before, after, "original", "revised")
    ]
    if not terminal:
        return "".join(rows)
    console = _console(terminal=True)
    styles = {"+": "green", "-": "red", "@": "cyan"}
    with console.capture() as capture:
        for row in rows:
            console.print(Text(visible(row), styles.get(row[0], "")), soft_wrap=True, end="")
    return capture.get()


def _console(*, terminal: bool) -> Console:
    # Given explicitly, because FORCE_COLOR would make rich colour the text in a file.
    return Console(force_terminal=terminal, markup=False, highlight=False, emoji=False)


def _picture(match: re.Match[str]) -> str:
    code = ord(match[0])
    return chr(0x2400 + code) if code < 0x20 else "\u2421" if code == 0x7F else "\ufffd"


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


def _evidence(evidence: Evidence, quotes: Sequence[str], label: str = "evidence") -> Iterator[Line]:
    place = [one_line(part, _LONG) for part in (evidence.title, evidence.source) if part]
    yield Line(6, Text(f"{label}: {' … '.join(f'“{one_line(quote, _QUOTE)}”' for quote in quotes)}"))
    yield Line(6, Text(f"source: {', '.join(place)}", "cyan"))


def _sentence(number: int, sentence: Sentence, revision: Revision) -> Iterator[Line]:
    # The support of a contradicted sentence counts only one side, so it is not shown.
    status = Text(sentence.status.replace("_", " "), _STATUS_STYLES[sentence.status])
    if sentence.support is not None and sentence.status != "contradicted":
        status.append(f" {sentence.support:.2f}", _support_style(sentence.support))
    yield Line(2, Text(f"{number}. ") + status + Text("  ") + _marked(sentence))
    for part in sentence.parts:
        if part.state == "differs" and part.says:
            words = one_line(sentence.text[part.start - sentence.start : part.end - sentence.start], _SHORT)
            says = f"{part.evidence_id} says “{one_line(part.says, _SHORT)}”"
            yield Line(6, Text(f"differs: “{words}”, and {says}"))
    if sentence.status == "contradicted":
        yield from _sides(sentence, revision)
        return
    if sentence.status == "unconfirmed" and sentence.open_words:
        open_words = ", ".join(f"“{one_line(word, _SHORT)}”" for word in sentence.open_words)
        yield Line(6, Text(f"not confirmed: {open_words}"))
    for evidence, quotes in quoted_sources(sentence, revision.evidence):
        yield from _evidence(evidence, quotes)


def _support_style(support: float) -> str:
    """Returns the colour for a support from 0 to 1: green from 0.9, yellow from 0.7, else red."""
    return "green" if support >= 0.9 else "yellow" if support >= 0.7 else "red"


def _marked(sentence: Sentence) -> Text:
    """Puts the sentence on one line, with the words of its parts in the colours of their states."""
    line = Text(one_line(sentence.text, _QUOTE))
    if sentence.text.startswith(line.plain.removesuffix("…")):  # else its words stand elsewhere in the line
        for part in sentence.parts:
            line.stylize(_PART_STYLES[part.state], part.start - sentence.start, part.end - sentence.start)
    return line


def _sides(sentence: Sentence, revision: Revision) -> Iterator[Line]:
    """Yields the quotes of a contradicted sentence by verdict; equal quotes once, with all their ids."""
    evidence_by_id = {evidence.id: evidence for evidence in revision.evidence}
    checks = {check.evidence_id: check for check in revision.checks if not check.stale}
    alike: dict[tuple[str, tuple[str, ...], str], list[Evidence]] = {}
    for evidence in (evidence_by_id[name] for name in sentence.evidence_ids if name in evidence_by_id):
        check = checks.get(evidence.id)
        verdict, answer = (check.verdict, check.evidence_answer) if check else ("evidence", "")
        cited = tuple(quote.text for quote in sentence.quotes if quote.evidence_id == evidence.id)
        quotes = cited or (closest_sentence(evidence.text, answer or sentence.text),)
        alike.setdefault((verdict, quotes, evidence.source), []).append(evidence)
    for (verdict, quotes, _), same in sorted(alike.items(), key=lambda item: item[0][0]):
        yield from _evidence(same[0], quotes, f"{verdict} ({', '.join(evidence.id for evidence in same)})")


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
