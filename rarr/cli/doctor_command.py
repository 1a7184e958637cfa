"""`rarr doctor`: prints the findings of `rarr.cli.doctor`."""

from rarr.cli import options
from rarr.cli.streams import write


def doctor(
    corpus: options.Corpus = None,
    search: options.Search = None,
    offline: options.Unasked = False,
    as_json: options.Json = False,
) -> int:
    """Show what is missing or broken, and the cure.

    Examines the installation, the settings, the models, the corpus, the sources on the web and their cache.
    Exit status 2 if something is broken.

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
    text = visible(as_text(findings))
    write(json_of([finding._asdict() for finding in findings]) if as_json else text)
    return 2 if any(finding.state == "broken" for finding in findings) else 0
