"""Messages in the words of the command line."""

import pytest
from views.test_notebook import edit, revision

from cli.helpers import Command, FakeReviser, is_complaint
from rarr.cli.wording import for_command
from rarr.records import Notice, Revision

FAILED = Notice(
    code="retrieve_failed",
    message="retrieve failed: the wiki is down: try later, or search your own documents with corpus=PATH",
    node="retrieve",
)
SAID = "retrieve_failed: the wiki is down: try later, or search your own documents with --corpus PATH"


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("give corpus=PATH (--corpus PATH), a folder", "give --corpus PATH, a folder"),
        ("with search=wikipedia or corpus=PATH", "with --search wikipedia or --corpus PATH"),
        ("give base_url=http://gpu/v1", "give --base-url http://gpu/v1"),
        ("https://a.org/?search=b answers", "https://a.org/?search=b answers"),
        ("Settings(corpus=...)", "Settings(corpus=...)"),
        ("models={} and my_corpus=a", "models={} and my_corpus=a"),
    ],
)
def test_arguments_are_options(message: str, said: str) -> None:
    assert for_command(message) == said


def failing(text: str, status: str = "supported") -> Revision:
    return revision(text, edit(0, 1, "X"), statuses=(status,)).model_copy(update={"warnings": (FAILED,)})


@pytest.mark.parametrize(("option", "stream"), [("--offline", "out"), ("--diff", "err")])
def test_warning_says_what_failed_once(
    command: Command, fake: type[FakeReviser], option: str, stream: str
) -> None:
    fake.answer = staticmethod(failing)
    done = command("revise", "One.", option)
    printed = done.out.decode() if stream == "out" else done.err
    assert (SAID in printed, "failed: retrieve" in printed) == (True, False)


def test_failure_of_everything_says_what_failed_once(command: Command, fake: type[FakeReviser]) -> None:
    fake.answer = staticmethod(lambda text: failing(text, "retrieval_failed"))
    done = command("revise", "One.")
    assert (done.status, is_complaint(done.err), f"nothing could be checked: {SAID}" in done.err) == (
        3,
        True,
        True,
    )


def test_json_says_it_as_python_does(command: Command, fake: type[FakeReviser]) -> None:
    fake.answer = staticmethod(failing)
    assert b"corpus=PATH" in command("revise", "One.", "--json").out


def test_missing_corpus_names_the_option(command: Command) -> None:
    done = command("revise", "One.", "--search", "corpus")
    assert (done.status, "give --corpus PATH, a folder" in done.err, "corpus=" in done.err) == (
        2,
        True,
        False,
    )
