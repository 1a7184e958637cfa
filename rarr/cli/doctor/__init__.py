"""Finds out what is configured, what is missing or broken, and how to correct it."""

import platform
import tempfile
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic_settings import InitSettingsSource

from rarr.cli.doctor.diagnosis import Diagnosis, State
from rarr.cli.doctor.traces import traces
from rarr.errors import InputError, RarrError
from rarr.records import Passage
from rarr.settings import Settings
from rarr.settings.presets import PRESETS
from rarr.tools.models.chat import CallFailure
from rarr.tools.models.failures import redacted
from rarr.tools.storage.files import private_folder

if TYPE_CHECKING:
    from rarr.tools.models.retrying_metered_chat import BudgetedChat

EXTRAS = {
    "encoder": ("onnxruntime", "tokenizers"),
    "torch": ("torch", "sentence-transformers"),
    "graph": ("pyoxigraph",),
    "office": ("openpyxl", "python-docx", "python-pptx"),
    "eval": ("rouge-score",),
    "parquet": ("pyarrow",),
    "ray": ("ray",),
    "checkpoint": ("langgraph-checkpoint-sqlite",),
    "otel": (
        "openinference-instrumentation-langchain",
        "opentelemetry-exporter-otlp-proto-http",
        "opentelemetry-sdk",
    ),
    "mcp": ("mcp",),
    "serve": ("fastapi", "prometheus-client", "uvicorn"),
    "train": ("torch", "transformers", "onnx", "onnxruntime", "onnxscript", "safetensors", "tokenizers"),
}
"""The optional extras of the package, and the packages of each."""


def examine(
    corpus: Path | str | None = None, search: str | None = None, *, offline: bool = False, **more: str
) -> list[Diagnosis]:
    """Examines the installation, the settings, the models, the sources and their cache.

    Nothing is searched or paid for. `offline` is the setting: sources on the web are not asked. `more`
    are other settings, such as `graph`.
    """
    findings = [Diagnosis("python", "ok", platform.python_version()), _rarr()]
    given = {"corpus": corpus, "search": search, "offline": offline or None, **more}
    chosen = {name: value for name, value in given.items() if value is not None}
    try:
        settings = Settings(**chosen)
    except RarrError as error:
        return [*findings, Diagnosis("settings", "broken", str(error))]
    findings += _settings(settings, chosen)
    findings.append(_home(settings.home.expanduser()))
    findings += (_extra(extra, settings) for extra in EXTRAS)
    findings += _models(settings)
    findings += _searching(settings)
    findings += (traces(settings),)
    return findings


def as_text(findings: Sequence[Diagnosis]) -> str:
    """Writes one line for each finding, with its cure."""
    lines = (
        f"{finding.state:<7}  {finding.name}: {finding.detail}"
        + (f"; cure: {finding.cure}" if finding.cure else "")
        for finding in findings
    )
    return "".join(f"{' '.join(line.splitlines())}\n" for line in lines)


def installed(package: str) -> str | None:
    """Returns the version of a package without importing it; None if it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _rarr() -> Diagnosis:
    rarr_version = installed("rarr")
    if rarr_version is None:
        return Diagnosis("rarr", "missing", "it runs, but is not installed", "pip install rarr")
    return Diagnosis("rarr", "ok", rarr_version)


def _settings(settings: Settings, chosen: dict[str, Any]) -> Iterator[Diagnosis]:
    """Yields the settings that differ from their defaults, and where they come from."""
    none = InitSettingsSource(Settings, {})
    sources = Settings.settings_customise_sources(Settings, none, none, none, none)
    _, variables, file = (source() for source in sources)
    origins = {
        **dict.fromkeys(PRESETS[settings.preset], f"preset {settings.preset}"),
        **dict.fromkeys(file, "rarr.toml or pyproject.toml"),
        **{name: f"RARR_{name.upper()}" for name in variables},
        **dict.fromkeys(chosen, "this call"),
    }
    for name, field in Settings.model_fields.items():
        value = getattr(settings, name)
        if name in origins and value != field.get_default(call_default_factory=True):
            shown = (
                ", ".join(value) if name == "endpoints" else redacted(str(value))
            )  # endpoints may hold keys
            yield Diagnosis(f"setting {name}", "ok", f"{shown}, from {origins[name]}")
    yield Diagnosis("settings", "ok", "all other settings have their defaults")


def _home(home: Path) -> Diagnosis:
    try:
        private_folder(home)
        with tempfile.TemporaryFile(dir=home):
            return Diagnosis("home", "ok", f"{home} can be written")
    except OSError as error:
        cure = "make it writable, or name another folder with RARR_HOME"
        return Diagnosis("home", "broken", f"{home} cannot be written ({error.strerror})", cure)


def _extra(extra: str, settings: Settings) -> Diagnosis:
    versions = {package: installed(package) for package in EXTRAS[extra]}
    lacking = [package for package, package_version in versions.items() if package_version is None]
    if not lacking:
        detail = ", ".join(f"{package} {package_version}" for package, package_version in versions.items())
        return Diagnosis(f"extra {extra}", "ok", detail)
    needed = _needs(extra, settings)
    detail = f"not installed: {', '.join(lacking)}" + (f"; {needed} needs it" if needed else "")
    state: State = "broken" if needed else "missing"
    return Diagnosis(f"extra {extra}", state, detail, f'pip install "rarr[{extra}]"')


def _needs(extra: str, settings: Settings) -> str:
    """Names the setting that needs the extra; "" if no setting does."""
    if extra == "torch" and _is_loaded(settings.reranker):
        return f"reranker {settings.reranker}"
    if extra == "torch" and (judge := _nli_judge(settings)):
        return f"model {judge}"
    if extra == "encoder" and settings.reranker == "embedded":
        return "reranker embedded"
    if extra == "otel" and settings.otel:
        return "the setting otel"
    if extra == "graph" and settings.graph is not None and settings.graph.suffix.lower() in (".ttl", ".nt"):
        return f"graph {settings.graph}"
    return ""


def _nli_judge(settings: Settings) -> str:
    """Names the judge that is an NLI model; "" if there is none."""
    from rarr.backends.judge_name_parsing import NLI

    judge = str(settings.models.get("attribute", ""))
    return judge if judge.startswith(NLI) else ""


def _is_loaded(reranker: str) -> bool:
    """True if the reranker is a model that torch loads in this process."""
    from rarr.agent.wiring.search_and_reranking import SERVED
    from rarr.tools.models.hub import can_be_model

    return not reranker.startswith(SERVED) and can_be_model(reranker)


class _NoSearch:
    offline = True

    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        return []


def _models(settings: Settings) -> Iterator[Diagnosis]:
    """Checks each language model in use, at no cost; or reports that there is none."""
    from rarr.agent.wiring.components import wire
    from rarr.tools.concurrency import run

    try:  # without the parts that take long to open and are examined separately
        reranker = "overlap" if _is_loaded(settings.reranker) else settings.reranker
        components = wire(settings.model_copy(update={"search": _NoSearch(), "reranker": reranker}))
    except RarrError as error:
        yield Diagnosis("model", "broken", str(error))
        return
    if judge := _nli_judge(settings):
        yield Diagnosis(f"model {judge}", "ok", "it loads")
    elif not components.models:
        yield Diagnosis("model", "ok", "embedded")
    for model in {chat.name: chat for used in components.models for chat in used.models}.values():
        yield run(_reached(model))


def examine_model(name: str, settings: Settings) -> Diagnosis:
    """Checks that one language model can be reached, lists its name and takes the key. This costs nothing.

    Raises `InputError` or `SetupError` for a wrong call.
    """
    from rarr.agent.wiring.language_models import LanguageModels
    from rarr.tools.concurrency import run
    from rarr.tools.models.chat import MODEL_NAMES

    if name == "embedded" or name.startswith("scripted:"):
        raise InputError(f"model {name!r} has no server to ask: give {MODEL_NAMES}, or another provider")
    alone = settings.model_copy(update={"model": name, "models": {}, "fallbacks": [], "endpoints": {}})
    alone = alone.model_copy(update={"endpoints": {n: e for n, e in settings.endpoints.items() if n == name}})
    return run(_reached(LanguageModels(alone, [name])[name].models[0]))


async def _reached(model: "BudgetedChat") -> Diagnosis:
    from rarr.tools.models.retrying_metered_chat import cure_of

    try:
        return Diagnosis(f"model {model.name}", "ok", await model.probe())
    except CallFailure as failure:
        cure = cure_of(failure) or "start its server, or correct base_url, the key or the name"
        return Diagnosis(f"model {model.name}", "broken", str(failure), cure)
    finally:
        await model.aclose()


def _searching(settings: Settings) -> Iterator[Diagnosis]:
    from rarr.agent.wiring.search_and_reranking import search_names
    from rarr.cli.doctor.web_sources_and_cache import cache, served, sources

    if (settings.search is None and settings.graph is None) or "corpus" in search_names(settings):
        yield _corpus(settings)
    yield from sources(settings)
    yield from served(settings)
    yield cache(settings)


def _corpus(settings: Settings) -> Diagnosis:
    if settings.corpus is None:
        cure = "give --corpus PATH, or set it in rarr.toml"
        if settings.search is None:
            return Diagnosis("corpus", "missing", "none is configured, so that Wikipedia is searched", cure)
        return Diagnosis("corpus", "broken", "none is configured", cure)
    try:
        passages, skipped = _opened(settings.corpus.expanduser(), settings)
    except InputError as error:
        return Diagnosis("corpus", "broken", str(error))
    left_out = f", files skipped: {skipped}" if skipped else ""
    return Diagnosis("corpus", "ok", f"{settings.corpus} opens; passages: {passages}{left_out}")


def _opened(corpus: Path, settings: Settings) -> tuple[int, int]:
    """Counts the passages and the skipped files. A folder is indexed anew, in a temporary folder."""
    from rarr.retrievers.corpus.index_building import build_index
    from rarr.retrievers.corpus.index_reader import IndexReader, is_index

    if is_index(corpus):
        reader = IndexReader(corpus, settings.window, settings.step)
        try:
            reader.require_finished()
            return reader.snapshot().searcher.num_docs, len(reader.skipped())
        finally:
            reader.close()
    with tempfile.TemporaryDirectory() as folder:
        report = build_index(
            corpus,
            Path(folder, "index"),
            window=settings.window,
            step=settings.step,
            max_file_mb=settings.max_file_mb,
        )
    return report.passages, len(report.skipped)
