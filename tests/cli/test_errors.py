"""Whatever goes wrong is one line on standard error, and an exit status."""

from pathlib import Path

import pytest

from cli.helpers import Command, FakeReviser, is_complaint
from rarr.errors import InputError, SetupError
from rarr.records import Revision


@pytest.mark.parametrize(
    ("argv", "stdin", "message"),
    [
        ([], b"", "rarr --help"),
        (["nope"], b"", "No such command 'nope'"),
        (["calibrate", "vllm:a"], b"", "rarr calibrate was removed: rarr doctor --model NAME examines"),
        (["revise", "a", "b"], b"", "rarr revise --help"),
        (["revise", "--nope"], b"", "put -- before a text"),
        (["revise", "- One."], b"", "put -- before a text"),
        (["revise", "--model"], b"", "requires an argument"),
        (["revise", "One.", "--json", "--diff"], b"", "--json and --diff exclude each other"),
        (["revise", "One.", "--file", "draft.md"], b"", "TEXT and --file exclude each other"),
        (["revise", "-", "--file", "draft.md"], b"", "TEXT and --file exclude each other"),
        (["revise", ""], b"", "TEXT is empty"),
        (["revise", " \n"], b"", "TEXT is empty"),
        (["revise", "-"], b"\r\n", "standard input is empty"),
        (["revise", "-"], b"ab\xffc", "byte 0xff at offset 2"),
        (["revise", "a\udce9"], b"", "TEXT is not UTF-8 (byte 0xe9 at offset 1)"),
        (["revise", "a", "--context", "\udce9"], b"", "--context is not UTF-8 (byte 0xe9 at offset 0)"),
        (["revise", "--file", "latin.txt"], b"", "latin.txt is not UTF-8 (byte 0xe9 at offset 3)"),
        (["revise", "--file", "wide.txt"], b"", "convert it, as with iconv -f UTF-16 -t UTF-8"),
        (["revise", "--file", "halves.txt"], b"", "iconv -c -f UTF-8 -t UTF-8, which leaves out halves"),
        (["revise", "wide.txt"], b"", "give --file wide.txt"),
        (["revise", "nowhere.md"], b"", "give --file nowhere.md"),
        (["revise", "."], b"", "TEXT is the name of a folder"),
        (["revise", "--file", "page.pdf"], b"", "it is no text, so save it as text first"),
        (["revise", "--file", "nowhere"], b"", "nowhere cannot be read (No such file"),
        (["revise", "--file", "."], b"", "Is a directory"),
        (["revise", "One.", "--preset", "slow"], b"", "preset"),
        (["revise", "One.", "--max-calls", "many"], b"", "'--max-calls'"),
        (["revise", "One.", "--deadline", "soon"], b"", "'--deadline'"),
        (["revise", "One.", "--accept", "all"], b"", "for '--accept': 'all' is not one of 'suggested': see"),
        (["index"], b"", "Missing argument 'PATH'"),
        (["index", "notes"], b"", "Missing option"),
        (["index", "nowhere", "-o", "out"], b"", "nowhere"),
        (["doctor", "--nope"], b"", "rarr doctor --help"),
    ],
)
def test_wrong_call_is_one_line_and_exit_status_2(
    command: Command, fake: type[FakeReviser], argv: list[str], stdin: bytes, message: str
) -> None:
    Path("latin.txt").write_bytes("Caf\xe9.".encode("latin-1"))
    Path("wide.txt").write_bytes("Caf\xe9.".encode("utf-16"))
    Path("page.pdf").write_bytes(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
    Path("halves.txt").write_bytes(b"Caf\xed\xa0\x80.")
    done = command(*argv, stdin=stdin)
    assert (done.status, done.out, fake.calls) == (2, b"", [])
    assert is_complaint(done.err)
    assert message in done.err


def test_terminal_without_a_text_is_not_waited_for(command: Command) -> None:
    done = command("revise", terminal=True)
    assert (done.status, is_complaint(done.err), "--file" in done.err) == (2, True, True)


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (InputError("wrong\ncall"), 2),
        (SetupError("no key"), 2),
        (KeyError("q1"), 1),
        (KeyboardInterrupt(), 130),
    ],
    ids=lambda case: type(case).__name__,
)
def test_every_error_is_one_line(
    command: Command, fake: type[FakeReviser], error: BaseException, status: int
) -> None:
    def fails(text: str) -> Revision:
        raise error

    fake.answer = staticmethod(fails)
    done = command("revise", "One.")
    assert (done.status, done.out, is_complaint(done.err)) == (status, b"", True)
