"""`rarr doctor`: shows what is configured, reachable, missing or broken, and the cure; examines a model."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import click

from rarr.cli import options
from rarr.cli.streams import complain, write
from rarr.errors import InputError, ModelError, RarrError

if TYPE_CHECKING:
    from rarr.records import Passage
    from rarr.retrievers.web.service_requests import Probe
    from rarr.settings import Settings
    from rarr.tools.models.retrying_metered_chat import BudgetedChat

LIMIT_S = 3.0
"""Seconds until a source counts as not answering."""
EXTRAS = {
    "encoder": "onnxruntime tokenizers",
    "torch": "torch sentence-transformers",
    "tavily": "tavily-python",
    "graph": "pyoxigraph",
    "office": "openpyxl python-docx python-pptx",
    "eval": "rouge-score",
    "parquet": "pyarrow",
    "ray": "ray",
    "checkpoint": "langgraph-checkpoint-sqlite",
    "otel": "openinference-instrumentation-langchain opentelemetry-exporter-otlp-proto-http",
    "mcp": "mcp",
    "serve": "starlette uvicorn",
    "train": "torch transformers onnx onnxruntime onnxscript safetensors tokenizers",
}
"""The optional extras of the package, and the packages of each."""


class Diagnosis(NamedTuple):
    """The result for one thing that was examined. `missing`: it is optional; `broken`: it prevents work.

    `detail` may be an error's message, which includes the cure.
    """

    name: str
    state: Literal["ok", "missing", "broken"]
    detail: str
    cure: str = ""


@click.command()
@options.settings(*options.SOURCES, options.MODEL, options.BASE_URL)
@options.JSON
def doctor(chosen: dict[str, Any], as_json: bool) -> int:
    """Show what is missing or broken; examine a model.

    Examines the installation, the settings, the models, the corpus, the graph, the sources on the web and
    their cache, unless --offline. Exit status 2 if something is broken.

    --model checks that the model can be reached, then lets it read 24 sentences beside short passages, in two
    requests, and says what it is fit for. Exit status 3 if it cannot be asked.

    \b
    Examples:
      rarr doctor --corpus notes/ --offline
      rarr doctor --model vllm:Qwen/Qwen3-8B --base-url http://localhost:8000/v1
    """
    from rarr.views.shown_text import as_json as json_of, visible

    if "model" in chosen:
        return _examined(chosen.pop("model"), chosen, as_json=as_json)
    findings = list(examine(chosen))
    write(json_of([each._asdict() for each in findings]) if as_json else visible(as_text(findings)))
    return 2 if any(finding.state == "broken" for finding in findings) else 0


def _examined(name: str, chosen: dict[str, Any], *, as_json: bool) -> int:
    from rarr.agent.exam import examined
    from rarr.settings import Settings
    from rarr.views.shown_text import as_json as json_of, visible

    if others := [each for each in ("corpus", "graph", "search", "offline") if each in chosen]:
        raise InputError(f"--model asks the model alone: leave out --{' and --'.join(others)}")
    settings = Settings(**chosen)
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


def as_text(findings: Sequence[Diagnosis]) -> str:
    """Writes one line for each finding, with its cure."""
    lines = (
        f"{finding.state:<7}  {finding.name}: {finding.detail}"
        + (f"; cure: {finding.cure}" * bool(finding.cure))
        for finding in findings
    )
    return "".join(f"{' '.join(line.splitlines())}\n" for line in lines)


def examine(chosen: Mapping[str, Any]) -> Iterator[Diagnosis]:
    """Examines the installation, the settings, the models, the sources and the cache, at no cost."""
    import platform

    from rarr.settings import Settings, installed_version

    yield Diagnosis("python", "ok", platform.python_version())
    yield Diagnosis("rarr", "ok", installed_version())
    try:
        settings = Settings(**chosen)
    except RarrError as error:
        yield Diagnosis("settings", "broken", str(error))
        return
    yield from _settings(settings, chosen)
    yield _home(settings.home.expanduser())
    yield from map(_extra, EXTRAS)
    yield from _models(settings)
    yield from _sources(settings)


def _settings(settings: "Settings", chosen: Mapping[str, Any]) -> Iterator[Diagnosis]:
    """Yields the settings that differ from their defaults, and whether this call sets them."""
    from rarr.tools.models.failures import redacted

    for name, field in type(settings).model_fields.items():
        value = getattr(settings, name)
        if value != field.get_default(call_default_factory=True):
            # The endpoints may hold keys.
            shown = ", ".join(value) if name == "endpoints" else redacted(str(value))
            origin = "this call" if name in chosen else "a file, a variable or the preset"
            yield Diagnosis(f"setting {name}", "ok", f"{shown}, from {origin}")
    yield Diagnosis("settings", "ok", "all other settings have their defaults")


def _home(home: Path) -> Diagnosis:
    import tempfile

    from rarr.tools.storage.files import private_folder

    try:
        private_folder(home)
        with tempfile.TemporaryFile(dir=home):
            return Diagnosis("home", "ok", f"{home} can be written")
    except OSError as error:
        cure = "make it writable, or name another folder with RARR_HOME"
        return Diagnosis("home", "broken", f"{home} cannot be written ({error.strerror})", cure)


def _installed(package: str) -> str | None:
    """Returns the version of a package without importing it; None if it is not installed."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _extra(extra: str) -> Diagnosis:
    versions = {package: _installed(package) for package in EXTRAS[extra].split()}
    if lacking := [package for package, found in versions.items() if found is None]:
        cure = f'pip install "rarr[{extra}]"'
        return Diagnosis(f"extra {extra}", "missing", f"not installed: {', '.join(lacking)}", cure)
    shown = ", ".join(f"{package} {found}" for package, found in versions.items())
    return Diagnosis(f"extra {extra}", "ok", shown)


class _NoSearch:
    """Stands for the sources, which are examined separately."""

    offline = True

    async def retrieve(self, query: str, k: int) -> "Sequence[Passage]":
        return []


def _models(settings: "Settings") -> Iterator[Diagnosis]:
    """Checks each language model in use, at no cost; or reports that there is none."""
    from rarr.agent.wiring.components import wire
    from rarr.tools.concurrency import run
    from rarr.tools.models.hub import can_be_model

    # A reranker of torch takes long to open; without its packages it fails at once, with the cure.
    loaded = can_be_model(settings.reranker) and _installed("sentence-transformers")
    reranker = "overlap" if loaded else settings.reranker
    try:
        components = wire(settings.model_copy(update={"search": _NoSearch(), "reranker": reranker}))
    except RarrError as error:
        yield Diagnosis("model", "broken", str(error))
        return
    if not components.models:
        yield Diagnosis("model", "ok", "no language model is asked")
    for model in {chat.name: chat for used in components.models for chat in used.models}.values():
        yield run(_model_reached(model))


def examine_model(name: str, settings: "Settings") -> Diagnosis:
    """Checks that one language model can be reached, lists its name and takes the key. This costs nothing.

    Raises `InputError` or `SetupError` for a wrong call.
    """
    from rarr.agent.wiring.language_models import LanguageModels
    from rarr.tools.concurrency import run

    if name == "embedded" or name.startswith("scripted:"):
        raise InputError(f"model {name!r} has no server to ask: give {options.MODEL_NAMES}, or another")
    own = {key: each for key, each in settings.endpoints.items() if key == name}
    changed = {"model": name, "models": {}, "fallbacks": [], "endpoints": own}
    alone = settings.model_copy(update=changed)
    return run(_model_reached(LanguageModels(alone, [name])[name].models[0]))


async def _model_reached(model: "BudgetedChat") -> Diagnosis:
    from rarr.tools.models.chat import CallFailure
    from rarr.tools.models.retrying_metered_chat import cure_of

    try:
        return Diagnosis(f"model {model.name}", "ok", await model.probe())
    except CallFailure as failure:
        cure = cure_of(failure) or "start its server, or correct base_url, the key or the name"
        return Diagnosis(f"model {model.name}", "broken", str(failure), cure)
    finally:
        await model.aclose()


def _sources(settings: "Settings") -> Iterator[Diagnosis]:
    """Examines each source. Those on the web are asked at once, unless the settings are offline."""
    from rarr.agent.wiring.resources import Resources
    from rarr.agent.wiring.search_and_reranking import SERVED, search_names, served_reranker
    from rarr.tools.concurrency import run

    probes = dict[str, "Probe"]()
    if not settings.names_source:
        cure = "give --corpus PATH, or set it in rarr.toml"
        yield Diagnosis("corpus", "missing", "none is configured, so that Wikipedia is searched", cure)
    for name in search_names(settings):
        shown = f"search {name}" if isinstance(name, str) else "search"
        try:
            probe = _probe(name, settings)
        except RarrError as error:
            yield Diagnosis(shown, "broken", str(error))
            continue
        if probe is None:
            yield Diagnosis(shown, "ok", f"{settings.corpus} opens" if name == "corpus" else "it opens")
        else:
            probes[shown] = probe
    if settings.reranker.startswith(SERVED):
        probes[f"reranker {settings.reranker}"] = served_reranker(settings, Resources(settings)).probe()
    if settings.offline:
        yield from (Diagnosis(name, "ok", "not asked, offline") for name in probes)
    else:
        yield from run(_asked(probes, optional=not settings.names_source))


def _probe(name: Any, settings: "Settings") -> "Probe | None":
    """Returns a free request that shows whether a source can be used; None for one without a server.

    Raises `RarrError` if the source cannot be opened. Its cache is written into a temporary folder.
    """
    import tempfile

    from rarr.agent.wiring.resources import Resources
    from rarr.agent.wiring.search_and_reranking import retriever, web_source
    from rarr.tools.concurrency import run

    with tempfile.TemporaryDirectory() as home:
        there = settings.model_copy(update={"search": name, "home": Path(home)})
        opened = Resources(there)
        try:
            retriever(there, opened)
            source = web_source(name, there, opened) if isinstance(name, str) and name != "corpus" else None
            return source.probe() if source else None
        finally:
            run(opened.aclose())


async def _asked(probes: "Mapping[str, Probe]", *, optional: bool) -> list[Diagnosis]:
    import asyncio

    return await asyncio.gather(*(reached(name, probe, optional=optional) for name, probe in probes.items()))


async def reached(name: str, probe: "Probe", *, optional: bool = False) -> Diagnosis:
    """Sends the request of `probe`, and tells whether the source answers as it should.

    `optional`: no setting names the source. Then it is missing rather than broken where it cannot be used.
    """
    import asyncio
    import time
    from urllib.parse import urlsplit

    import httpx2

    from rarr.tools.guard.bounded_http_client import bounded_client
    from rarr.tools.models.chat import CallFailure
    from rarr.tools.models.failures import redacted
    from rarr.tools.text.wording import shown

    host, started, status = urlsplit(probe.url).hostname, time.monotonic(), 0
    try:
        async with (
            asyncio.timeout(LIMIT_S),
            bounded_client("it", timeout=None, follow_redirects=True) as client,  # limited above
            client.stream("GET", probe.url, params=dict(probe.params), headers=dict(probe.headers)) as answer,
        ):
            status, kind = answer.status_code, answer.headers.get("content-type", "")
    except TimeoutError:
        problem = f"gives no answer within {LIMIT_S:g} s"
    except (httpx2.HTTPError, httpx2.InvalidURL, CallFailure, OSError, ValueError) as error:
        why = shown(redacted(" ".join(str(error).split()))) or type(error).__name__
        problem = f"cannot be reached ({why})"
    else:
        if status in probe.good and ("json" in kind or status == 404):
            return Diagnosis(name, "ok", f"{host} answers in {time.monotonic() - started:.1f} s")
        problem = f"answers with status {status}"
        if status in probe.good:
            problem = f"answers with something else ({shown(kind) or 'without a type'})"
    cure = probe.cures.get(status, probe.cures[0])
    return Diagnosis(name, "missing" if optional else "broken", f"{host} {problem}", cure)
