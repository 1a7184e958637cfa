"""Runs the commands. Results go to standard output, complaints to standard error, each on one line.

Exit status: 0 done, 1 a defect of `rarr` itself, or a sentence by which `rarr check` fails, 2 the call or its
input is wrong, 3 nothing could be checked, 4 a measure is under its limit, 130 interrupted, 143 terminated. A
command imports slow modules itself.
"""

import sys
from typing import Annotated

import typer

from rarr.cli.answer import answer
from rarr.cli.answer_benchmark import answers
from rarr.cli.batch import batch
from rarr.cli.check import check
from rarr.cli.cite import cite
from rarr.cli.doctor_command import doctor
from rarr.cli.eval import eval_
from rarr.cli.index import index
from rarr.cli.kalma_benchmark import kalma
from rarr.cli.label import label
from rarr.cli.literature_benchmarks import bench
from rarr.cli.mcp import mcp
from rarr.cli.name_benchmarks import name_sets, names
from rarr.cli.revise import revise
from rarr.cli.serve import serve
from rarr.cli.streams import complain, require_output, write
from rarr.cli.trace import trace
from rarr.cli.train import train
from rarr.cli.verify import verify
from rarr.cli.write import write as write_article
from rarr.cli.writing_benchmark import wikigen
from rarr.errors import RarrError
from rarr.tools.text.validator_messages import without_prefix

_REMOVED = {
    "calibrate": "rarr doctor --model NAME examines a model",
    "doctor names": "rarr bench names measures a search among namesakes",
    "score": "rarr bench answers scores the answers of a file",
    "train conflicts": "rarr bench conflicts measures whether a model follows its evidence",
    "train questions": "rarr bench kalma measures answers over a graph",
}
"""Commands of earlier versions, also of two words, and what replaces each."""
app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)


def call(argv: list[str] | None) -> int:
    """Runs a command and returns its exit status. Errors become one line; KeyboardInterrupt passes."""
    try:
        require_output()
        if removed := _removed(sys.argv[1:] if argv is None else argv):
            return complain(removed, 2)
        status = app(argv, prog_name="rarr", standalone_mode=False)
    except typer.TyperException as error:
        return complain(_misuse(error), 2)
    except RarrError as error:
        return complain(str(error), 2)
    except Exception as error:
        return complain(f"{_where(error)}: this is a defect of rarr, please report this line", 1)
    return complain("interrupted", 130) if status == 130 else status or 0


def _version(wanted: bool) -> None:
    if wanted:
        from rarr.cli.doctor import installed

        write(f"rarr {installed('rarr') or '(not installed)'}\n")
        raise typer.Exit


@app.callback()
def main(
    show_version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Research a text, and revise it as little as possible so that it can be attributed to evidence.

    \b
    Examples:
      rarr revise --file draft.md --corpus notes/
      rarr cite draft.md --corpus notes/
      rarr answer "Where was Marie Curie born?" --graph people.csv
      rarr write "Hoover Dam" --corpus notes/ -o article.md
      rarr check docs/ --corpus specs/
      rarr verify "The Hoover Dam is 221 metres high." --against dam.md
      rarr batch answers.jsonl -o revised.jsonl --corpus notes/
      rarr index notes/ -o notes.index
      rarr eval data.jsonl -o scores --corpus notes/
      rarr train data queries.txt -o rows.jsonl --corpus notes/ --model vllm:Qwen/Qwen3-8B
      rarr trace show last
      rarr doctor

    Exit status: 0 done; 1 a checked sentence fails; 2 the call or its input is wrong; 3 nothing could be
    checked; 4 a measure is under its limit.
    """


for command in (revise, answer, check, cite, verify, batch, index, label, serve, mcp, doctor):
    app.command()(command)
app.command("write")(write_article)
app.command("eval")(eval_)
bench.command()(kalma)
bench.command()(wikigen)
bench.command()(answers)
bench.command()(names)
bench.command("name-sets")(name_sets)
app.add_typer(bench, name="bench")
app.add_typer(train, name="train")
app.add_typer(trace, name="trace")


def _removed(argv: list[str]) -> str:
    """Writes what replaces a removed command; "" if the arguments name none."""
    for command, cure in _REMOVED.items():
        words = command.split()
        if argv[: len(words)] == words:
            return f"rarr {command} was removed: {cure}"
    return ""


def _misuse(error: typer.TyperException) -> str:
    context = getattr(error, "ctx", None)
    message = without_prefix(error.format_message())
    # A list item in Markdown, or a negative number, looks like an option.
    dash = ", and put -- before a text that starts with a dash" * message.startswith("No such option")
    return f"{message.rstrip('.')}: see {context.command_path if context else 'rarr'} --help{dash}"


def _where(error: Exception) -> str:
    trace = error.__traceback__
    while trace and trace.tb_next:
        trace = trace.tb_next
    place = f" in {trace.tb_frame.f_globals.get('__name__')}, line {trace.tb_lineno}" if trace else ""
    return f"{type(error).__name__}: {error}{place}"
