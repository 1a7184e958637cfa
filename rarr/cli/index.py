"""`rarr index`: reads a corpus, and writes its index into a folder."""

import sys

from rarr.cli import options
from rarr.cli.streams import warn, write
from rarr.tools.text.plurals_and_articles import counted


def index(path: options.Documents, out: options.Index) -> int:
    """Build the index of a corpus once.

    Run it again with the same INDEX to read only the files that changed.

    \b
    Examples:
      rarr index notes/ -o notes.index
      rarr revise --file draft.md --corpus notes.index
    """
    from rarr.retrievers.corpus.index_building import build_index
    from rarr.settings import Settings
    from rarr.tools.text.warning_lines import by_reason
    from rarr.views.terminal.progress_line import Waiting

    settings = Settings()
    with Waiting(watched=sys.stderr.isatty()) as waiting:
        report = build_index(
            path,
            out,
            window=settings.window,
            step=settings.step,
            max_file_mb=settings.max_file_mb,
            progress=lambda done, total: waiting.say(f"{done} of {counted(total, 'file')}"),
        )
    for line in by_reason(report.skipped):
        warn(line)
    files = f"{report.read} read, {report.unchanged} unchanged, {report.removed} removed"
    lines = [
        f"documents: {report.documents}",
        f"passages: {report.passages}",
        f"files: {files}, {report.unsearched} skipped",
    ]
    if report.ignored:
        count = counted(len(report.ignored), "file")
        lines.append(f"ignored: {count} of kinds that rarr does not read, such as {report.ignored[0]}")
    write("".join(f"{line}\n" for line in lines))
    return 0
