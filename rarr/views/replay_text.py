"""Writes the changes of replays as text. Control characters in the texts are made visible."""

from collections import Counter
from collections.abc import Iterator, Sequence

from rarr.agent.replaying import Change, Replay
from rarr.tools.text.wording import counted
from rarr.views.shown_text import one_line, visible

_SHORT = 200  # characters of a text or a reason, without `full`


def render(replays: Sequence[Replay], *, full: bool = False) -> str:
    """Writes which sentences of each run changed their status or words, and why; `full`: unshortened."""
    lines = [line for replay in replays for line in _lines(replay, full)]
    kinds = Counter(_statuses(change) for replay in replays for change in replay.changes)
    lines += [f"{number:>4} {kind}" for kind, number in kinds.most_common()] if len(replays) > 1 else []
    return visible("\n".join(lines)) + "\n"


def _lines(replay: Replay, full: bool) -> Iterator[str]:
    sentences = len(replay.after.report.sentences)
    yield f"run {replay.after.run_id}: {len(replay.changes)} of {counted(sentences, 'sentence')} changed"
    for change in replay.changes:
        yield f"  {_statuses(change)}: {_short(change.text, full)}"
        if change.before and change.after and change.before.text != change.after.text:
            yield f"    text: {_short(change.before.text, full)} → {_short(change.after.text, full)}"
        if change.why:
            yield f"    why: {_short(change.why, full)}"
    for what, questions in zip(("not asked any more", "asked now"), replay.questions, strict=True):
        yield from (f"  {what}: {_short(question, full)}" for question in questions)
    if replay.asked:
        yield f"  asked for real: {counted(replay.asked, 'question')}, of which {len(replay.failed)} failed"
    elif replay.same:
        yield "  The revision is the same, byte for byte. Nothing was asked for real."


def _statuses(change: Change) -> str:
    before, after = (it.status if it else "no sentence" for it in (change.before, change.after))
    return f"{before} → {after}"


def _short(text: str, full: bool) -> str:
    return text if full else one_line(text, _SHORT)
