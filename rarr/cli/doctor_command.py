"""`rarr doctor`: prints the findings of `rarr.cli.doctor`."""

from rarr.cli import graph_options, options
from rarr.cli.streams import complain, write
from rarr.errors import InputError


def doctor(
    corpus: options.Corpus = None,
    graph: graph_options.Graph = None,
    search: options.Search = None,
    offline: options.Unasked = False,
    model: options.AskedModel = None,
    base_url: options.BaseUrl = None,
    as_json: options.Json = False,
) -> int:
    """Show what is missing or broken, and the cure.

    Examines the installation, the settings, the models, the corpus, the graph, the sources on the web and
    their cache. Exit status 2 if something is broken; not if something is missing that no setting names.

    With --model, checks that the server of the language model can be reached, lists the model, and takes the
    key; then examines it in two requests: it reads 24 sentences beside short passages. Exit status 3 if it
    cannot be asked.

    \b
    Examples:
      rarr doctor
      rarr doctor --offline
      rarr doctor --corpus notes/ --json
      rarr doctor --search wikipedia,corpus --corpus notes/ --offline
      rarr doctor --model vllm:Qwen/Qwen3-8B --base-url http://localhost:8000/v1
    """
    if model is not None:
        if given := options.given(corpus=corpus, graph=graph, search=search, offline=offline):
            raise InputError(f"--model asks the model alone: leave out --{' and --'.join(given)}")
        return _reached(model, base_url, as_json=as_json)
    if base_url is not None:
        raise InputError("--base-url is the address of --model: give both, or set base_url in rarr.toml")
    from rarr.cli.doctor import as_text, examine
    from rarr.views.terminal.revision import as_json as json_of, visible

    findings = examine(corpus, search, offline=offline, **options.given(graph=graph))
    text = visible(as_text(findings))
    write(json_of([finding._asdict() for finding in findings]) if as_json else text)
    return 2 if any(finding.state == "broken" for finding in findings) else 0


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
