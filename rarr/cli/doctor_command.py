"""`rarr doctor`: what `rarr.cli.doctor` finds, printed."""

from rarr.cli import options
from rarr.cli.streams import write
from rarr.cli.wording import for_command


def doctor(
    corpus: options.Corpus = None,
    search: options.Search = None,
    offline: options.Unasked = False,
    as_json: options.Json = False,
) -> int:
    """Say what is missing or broken, and the cure.

    Looks at the installation, the settings, the models, the corpus, the sources on the web and their cache.
    Exit status 2 where something is broken.

    \b
    Examples:
      rarr doctor
      rarr doctor --offline
      rarr doctor --corpus notes/ --json
      rarr doctor --search wikipedia,corpus --corpus notes/ --offline
    """
    from rarr.cli.doctor import as_text, examine
    from rarr.views.terminal.revision import as_json as json_of, visible

    findings = examine(corpus, search, offline=offline)
    text = visible(for_command(as_text(findings)))
    write(json_of([one._asdict() for one in findings]) if as_json else text)
    return 2 if any(finding.state == "broken" for finding in findings) else 0
