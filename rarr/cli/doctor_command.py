"""`rarr doctor`: prints the findings of `rarr.cli.doctor`."""

import typer

from rarr.cli import graph_options, options
from rarr.cli.name_benchmarks import doctor_names
from rarr.cli.streams import complain, write
from rarr.errors import InputError

doctor_app = typer.Typer(rich_markup_mode=None)
doctor_app.command("names")(doctor_names)


@doctor_app.callback(invoke_without_command=True)
def doctor(
    context: typer.Context,
    corpus: options.Corpus = None,
    graph: graph_options.Graph = None,
    search: options.Search = None,
    offline: options.Unasked = False,
    model: options.AskedModel = None,
    base_url: options.BaseUrl = None,
    conflicts: options.Conflicts = False,
    as_json: options.Json = False,
) -> int:
    """Show what is missing or broken, and the cure.

    Examines the installation, the settings, the models, the corpus, the graph, the sources on the web and
    their cache. Exit status 2 if something is broken; not if something is missing that no setting names.

    With --model, checks that the server of the language model can be reached, lists the model, and takes the
    key; then examines it in two requests: it reads 24 sentences beside short passages. Exit status 3 if it
    cannot be asked.

    With --conflicts too, asks instead about twenty short passages that contradict what everybody knows, and
    shows in how many the model follows the passage. A language model reads, in about 60 requests; "embedded"
    and "rules" check a claim.

    \b
    Examples:
      rarr doctor
      rarr doctor --offline
      rarr doctor --corpus notes/ --json
      rarr doctor --search wikipedia,corpus --corpus notes/ --offline
      rarr doctor --model vllm:Qwen/Qwen3-8B --base-url http://localhost:8000/v1
      rarr doctor --model embedded --conflicts
    """
    if context.invoked_subcommand is not None:
        require_no_options(context)
        return 0
    if model is not None:
        if given := options.given(
            corpus=corpus, **graph_options.of_graph(graph), search=search, offline=offline
        ):
            raise InputError(f"--model asks the model alone: leave out --{' and --'.join(given)}")
        asked = _followed if conflicts else _reached
        return asked(model, base_url, as_json=as_json)
    if conflicts:
        raise InputError("--conflicts asks a model: name it with --model")
    if base_url is not None:
        raise InputError("--base-url is the address of --model: give both, or set base_url in rarr.toml")
    from rarr.cli.doctor import as_text, examine
    from rarr.views.terminal.revision import as_json as json_of, visible

    findings = examine(corpus, search, offline=offline, **options.given(**graph_options.of_graph(graph)))
    text = visible(as_text(findings))
    write(json_of([finding._asdict() for finding in findings]) if as_json else text)
    return 2 if any(finding.state == "broken" for finding in findings) else 0


def require_no_options(context: typer.Context) -> None:
    """Raises `InputError` if the call gives options before the name of a subcommand, which has its own."""
    given = [name for name, value in context.params.items() if value]
    if given:
        named = " and ".join(f"--{name.removeprefix('as_').replace('_', '-')}" for name in given)
        raise InputError(f"give {named} after {context.invoked_subcommand}, not before it")


def _reached(name: str, base_url: str | None, *, as_json: bool) -> int:
    from rarr.agent.exam import examined
    from rarr.cli.doctor import as_text, examine_model
    from rarr.errors import ModelError
    from rarr.settings import Settings
    from rarr.views.terminal.revision import as_json as json_of, visible

    settings = Settings(**options.given(base_url=base_url))
    finding = examine_model(name, settings)
    if finding.state != "ok":
        return complain(f"{finding.detail}; {finding.cure}", 3)
    try:
        exam = examined(name, settings)
    except ModelError as error:
        return complain(f"{name} could not be examined: {error}", 3)
    if as_json:
        write(json_of([finding._asdict(), {**exam._asdict(), "fit_for": exam.fit_for}]))
    else:
        lines = "".join(f"{line}\n" for line in exam.lines(name))
        write(visible(as_text([finding]) + lines))
    return 0


def _followed(name: str, base_url: str | None, *, as_json: bool) -> int:
    from rarr.cli.doctor.followed_evidence import as_lines, asked_conflicts
    from rarr.settings import Settings
    from rarr.views.terminal.revision import as_json as json_of, visible

    found = asked_conflicts(Settings(**options.given(model=name, base_url=base_url)))
    if not found.asked:
        return complain(f"no question could be asked: {found.results[0].error}", 3)
    write(json_of(found) if as_json else visible(as_lines(found)))
    return 0
