"""`rarr cite`: puts citations into a text, and tells which of its own citations are wrong."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from rarr.cli import options
from rarr.cli.streams import complain, decoded, text_of_file, waiting, warn, write

if TYPE_CHECKING:
    from rarr.records.citations import CitationCheck


@click.command()
@click.argument("file")
@options.CONTEXT
@options.settings(*options.RUN)
@options.choice("--style", "numbered footnotes json", "[1] and a list, [^1] and footnotes, or [1] and JSON.")
@options.choice("--place", "sentence part", "Put marks behind sentences, or behind supported words.")
@click.option("--mark-unsupported", is_flag=True, help="Mark unsupported sentences: [citation needed].")
@options.JSON
def cite(file: str, context: str | None, chosen: dict[str, Any], as_json: bool, **form: Any) -> int:
    """Put citations into a text, and change nothing else.

    FILE is - for standard input. A sentence that evidence supports gets a mark such as [1], and the text a
    list of sources at its end. Citations that the text has already are checked, and stay; standard error
    names the wrong ones.

    \b
    Examples:
      rarr cite draft.md --corpus notes/ > cited.md
      rarr cite draft.md --corpus notes/ --style footnotes --mark-unsupported
    """
    from rarr import Reviser
    from rarr.settings import Settings
    from rarr.tools.text.wording import grouped, nothing_checked
    from rarr.views.shown_text import as_json as json_of

    text = text_of_file(file)
    context = None if context is None else decoded(context, "--context")
    settings = Settings(**chosen)
    with waiting() as shown, Reviser(settings, on_step=shown.step, on_index=shown.indexed) as reviser:
        cited = reviser.cite(text, context, **form)
    write(json_of(cited) if as_json else cited.text)
    if why := nothing_checked(cited.research):
        return complain(f"nothing could be checked: {why}", 3)
    for line in () if as_json else (*_wrong(cited.existing), *grouped(cited.research.warnings)):
        warn(line)
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
