"""`rarr revise`: reads a text, and prints the revision, its report or its diff."""

import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

from rarr.cli import graph_options, options, run_options
from rarr.cli.streams import complain, decoded, text_to_revise, warn, write
from rarr.errors import InputError
from rarr.tools.text.plurals_and_articles import counted

if TYPE_CHECKING:
    from rarr.records import Revision

_NAME = 8  # characters of a run's name, which tell it from other runs


def revise(
    text: options.Text = None,
    file: options.File = None,
    context: options.Context = None,
    corpus: options.Corpus = None,
    graph: graph_options.Graph = None,
    search: options.Search = None,
    include_domain: options.IncludeDomain = None,
    exclude_domain: options.ExcludeDomain = None,
    published_after: options.PublishedAfter = None,
    published_before: options.PublishedBefore = None,
    offline: options.Offline = False,
    refresh: options.Refresh = False,
    model: options.Model = None,
    base_url: options.BaseUrl = None,
    prompts: options.Prompts = None,
    preset: options.Preset = None,
    max_calls: options.MaxCalls = None,
    deadline: options.Deadline = None,
    accept: options.Accept = None,
    estimate: options.Estimate = False,
    as_json: options.Json = False,
    diff: options.Diff = False,
) -> int:
    """Revise a text, and show the evidence for it.

    Prints the revised text, the changes with their reasons, and the evidence for each sentence. Settings
    without an option come from rarr.toml, from [tool.rarr] of pyproject.toml, or from variables RARR_... Put
    -- before a text that starts with a dash.

    \b
    Examples:
      rarr revise "The Golden Gate Bridge opened in 1935." --corpus notes/
      rarr revise --file draft.md --search wikipedia
      rarr revise --file draft.md --search tavily --include-domain who.int --published-after 2020
      rarr revise --file draft.md --corpus notes/ --diff
      rarr revise --file draft.md --corpus notes/ --accept suggested
      rarr revise - --corpus notes.index --json < draft.md
      rarr revise "In 1867." --context "When did the US buy Alaska?" --corpus notes/
      rarr revise --file draft.md --corpus notes/ --model vllm:Qwen/Qwen3-8B --base-url http://localhost:8000/v1
    """
    if as_json and diff:
        raise InputError("--json and --diff exclude each other: give one of them")
    original = text_to_revise(text, file)
    context = None if context is None else decoded(context, "--context")
    given = run_options.of_run(
        locals(),
        include_domains=include_domain,
        exclude_domains=exclude_domain,
        published_after=published_after,
        published_before=published_before,
    )
    if estimate:
        write(_estimated(original, context, given, as_json=as_json))
        return 0
    revision = _revised(original, context, given)
    if accept:
        revision = revision.accept(*(edit.id for edit in revision.edits if edit.state == "suggested"))
    write(_shown(revision, as_json=as_json, diff=diff))
    if sys.stdout.isatty() and not (as_json or diff) and _traced(revision, given):
        write(f"\ntrace: rarr trace show {revision.run_id[:_NAME]}\n")
    return _outcome(revision, aloud=diff)


def _revised(text: str, context: str | None, chosen: dict[str, Any]) -> "Revision":
    from rarr import Reviser
    from rarr.settings import Settings
    from rarr.views.terminal.progress_line import Waiting

    calls = Counter[str]()
    advice = "; --deadline S ends a run with the result so far"
    with Waiting(watched=sys.stderr.isatty(), advice=advice) as waiting:

        def on_step(node: str) -> None:
            calls[node] += 1
            waiting.say(f"{node.replace('_', ' ')} {calls[node]}")

        with Reviser(Settings(**chosen), on_step=on_step, on_index=waiting.indexed) as reviser:
            return reviser.revise(text, context)


def _traced(revision: "Revision", chosen: dict[str, Any]) -> bool:
    from rarr.settings import Settings

    return Settings(**chosen).trace and all(notice.code != "trace_failed" for notice in revision.warnings)


def _estimated(text: str, context: str | None, chosen: dict[str, Any], *, as_json: bool) -> str:
    from rarr import Reviser, Settings

    with Reviser(Settings(**chosen)) as reviser:
        about = reviser.estimate(text, context)
    if as_json:
        from rarr.views.terminal.revision import as_json as json_of

        return json_of(about)
    cost = "" if about.cost is None else f", cost {about.cost:.4f}"
    return (
        f"about {counted(about.queries, 'query')} and {counted(about.edits, 'edit')}:"
        f" {counted(about.model_calls, 'model call')},"
        f" {counted(about.input_tokens, 'token')} in, {about.output_tokens:,} out{cost}\n"
    )


def _shown(revision: "Revision", *, as_json: bool, diff: bool) -> str:
    from rarr.tools.text.warning_lines import beside_the_reason, nothing_checked
    from rarr.views.terminal.revision import as_json as json_of, render, render_diff

    if as_json:
        return json_of(revision)
    if nothing_checked(revision):  # the reason is printed as the last line
        other = tuple(beside_the_reason(revision.warnings))
        revision = revision.model_copy(update={"warnings": other})
    return (render_diff if diff else render)(revision, terminal=sys.stdout.isatty())


def _outcome(revision: "Revision", *, aloud: bool) -> int:
    """Returns the exit status: 3, with a line why, if nothing could be checked, else 0.

    `aloud`: prints the warnings to standard error, because the result does not hold them.
    """
    from rarr.tools.text.warning_lines import grouped, nothing_checked

    if why := nothing_checked(revision):
        return complain(f"nothing could be checked: {why}", 3)
    for warning in grouped(revision.warnings) if aloud else ():
        warn(warning)
    return 0
