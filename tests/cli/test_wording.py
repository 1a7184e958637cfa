"""Messages name settings, which the command line, Python and files have in common, and say nothing twice."""

import pytest
from views.test_notebook import edit, revision

from cli.helpers import Command, FakeReviser, is_complaint
from rarr.records import Notice, Revision

FAILED = Notice(
    code="retrieve_failed",
    message="retrieve failed: the wiki is down: try later, or set corpus to search your own documents",
    node="retrieve",
)
LINE = "retrieve_failed: the wiki is down: try later, or set corpus to search your own documents"


def failing(text: str, status: str = "supported") -> Revision:
    return revision(text, edit(0, 1, "X"), statuses=(status,)).model_copy(update={"warnings": (FAILED,)})


@pytest.mark.parametrize(("option", "stream"), [("--offline", "out"), ("--diff", "err")])
def test_warning_names_the_failure_once(
    command: Command, fake: type[FakeReviser], option: str, stream: str
) -> None:
    fake.answer = staticmethod(failing)
    done = command("revise", "One.", option)
    printed = done.out.decode() if stream == "out" else done.err
    assert (LINE in printed, "failed: retrieve" in printed) == (True, False)


def test_failure_of_everything_names_the_failure_once(command: Command, fake: type[FakeReviser]) -> None:
    fake.answer = staticmethod(lambda text: failing(text, "retrieval_failed"))
    done = command("revise", "One.")
    assert (done.status, is_complaint(done.err), f"nothing could be checked: {LINE}" in done.err) == (
        3,
        True,
        True,
    )


def test_missing_source_names_the_setting_and_the_option(command: Command) -> None:
    done = command("revise", "One.", "--search", "corpus")
    assert (done.status, "no source of evidence: set corpus (--corpus) to a folder" in done.err) == (2, True)
