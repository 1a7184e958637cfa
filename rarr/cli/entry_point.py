"""Runs the commands. Results go to standard output; each warning or error is a line on standard error.

A command imports slow modules itself, so that `rarr --help` is quick.
"""

from traceback import extract_tb

import click

from rarr.cli.checks import check, verify
from rarr.cli.doctor import doctor
from rarr.cli.files import batch, bench, evaluate_file, index, label, train
from rarr.cli.servers import mcp, serve
from rarr.cli.streams import complain, require_standard_output
from rarr.cli.texts import answer, cite, revise, write_article
from rarr.cli.trace import trace
from rarr.errors import BudgetError, ModelError, RarrError, RetrievalError

COMMANDS = (
    *(revise, index, verify, cite, check, batch, write_article, answer, evaluate_file, label),
    *(bench, train, trace, serve, mcp, doctor),
)
DEFECT_STATUS = 70
"""The exit status for an unexpected exception, which is a defect of rarr (EX_SOFTWARE of sysexits.h)."""


def run_command(argv: list[str] | None) -> int:
    """Runs the command in `argv`, and returns its exit status. Prints an error on one line."""
    try:
        require_standard_output()
        return app.main(argv, prog_name="rarr", standalone_mode=False) or 0
    except click.ClickException as error:
        context = getattr(error, "ctx", None)
        message = " ".join(error.format_message().split()).rstrip(".")
        # A list item in Markdown, or a negative number, looks like an option.
        cure = ", and put -- before a text that starts with a dash" * message.startswith("No such option")
        is_option = message.startswith("Got unexpected") and " -" in message.replace("(", " ")
        cure += ", and put options before --" * is_option
        return complain(f"{message}: see {context.command_path if context else 'rarr'} --help{cure}", 2)
    except click.Abort:  # click raises it at an interrupt of a call with `argv`
        return complain("interrupted", 130)
    except (RetrievalError, ModelError, BudgetError) as error:
        return complain(f"nothing could be done: {error}", 3)
    except RarrError as error:
        return complain(str(error), 2)
    except Exception as error:
        last = extract_tb(error.__traceback__)[-1]
        what = f"{type(error).__name__}: {error} in {last.filename}, line {last.lineno}"
        return complain(f"{what}: this is a defect of rarr, please report this line", DEFECT_STATUS)


@click.group(no_args_is_help=False, commands=COMMANDS)
@click.version_option(package_name="rarr", message="rarr %(version)s", help="Print it.")
def app() -> None:
    """Research a text, and revise it as little as possible so that it can be attributed to evidence.

    \b
    Examples:
      rarr revise --file draft.md --corpus notes/
      rarr verify "The Hoover Dam is 221 metres high." --against dam.md
      rarr check docs/ --corpus specs/
      rarr doctor

    Each command's --help has its options; rarr.toml, [tool.rarr] of pyproject.toml, variables such as
    RARR_ROUNDS=1 and --set rounds=1 set any setting.

    \b
    Exit status:
      0  done, also when nothing needed an edit
      1  check or verify found what it looks for
      2  the call or its input is wrong
      3  nothing could be checked
      4  a measure is under its limit
    """
