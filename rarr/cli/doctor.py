"""`rarr doctor`: shows what is missing or broken, with advice for each fault; or examines one model."""

from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import click

from rarr.cli import options
from rarr.cli.streams import write_result
from rarr.errors import RarrError

if TYPE_CHECKING:
    from rarr.settings import Settings

SOURCE_LIMIT_S = 10.0  # after this time, a source without an answer is broken
TEST_QUESTION = "When was the Hoover Dam built?"


class Diagnosis(NamedTuple):
    """The state of one examined part. "missing": the part is optional, and absent. "broken": it fails."""

    name: str
    state: Literal["ok", "missing", "broken"]
    detail: str
    cure: str = ""


@click.command()
@options.setting_options(*options.SOURCE_SETTINGS, "model", "base_url")
@options.JSON
def doctor(settings: "Settings") -> int:
    """Show what is missing or broken; examine a model.

    Examines the installation and the settings. Asks the server of a model whether it has the model, and each
    source a question; with --offline, no web source is asked. Exit status 2: something is broken.

    With --model and no source, only the model is examined: it reads 24 sentences beside short passages, in
    two requests. Prints the faults and the fitness of the model. Exit status 3: the model is unfit.

    \b
    Examples:
      rarr doctor --corpus notes/ --offline
      rarr doctor --model vllm:Qwen/Qwen3-8B --base-url http://localhost:8000/v1
    """
    from rarr.agent.exam import examine_named_model
    from rarr.views.shown_text import visible_text

    given = options.given_options(**click.get_current_context().params)
    if (name := given.get("model", "embedded")) != "embedded" and not given.keys() & options.SOURCE_SETTINGS:
        exam = examine_named_model(name, settings)
        text = visible_text("".join(f"{line}\n" for line in exam.result_lines(name)))
        write_result({**exam._asdict(), "faults": exam.faults, "fit_for": exam.fit_for}, lambda: text)
        return 3 if exam.fit_for == "nothing" else 0
    found = list(diagnoses(settings))
    lines = (f"{it.state:<7}  {it.name}: {it.detail}{'; cure: ' * bool(it.cure)}{it.cure}" for it in found)
    text = visible_text("".join(f"{' '.join(line.splitlines())}\n" for line in lines))
    write_result([each._asdict() for each in found], lambda: text)
    return 2 * any(each.state == "broken" for each in found)


def diagnoses(settings: "Settings") -> Iterator[Diagnosis]:
    """Yields diagnoses of the installation, the settings that were changed, the models and the sources."""
    import platform
    import tempfile

    from rarr.settings import VERSION
    from rarr.tools.models.failures import redact_secrets
    from rarr.tools.storage.files import make_private_folder

    yield Diagnosis("rarr", "ok", f"{VERSION}, on Python {platform.python_version()}")
    for name, field in type(settings).model_fields.items():
        value = getattr(settings, name)
        if value != field.get_default(call_default_factory=True):
            shown = ", ".join(value) if name == "endpoints" else redact_secrets(str(value))  # may hold keys
            yield Diagnosis(f"setting {name}", "ok", shown)
    home = settings.home.expanduser()
    try:
        make_private_folder(home)
        with tempfile.TemporaryFile(dir=home):
            yield Diagnosis("home", "ok", f"{home} can be written")
    except OSError as error:
        cure = "make it writable, or name another folder with RARR_HOME"
        yield Diagnosis("home", "broken", f"{home} cannot be written ({error.strerror})", cure)
    yield from _diagnose_extras()
    yield from _diagnose_models(settings)
    yield from _diagnose_sources(settings)


def _diagnose_extras() -> Iterator[Diagnosis]:
    import re
    from importlib.metadata import distributions, requires

    lacking = defaultdict[str, list[str]](list)
    for requirement in requires("rarr") or ():
        if match := re.match(r"""([\w.-]+).*;.*\bextra\s*==\s*["'](?!dev|docs)(\w+)""", requirement):
            lacking[match[2]] += [match[1]] if not any(distributions(name=match[1])) else []
    for extra, packages in lacking.items():
        told, cure = f"not installed: {', '.join(packages)}", f'pip install "rarr[{extra}]"'
        missing = Diagnosis(f"extra {extra}", "missing", told, cure)
        yield missing if packages else Diagnosis(f"extra {extra}", "ok", "installed")


def _diagnose_models(settings: "Settings") -> Iterator[Diagnosis]:
    from rarr.agent.wiring.components import wire
    from rarr.testing import InMemoryRetriever
    from rarr.tools.concurrency import run
    from rarr.tools.models.chat import CallFailure
    from rarr.tools.models.retries import cure_of

    # Another function examines the sources. A reranker with torch would take long to open.
    changed: dict[str, Any] = {"search": InMemoryRetriever([]), "reranker": "overlap"}
    try:
        components = wire(settings.model_copy(update=changed))
    except RarrError as error:
        yield Diagnosis("model", "broken", str(error))
        return
    models = {chat.name: chat for used in components.models for chat in used.models}
    if not models:
        yield Diagnosis("model", "ok", "embedded, which needs no exam: no language model is asked")
    for model in models.values():
        try:
            yield Diagnosis(f"model {model.name}", "ok", run(model.probe()))
        except CallFailure as failure:
            cure = cure_of(failure) or "start its server, or correct base_url, the key or the name"
            yield Diagnosis(f"model {model.name}", "broken", str(failure), cure)
        finally:
            run(model.aclose())


def _diagnose_sources(settings: "Settings") -> Iterator[Diagnosis]:
    from rarr.agent.wiring.sources import WEB_SOURCES, Resources, make_retriever, sources_to_search
    from rarr.tools.concurrency import by_deadline, run

    bad: Literal["missing", "broken"] = "broken" if settings.names_source else "missing"  # it is optional
    if not settings.names_source:
        cure = "give --corpus PATH, or set it in rarr.toml"
        yield Diagnosis("corpus", "missing", "none is configured, so that Wikipedia is searched", cure)
    for source in sources_to_search(settings):
        name = f"search {source}" if isinstance(source, str) else "search"
        there = settings.model_copy(update={"search": source, "refresh": not settings.offline})
        opened = Resources(there)
        try:
            made = make_retriever(there, opened)
            if settings.offline and name.removeprefix("search ") in WEB_SOURCES:
                yield Diagnosis(name, "ok", "is set up; its address and key were not tried offline")
            elif run(by_deadline(made.retrieve(TEST_QUESTION, 1), SOURCE_LIMIT_S)) is not None:
                yield Diagnosis(name, "ok", "it answers")
            else:
                told = f"no answer within {SOURCE_LIMIT_S:g} s"
                yield Diagnosis(name, bad, told, "check its address and the connection")
        except RarrError as error:
            yield Diagnosis(name, bad, str(error))
        finally:
            run(opened.aclose())
