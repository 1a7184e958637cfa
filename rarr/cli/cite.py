"""`rarr cite`: puts citations into a text, and tells which of its own citations are wrong."""

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rarr.cli import graph_options, options, run_options
from rarr.cli.streams import complain, decoded, text_of_file, warn, write

if TYPE_CHECKING:
    from rarr.records.citations import CitationCheck, CitationPlace, CitationStyle, Cited


def cite(
    file: options.CitedFile,
    context: options.Context = None,
    corpus: options.Corpus = None,
    graph: graph_options.Graph = None,
    search: options.Search = None,
    offline: options.Offline = False,
    refresh: options.Refresh = False,
    model: options.Model = None,
    base_url: options.BaseUrl = None,
    prompts: options.Prompts = None,
    preset: options.Preset = None,
    max_calls: options.MaxCalls = None,
    deadline: options.Deadline = None,
    style: options.Style = "numbered",
    place: options.Place = "sentence",
    mark_unsupported: options.MarkUnsupported = False,
    as_json: options.Json = False,
) -> int:
    """Put citations into a text, and change nothing else.

    A sentence that evidence supports gets a mark such as [1], and the text a list of sources at its end.
    Citations that the text has already are checked, and not removed: standard error tells which are wrong.
    Exit status: 0 done; 2 the call or its input is wrong; 3 nothing could be checked.

    \b
    Examples:
      rarr cite draft.md --corpus notes/
      rarr cite draft.md --corpus notes/ --style footnotes --mark-unsupported > cited.md
      rarr cite - --corpus notes.index --json < draft.md
    """
    text = text_of_file(file)
    context = None if context is None else decoded(context, "--context")
    given = run_options.of_run(locals())
    cited = _cited(text, context, given, style, place, mark_unsupported=mark_unsupported)
    from rarr.views.terminal.revision import as_json as json_of

    write(json_of(cited) if as_json else cited.text)
    return _outcome(cited, as_json=as_json)


def _cited(
    text: str,
    context: str | None,
    chosen: dict[str, Any],
    style: "CitationStyle",
    place: "CitationPlace",
    *,
    mark_unsupported: bool,
) -> "Cited":
    from rarr import Reviser
    from rarr.settings import Settings
    from rarr.views.terminal.progress_line import Waiting

    with (
        Waiting(watched=sys.stderr.isatty()) as waiting,
        Reviser(Settings(**chosen), on_step=waiting.step, on_index=waiting.indexed) as reviser,
    ):
        return reviser.cite(text, context, style=style, place=place, mark_unsupported=mark_unsupported)


def _outcome(cited: "Cited", *, as_json: bool) -> int:
    """Tells what is wrong on standard error, and returns the exit status."""
    from rarr.tools.text.warning_lines import grouped, nothing_checked

    if why := nothing_checked(cited.research):
        return complain(f"nothing could be checked: {why}", 3)
    if not as_json:  # JSON holds all of it
        for line in _wrong(cited.existing):
            warn(line)
        for warning in grouped(cited.research.warnings):
            warn(warning)
    return 0


def _wrong(checks: "tuple[CitationCheck, ...]") -> Iterator[str]:
    for check in checks:
        named = f"{check.text} ({check.target})" if check.target not in check.text else check.text
        if check.state == "not_supported":
            yield f"citation {named} at character {check.start}: its source does not support the sentence"
        elif check.state == "source_not_found":
            where = (
                "is not among the sources that were searched" if check.target else "has no entry in the text"
            )
            yield f"citation {named} at character {check.start}: it {where}"
