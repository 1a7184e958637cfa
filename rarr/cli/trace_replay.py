"""`rarr trace replay`: runs a recorded run again, or one node of it with another prompt or model."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rarr.cli import graph_options, options
from rarr.cli.streams import complain, warn, write
from rarr.errors import InputError
from rarr.tools.text.plurals_and_articles import counted

if TYPE_CHECKING:
    from rarr.traces.trace_reader import Trace


def replay(
    run: options.ReplayedRun = None,
    node: options.ReplayedNode = None,
    prompt: options.PromptFile = None,
    model: options.Model = None,
    base_url: options.BaseUrl = None,
    corpus: options.Corpus = None,
    graph: graph_options.Graph = None,
    search: options.Search = None,
    downstream: options.Downstream = False,
    runs: options.RunSet = None,
    full: options.Full = False,
    as_json: options.Json = False,
) -> int:
    """Run a recorded run again, or one node of it with another prompt or model.

    RUN is a run of this machine (its name in rarr trace list, the first characters of the name, or last), or
    a file of rarr trace export. Models and searches answer from the trace. Questions that the trace cannot
    answer, above all those of a changed prompt, are asked for real. Without --node nothing is asked: the
    revision must come out unchanged. With --set, all traces (NAME.json) of DIR are replayed with
    --downstream, and the changes are counted: as better or worse if NAME.revised.txt has a person's revision.
    Addresses, keys and documents are those of the current settings, and never those of the trace. Exit
    status: 0 done; 2 the call is wrong; 3 a question failed, or no run of the set could be replayed; 4
    without --node: the revision differs.

    \b
    Examples:
      rarr trace replay last
      rarr trace replay last --node check_agreement --prompt mine.md
      rarr trace replay last --node edit --model vllm:Qwen/Qwen3-8B --downstream
      rarr trace replay --set traces/ --node check_agreement --prompt mine.md
    """
    from rarr.agent.replay.replay import replay as replay_run
    from rarr.views.terminal.replay import render

    sources = options.given(corpus=corpus, graph=graph, search=search)
    given = options.given(prompt=prompt, model=model, base_url=base_url) | sources
    if runs is not None:
        if run is not None or node is None:
            raise InputError("--set DIR replaces RUN, and needs --node")
        return _all(runs, node, given, as_json=as_json)
    if run is None:
        raise InputError("RUN is missing: rarr trace list shows the names, and last is the newest run")
    outcome = replay_run(trace_of(run), node, downstream=downstream, **given)
    write(render(outcome, full=full, as_json=as_json))
    if outcome.failed:
        failures = f"{len(outcome.failed)} of {counted(outcome.asked, 'question')} failed"
        return complain(f"{failures}, so that the result cannot be used: {outcome.failed[0]}", 3)
    return 0 if node is not None or outcome.same else complain("the revision differs", 4)


def trace_of(run: str) -> "Trace":
    """Loads a trace from a file, or from the data folder by its name, the beginning of its name, or last."""
    from rarr.traces.trace_reader import Trace

    return Trace.read(run) if run.endswith(".json") or Path(run).is_file() else Trace.load(run)


def _all(folder: Path, node: str, given: dict[str, Any], *, as_json: bool) -> int:
    from rarr.agent.replay.replay_sets import replay_set
    from rarr.views.terminal.progress_line import Waiting
    from rarr.views.terminal.replay import render_set

    with Waiting(watched=sys.stderr.isatty()) as waiting:
        report = replay_set(folder, node, on_run=waiting.rows, **given)
    for name, why in report.failed.items():
        warn(f"{name} was not replayed: {why}")
    write(render_set(report, as_json=as_json))
    return 0 if report.runs else complain("no run could be replayed", 3)
