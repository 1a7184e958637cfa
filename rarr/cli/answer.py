"""`rarr answer`: answers a question from a graph or from documents, every statement with its sources."""

import sys
from typing import TYPE_CHECKING, Any

from rarr.cli import graph_options, options, run_options
from rarr.cli.streams import argument_text, complain, text_of_file, warn, write
from rarr.errors import BudgetError, InputError, ModelError, RetrievalError

if TYPE_CHECKING:
    from rarr.records.answers import Answer, Unsupported


def answer(
    question: graph_options.Question,
    graph: graph_options.Graph = None,
    corpus: options.Corpus = None,
    search: options.Search = None,
    offline: options.Offline = False,
    refresh: options.Refresh = False,
    draft: graph_options.DraftFile = None,
    model: graph_options.AnsweringModel = None,
    base_url: options.BaseUrl = None,
    prompts: options.Prompts = None,
    preset: options.Preset = None,
    max_calls: options.MaxCalls = None,
    deadline: options.Deadline = None,
    style: graph_options.AnswerForm = "brackets",
    unsupported: graph_options.UnsupportedStatements = "mark",
    as_json: options.Json = False,
) -> int:
    """Answer a question, and name for every statement the triples or passages that say it.

    Without a language model, the statements are sentences of the sources. With one, each of its citations is
    checked, and statements without support are marked [NA]. With --draft, the statements of an answer that
    somebody else wrote are checked against the graph. Exit status: 0 done; 2 the call or its input is
    wrong; 3 the source could not be searched, or the model could not be asked.

    \b
    Examples:
      rarr answer "Where was Marie Curie born?" --graph people.csv
      rarr answer "How high is the Hoover Dam?" --corpus notes/ --style footnotes
      rarr answer "Who was Marie Curie?" --graph people.csv --draft answer.md
      rarr answer "Who was Marie Curie?" --graph people.ttl --model vllm:Qwen/Qwen3-8B --unsupported drop
    """
    given = run_options.of_run(locals())
    if question == draft == "-":
        raise InputError(
            "QUESTION and --draft are both -: give the question in quotes, or the draft as a file"
        )
    asked = argument_text(question, "QUESTION", "give the question in quotes, or - and the file as input")
    written = None if draft is None else text_of_file(draft)
    try:
        answered = _answered(asked, written, given, unsupported)
    except (RetrievalError, ModelError, BudgetError) as error:
        return complain(f"nothing could be answered: {error}", 3)
    from rarr.tools.text.warning_lines import grouped
    from rarr.views.terminal.revision import as_json as json_of

    write(json_of(answered) if as_json else f"{answered.render(style)}\n")
    if not as_json:  # JSON holds all of it
        for line in (*_refused(answered), *grouped(answered.warnings)):
            warn(line)
    return 0


def _answered(
    question: str, draft: str | None, chosen: dict[str, Any], unsupported: "Unsupported"
) -> "Answer":
    from rarr.agent.answering.answer import Answerer
    from rarr.settings import Settings
    from rarr.views.terminal.progress_line import Waiting

    with (
        Waiting(watched=sys.stderr.isatty()) as waiting,
        Answerer(Settings(**chosen), on_step=waiting.step, on_index=waiting.indexed) as answerer,
    ):
        return answerer.answer(question, draft=draft, unsupported=unsupported)


def _refused(answered: "Answer") -> list[str]:
    return [
        f"citation {why} (in {statement.text!r})"
        for statement in answered.statements
        for why in statement.refused
    ]
