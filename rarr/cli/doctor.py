"""`rarr doctor`: shows what is configured, reachable, missing or broken, and the cure; examines a model."""

from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import click

from rarr.cli import options
from rarr.cli.streams import write_result
from rarr.errors import InputError, RarrError

if TYPE_CHECKING:
    from rarr.retrievers.web.service_requests import Probe
    from rarr.settings import Settings
    from rarr.tools.models.retrying_metered_chat import BudgetedChat

LIMIT_S = 3.0
"""Seconds until a source counts as not answering."""


class Diagnosis(NamedTuple):
    """The result for one thing that was examined. `missing`: it is optional; `broken`: it prevents work."""

    name: str
    state: Literal["ok", "missing", "broken"]
    detail: str
    """What was found; an error's message includes the cure."""
    cure: str = ""

    def line(self) -> str:
        """Writes the result on one line, with its cure."""
        cure = f"; cure: {self.cure}" if self.cure else ""
        return " ".join(f"{self.state:<7}  {self.name}: {self.detail}{cure}".splitlines()) + "\n"


@click.command()
@options.settings(*options.SOURCES, "model", "base_url")
@options.JSON
def doctor(settings: "Settings") -> int:
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
    from rarr.views.shown_text import visible

    given = options.given(**click.get_current_context().params)
    if "model" in given:
        if others := [name for name in options.SOURCES if name in given]:
            raise InputError(f"--model asks the model alone: leave out --{' and --'.join(others)}")
        return _examine_model(given["model"], settings)
    found = list(examine(settings))
    text = visible("".join(each.line() for each in found))
    write_result([each._asdict() for each in found], lambda: text)
    return 2 if any(each.state == "broken" for each in found) else 0


def _examine_model(name: str, settings: "Settings") -> int:
    from rarr.agent.exam import examined
    from rarr.views.shown_text import visible

    if name == "embedded" or name.startswith("scripted:"):
        raise InputError(f"model {name!r} has no server to ask: give {options.MODEL_NAMES}, or another")
    exam = examined(name, settings)
    lines = visible("".join(f"{line}\n" for line in exam.lines(name)))
    write_result({**exam._asdict(), "fit_for": exam.fit_for}, lambda: lines)
    return 0


def examine(settings: "Settings") -> Iterator[Diagnosis]:
    """Examines the installation, the settings, the models, the sources and the cache, at no cost."""
    import platform
    import tempfile

    from rarr.settings import installed_version
    from rarr.tools.models.failures import redacted
    from rarr.tools.storage.files import private_folder

    yield Diagnosis("python", "ok", platform.python_version())
    yield Diagnosis("rarr", "ok", installed_version())
    for name, field in type(settings).model_fields.items():
        value = getattr(settings, name)
        if value != field.get_default(call_default_factory=True):
            shown = ", ".join(value) if name == "endpoints" else redacted(str(value))  # they may hold keys
            yield Diagnosis(f"setting {name}", "ok", shown)
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
    from importlib.metadata import distributions, requires

    lacking = defaultdict[str, list[str]](list)
    for requirement in requires("rarr") or ():
        if match := re.match(r"""([\w.-]+).*;.*\bextra\s*==\s*["'](?!dev|docs)(\w+)""", requirement):
            lacking[match[2]] += [match[1]] if not any(distributions(name=match[1])) else []
    for extra, packages in lacking.items():
        if packages:
            cure = f'pip install "rarr[{extra}]"'
            yield Diagnosis(f"extra {extra}", "missing", f"not installed: {', '.join(packages)}", cure)
        else:
            yield Diagnosis(f"extra {extra}", "ok", "installed")


def _models(settings: "Settings") -> Iterator[Diagnosis]:
    """Checks each language model in use, at no cost; or reports that there is none."""
    from rarr.agent.wiring.components import wire
    from rarr.testing import InMemoryRetriever
    from rarr.tools.concurrency import run

    # The sources are examined separately, and a reranker of torch takes long to open.
    changed: dict[str, Any] = {"search": InMemoryRetriever([]), "reranker": "overlap"}
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
    """Opens each source. Those on the web are asked, unless the settings are offline."""
    from rarr.agent.wiring.sources import (
        SERVED,
        NamedSource,
        Resources,
        retriever,
        search_names,
        served_reranker,
    )
    from rarr.tools.concurrency import run

    if not settings.names_source:
        cure = "give --corpus PATH, or set it in rarr.toml"
        yield Diagnosis("corpus", "missing", "none is configured, so that Wikipedia is searched", cure)
    probes = dict[str, "Probe"]()
    for name in search_names(settings):
        shown, opened = f"search {name}" if isinstance(name, str) else "search", Resources(settings)
        try:
            source = getattr(retriever(settings.model_copy(update={"search": name}), opened), "source", None)
            probe = source.probe() if isinstance(source, NamedSource) else None
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
    for shown, probe in probes.items():
        if settings.offline:
            yield Diagnosis(shown, "ok", "not asked, offline")
        else:
            yield run(reached(shown, probe, optional=not settings.names_source))


async def reached(name: str, probe: "Probe", *, optional: bool = False) -> Diagnosis:
    """Sends the request of `probe`, and tells whether the source answers as it should.

    `optional`: no setting names the source. Then it is missing rather than broken where it cannot be used.
    """
    import asyncio
    from urllib.parse import urlsplit

    import httpx2

    from rarr.tools.guard.bounded_http_client import bounded_client
    from rarr.tools.models.chat import CallFailure
    from rarr.tools.models.failures import redacted
    from rarr.tools.text.wording import shown

    host, status = urlsplit(probe.url).hostname, 0
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
            return Diagnosis(name, "ok", f"{host} answers")
        problem = f"answers with status {status}"
        if status in probe.good:
            problem = f"answers with something else ({shown(kind) or 'without a type'})"
    cure = probe.cures.get(status, probe.cures[0])
    return Diagnosis(name, "missing" if optional else "broken", f"{host} {problem}", cure)
