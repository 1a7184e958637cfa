"""`rarr serve`: serves `rarr` over HTTP, and as a proxy in front of an OpenAI-compatible server."""

import sys
from collections.abc import Sequence

from rarr.cli import options, serve_options
from rarr.errors import InputError


def serve(
    upstream: serve_options.Upstream = None,
    corpus: serve_options.ServedCorpora = None,
    graph: serve_options.ServedGraph = None,
    mode: serve_options.ServedMode = None,
    deadline: serve_options.AnswerDeadline = None,
    host: options.Host = None,
    port: serve_options.ServePort = None,
    workers: serve_options.Workers = None,
    search: options.Search = None,
    offline: options.Offline = False,
    model: options.Model = None,
    base_url: options.BaseUrl = None,
    prompts: options.Prompts = None,
    preset: options.Preset = None,
    max_calls: options.MaxCalls = None,
) -> int:
    """Serve rarr over HTTP, also as a proxy that revises a model's answers. Needs pip install 'rarr[serve]'.

    Clients of OpenAI use the address that is printed as their base URL. Chat completions and responses come
    back revised; everything else under /v1 passes. A request may choose with the object "rarr" in its body:
    mode, sources, corpus (by its NAME), search, deadline_s. Own calls: /v1/revise, /v1/postprocess,
    /v1/verify, /v1/cite; /openapi.json describes them. On other addresses than this machine's own, callers
    need a token of RARR_SERVE_TOKEN. Standard error gets the address, and then the log, as lines of JSON.

    \b
    Examples:
      rarr serve --upstream https://api.openai.com/v1 --corpus notes=notes/
      rarr serve --upstream http://localhost:8000/v1 --corpus docs=docs.index --mode check --deadline 5
      rarr serve --upstream http://localhost:8000/v1 --graph catalogue.csv
    """
    from rarr.serve import require_packages

    require_packages()
    from rarr.settings import Settings

    settings = Settings(
        **options.given(
            serve_upstream_url=upstream,
            serve_corpora=_corpora(corpus) if corpus else None,
            graph=graph,
            serve_mode=mode,
            serve_deadline_s=deadline,
            serve_host=host,
            serve_port=port,
            serve_workers=workers,
            search=search,
            offline=offline,
            model=model,
            base_url=base_url,
            prompts=prompts,
            preset=preset,
            max_calls=max_calls,
        )
    )
    import asyncio

    from rarr.cli.interrupts import hand_over
    from rarr.serve.server import log_to_stderr, require_safe, serve as serve_forever

    require_safe(settings)
    hand_over()
    with log_to_stderr():
        asyncio.run(serve_forever(settings, _say_ready))
    return 0


def _corpora(given: Sequence[str]) -> dict[str, str]:
    """Reads NAME=PATH. Raises `InputError` for anything else."""
    corpora = {}
    for entry in given:
        name, equals, path = entry.partition("=")
        if not (name and equals and path):
            raise InputError(
                f"--corpus is {entry!r}: give a name for callers and a path, such as notes=notes/"
            )
        if name in corpora:
            raise InputError(f"--corpus names {name!r} twice: give each corpus another name")
        corpora[name] = path
    return corpora


def _say_ready(address: str) -> None:
    sys.stderr.write(f"rarr: listening at {address}\n")
    sys.stderr.flush()
