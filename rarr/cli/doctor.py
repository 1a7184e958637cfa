"""`rarr doctor`: shows what is configured, reachable, missing or broken, and the cure; examines a model."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import click

from rarr.cli import options
from rarr.cli.streams import complain, write
from rarr.errors import InputError, ModelError, RarrError

if TYPE_CHECKING:
    from rarr.retrievers.web.service_requests import Probe
    from rarr.settings import Settings
    from rarr.tools.models.retrying_metered_chat import BudgetedChat

LIMIT_S = 3.0
"""Seconds until a source counts as not answering."""


class Diagnosis(NamedTuple):
    """The result for one thing that was examined. `missing`: it is optional; `broken`: it prevents work.

    `detail` may be an error's message, which includes the cure.
    """

    name: str
    state: Literal["ok", "missing", "broken"]
    detail: str
    cure: str = ""

    def line(self) -> str:
        """Writes the result on one line, with its cure."""
        cure = f"; cure: {self.cure}" if self.cure else ""
        return " ".join(f"{self.state:<7}  {self.name}: {self.detail}{cure}".splitlines()) + "\n"


@click.command()
@options.settings(*options.SOURCES, "model", "base_url")
@options.JSON
def doctor(chosen: dict[str, Any], as_json: bool) -> int:
    """Show what is missing or broken; examine a model.

    Examines the installation, the settings, the models, the corpus, the graph, the sources on the web and
    their cache, unless --offline. Exit status 2 if something is broken.

    --model lets the model read 24 sentences beside short passages, in two requests, and says what it is fit
    for. Exit status 3 if it cannot be asked.

    \b
    Examples:
      rarr doctor --corpus notes/ --offline
      rarr doctor --model vllm:Qwen/Qwen3-8B --base-url http://localhost:8000/v1
    """
    from rarr.views.shown_text import as_json as json_of, visible

    if "model" in chosen:
        return _examined(chosen.pop("model"), chosen, as_json=as_json)
    found = list(examine(chosen))
    shown = visible("".join(each.line() for each in found))
    write(json_of([each._asdict() for each in found]) if as_json else shown)
    return 2 if any(each.state == "broken" for each in found) else 0


def _examined(name: str, chosen: dict[str, Any], *, as_json: bool) -> int:
    from rarr.agent.exam import examined
    from rarr.settings import Settings
    from rarr.views.shown_text import as_json as json_of, visible

    if others := [each for each in ("corpus", "graph", "search", "offline") if each in chosen]:
        raise InputError(f"--model asks the model alone: leave out --{' and --'.join(others)}")
    if name == "embedded" or name.startswith("scripted:"):
        raise InputError(f"model {name!r} has no server to ask: give {options.MODEL_NAMES}, or another")
    try:
        exam = examined(name, Settings(**chosen))
    except ModelError as error:
        return complain(f"{name} could not be examined: {error}", 3)
    lines = visible("".join(f"{line}\n" for line in exam.lines(name)))
    write(json_of({**exam._asdict(), "fit_for": exam.fit_for}) if as_json else lines)
    return 0


def examine(chosen: Mapping[str, Any]) -> Iterator[Diagnosis]:
    """Examines the installation, the settings, the models, the sources and the cache, at no cost."""
    import platform
    import tempfile

    from rarr.settings import Settings, installed_version
    from rarr.tools.models.failures import redacted
    from rarr.tools.storage.files import private_folder

    yield Diagnosis("python", "ok", platform.python_version())
    yield Diagnosis("rarr", "ok", installed_version())
    try:
        settings = Settings(**chosen)
    except RarrError as error:
        yield Diagnosis("settings", "broken", str(error))
        return
    for name, field in Settings.model_fields.items():
        value = getattr(settings, name)
        if value != field.get_default(call_default_factory=True):
            shown = ", ".join(value) if name == "endpoints" else redacted(str(value))  # they may hold keys
            origin = "this call" if name in chosen else "a file, a variable or the preset"
            yield Diagnosis(f"setting {name}", "ok", f"{shown}, from {origin}")
    home = settings.home.expanduser()
    try:
        private_folder(home)
        with tempfile.TemporaryFile(dir=home):
            yield Diagnosis("home", "ok", f"{home} can be written")
    except OSError as error:
        cure = "make it writable, or name another folder with RARR_HOME"
        yield Diagnosis("home", "broken", f"{home} cannot be written ({error.strerror})", cure)
    yield from _extras()
    yield from _models(settings)
    yield from _sources(settings)


def _extras() -> Iterator[Diagnosis]:
    """Yields the optional extras that the package declares, with the packages that are not installed."""
    import re
    from importlib.metadata import PackageNotFoundError, requires, version

    extras: dict[str, dict[str, str]] = {}
    for requirement in requires("rarr") or ():
        if match := re.match(r"""([\w.-]+).*;.*\bextra\s*==\s*["'](?!dev|docs)(\w+)""", requirement):
            packages = extras.setdefault(match[2], {})
            try:
                packages[match[1]] = version(match[1])
            except PackageNotFoundError:
                packages[match[1]] = ""
    for extra, packages in extras.items():
        if lacking := [name for name, found in packages.items() if not found]:
            cure = f'pip install "rarr[{extra}]"'
            yield Diagnosis(f"extra {extra}", "missing", f"not installed: {', '.join(lacking)}", cure)
        else:
            yield Diagnosis(f"extra {extra}", "ok", ", ".join(map(" ".join, packages.items())))


def _models(settings: "Settings") -> Iterator[Diagnosis]:
    """Checks each language model in use, at no cost; or reports that there is none."""
    from rarr.agent.wiring.components import wire
    from rarr.testing import InMemoryRetriever
    from rarr.tools.concurrency import run

    # The sources are examined separately, and a reranker of torch takes long to open.
    changed = {"search": InMemoryRetriever([]), "reranker": "overlap"}
    try:
        components = wire(settings.model_copy(update=changed))
    except RarrError as error:
        yield Diagnosis("model", "broken", str(error))
        return
    models = {chat.name: chat for used in components.models for chat in used.models}
    if not models:
        yield Diagnosis("model", "ok", "no language model is asked")
    for model in models.values():
        yield run(_model_reached(model))


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
    """Opens each source. Those on the web are asked at once, unless the settings are offline."""
    import asyncio
    import tempfile

    from rarr.agent.wiring.sources import (
        SERVED,
        Resources,
        retriever,
        search_names,
        served_reranker,
        web_source,
    )
    from rarr.tools.concurrency import run

    probes = dict[str, "Probe"]()
    if not settings.names_source:
        cure = "give --corpus PATH, or set it in rarr.toml"
        yield Diagnosis("corpus", "missing", "none is configured, so that Wikipedia is searched", cure)
    for name in search_names(settings):
        shown = f"search {name}" if isinstance(name, str) else "search"
        with tempfile.TemporaryDirectory() as home:  # for the cache
            there = settings.model_copy(update={"search": name, "home": Path(home)})
            opened = Resources(there)
            try:
                retriever(there, opened)
                named = isinstance(name, str) and name != "corpus"
                source = web_source(name, there, opened) if named else None
                probe = source.probe() if source else None
            except RarrError as error:
                yield Diagnosis(shown, "broken", str(error))
                continue
            finally:
                run(opened.aclose())
        if probe is None:
            yield Diagnosis(shown, "ok", f"{settings.corpus} opens" if name == "corpus" else "it opens")
        else:
            probes[shown] = probe
    if settings.reranker.startswith(SERVED):
        probes[f"reranker {settings.reranker}"] = served_reranker(settings, Resources(settings)).probe()
    if settings.offline:
        yield from (Diagnosis(name, "ok", "not asked, offline") for name in probes)
        return

    async def ask_all() -> list[Diagnosis]:
        optional = not settings.names_source
        return await asyncio.gather(*(reached(*each, optional=optional) for each in probes.items()))

    yield from run(ask_all())


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
