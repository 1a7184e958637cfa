"""What a language model has read in a source is on disk: no later text, run or process asks for it again."""

import os
import stat
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rarr import Reviser, Revision, Settings
from rarr.prompts import FOLDER
from rarr.testing import Asked, RuleModel, ScriptedModel, ScriptedServer
from rarr.views.terminal.revision import render

pytestmark = pytest.mark.loopback

WRONG = "The Orrel Bridge opened in 1932."
RIGHT = WRONG.replace("1932", "1936")
ANOTHER = f"{WRONG} The Orrel Bridge was designed by Ida Lunde."
# In words that the rules do not compare, so that the model reads twice.
DOCUMENT = "# Orrel Bridge\n\nTraffic first went over the Orrel Bridge in 1936. Ida Lunde designed it."
JUDGED = {"attribute": "rules"}
READINGS = {"fill_blank": 1, "write_question": 1, "read_evidence": 1}
HERE = Path(__file__).parents[2]
PROCESS = """
import sys
from rarr import revise
url, corpus, home, text = sys.argv[1:]
print(revise(text, model="vllm:one", base_url=url, corpus=corpus, home=home).text)
"""


def read(asked: Asked) -> dict[str, str]:
    if asked.prompt == "write_question":
        return {"question": "When did the bridge open?"}
    return {"answer": "Ida Lunde" if "by ____" in asked.messages[-1].content else "1936"}


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer(read, models=("one", "two"), probability=0.9) as server:
        yield server


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("RARR_BLIND")  # the default
    monkeypatch.setenv("RARR_CONTRASTS", "false")  # the script answers readings alone
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "bridge.md").write_text(DOCUMENT)
    return tmp_path / "notes"


def revised(server: ScriptedServer, corpus: Path, text: str = WRONG, **settings: Any) -> Revision:
    given = {"model": "vllm:one", "base_url": server.url, "corpus": corpus, "models": JUDGED} | settings
    with Reviser(Settings(**given)) as reviser:
        return reviser.revise(text)


def asked(server: ScriptedServer, since: int = 0) -> Counter[str]:
    return Counter(str(request.prompt) for request in server.requests[since:])


def asked_again(server: ScriptedServer, corpus: Path, **settings: Any) -> int:
    """How many requests the same text takes after it was revised with other settings."""
    revised(server, corpus)
    before = len(server.requests)
    assert revised(server, corpus, **settings).text == RIGHT
    return len(server.requests) - before


def test_second_text_with_the_same_question_asks_nothing_again(server: ScriptedServer, corpus: Path) -> None:
    first = revised(server, corpus)
    assert (first.text, first.usage.saved_calls, asked(server)) == (RIGHT, 0, READINGS)
    second = revised(server, corpus, ANOTHER)
    assert second.text == ANOTHER.replace("1932", "1936")
    assert asked(server, since=3) == {"fill_blank": 1}
    assert len({request.messages for request in server.requests}) == 4  # that of the other value is new
    assert second.usage.saved_calls == 3
    assert second.usage.by_node["check_agreement"].saved_calls == 3


def test_saved_answer_is_no_call_and_has_its_probability(server: ScriptedServer, corpus: Path) -> None:
    first, second = revised(server, corpus), revised(server, corpus)
    usage = second.usage
    assert (usage.model_calls, usage.input_tokens, usage.output_tokens, usage.cost) == (0, 0, 0, 0.0)
    assert second.checks == first.checks
    assert "3 saved calls" in render(second, terminal=False)
    assert "saved call" not in render(first, terminal=False)


def test_saved_answers_are_not_counted_against_a_limit(server: ScriptedServer, corpus: Path) -> None:
    assert asked_again(server, corpus, max_calls=0) == 0


@pytest.mark.slow
def test_other_process_asks_nothing_again(server: ScriptedServer, corpus: Path, tmp_path: Path) -> None:
    revised(server, corpus, home=tmp_path / "home")
    command = [sys.executable, "-c", PROCESS, server.url, str(corpus), str(tmp_path / "home"), WRONG]
    environment = os.environ | {"PYTHONPATH": str(HERE)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert (done.stdout.strip(), asked(server)) == (RIGHT, READINGS)


def test_offline_run_has_the_readings_too(server: ScriptedServer, corpus: Path) -> None:
    assert asked_again(server, corpus, offline=True) == 0


@pytest.mark.parametrize(
    "settings",
    [
        {"model": "vllm:two"},
        {"endpoints": {"vllm:one": {"extra": {"seed": 7}}}},
        {"readings": False},
        {"refresh": True},
        {"max_answer_tokens": 30},
    ],
    ids=["model", "extra", "off", "refresh", "limit"],
)
def test_other_requests_are_not_answered(
    server: ScriptedServer, corpus: Path, settings: dict[str, Any]
) -> None:
    assert asked_again(server, corpus, **settings) == 3


def test_refresh_saves_the_new_answers(server: ScriptedServer, corpus: Path) -> None:
    revised(server, corpus, refresh=True)
    assert asked_again(server, corpus) == 0


def test_readings_that_are_off_leave_no_file(server: ScriptedServer, corpus: Path, tmp_path: Path) -> None:
    revised(server, corpus, readings=False)
    assert not (tmp_path / "home" / "readings.sqlite").exists()


def test_other_server_is_asked(server: ScriptedServer, corpus: Path) -> None:
    revised(server, corpus)
    with ScriptedServer(read, models=("one",)) as other:
        revised(other, corpus)
    assert asked(other) == READINGS


def test_other_passage_is_asked_about(server: ScriptedServer, corpus: Path) -> None:
    revised(server, corpus)
    (corpus / "bridge.md").write_text(DOCUMENT.replace("Traffic first went", "The first traffic went"))
    revised(server, corpus)
    assert asked(server)["fill_blank"] == 2


def test_changed_prompt_is_asked(server: ScriptedServer, corpus: Path, tmp_path: Path) -> None:
    revised(server, corpus)
    prompt = (FOLDER / "fill_blank.md").read_text(encoding="utf-8")
    (tmp_path / "mine").mkdir()
    changed = prompt.replace("\n<!-- user -->", "\nBe strict.\n<!-- user -->")
    (tmp_path / "mine" / "fill_blank.md").write_text(changed, encoding="utf-8")
    revised(server, corpus, prompts=tmp_path / "mine")
    assert asked(server) == READINGS | {"fill_blank": 2}


def test_answer_of_a_fallback_is_not_that_of_the_model(server: ScriptedServer, corpus: Path) -> None:
    with ScriptedServer({}, models=("one",)) as broken:  # it answers each request with status 400
        endpoints = {"vllm:one": {"base_url": broken.url}, "vllm:two": {"base_url": server.url}}
        for _ in range(2):
            revision = revised(broken, corpus, base_url=None, fallbacks=["vllm:two"], endpoints=endpoints)
            assert revision.text == RIGHT
            assert "vllm:two answers in place of vllm:one" in str(revision.warnings)
    assert asked(server) == READINGS
    assert (asked(broken)["fill_blank"], revision.usage.saved_calls) == (2, 3)


def test_answer_that_cannot_be_read_is_not_saved(corpus: Path) -> None:
    with ScriptedServer(lambda request: "no JSON", models=("one",)) as server:
        revised(server, corpus)
        before = len(server.requests)
        assert revised(server, corpus).usage.saved_calls == 0
    assert len(server.requests) == 2 * before


def test_model_object_is_saved_only_under_a_name_of_its_own(corpus: Path) -> None:
    model = ScriptedModel(read, probability=0.9)
    for saved_as, calls in ((None, 3), (None, 6), ("mine", 9), ("mine", 9), ("other", 12)):
        if saved_as:
            model.saved_as = saved_as  # type: ignore[attr-defined]  # it need not have the name
        with Reviser(Settings(model=model, corpus=corpus, models=JUDGED)) as reviser:
            assert reviser.revise(WRONG).text == RIGHT
        assert len(model.calls) == calls


@pytest.mark.parametrize("preset", ["default", "paper"])
def test_only_readings_are_saved(
    server: ScriptedServer, corpus: Path, preset: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ScriptedServer(RuleModel(), models=("one",)) as rules:
        counts = []
        for _ in range(2):
            before = len(rules.requests)
            revised(rules, corpus, preset=preset, models=JUDGED | {"evaluate": "vllm:one"})
            counts.append(asked(rules, since=before))
    first, second = counts
    assert second == Counter({name: n for name, n in first.items() if name not in READINGS})
    assert ("check_agreement" in second) == (preset == "paper")


@pytest.mark.skipif(os.name != "posix", reason="modes of POSIX")
def test_files_are_private_and_hold_no_source(server: ScriptedServer, corpus: Path, tmp_path: Path) -> None:
    umask = os.umask(0)
    try:
        revised(server, corpus, trace=False)
    finally:
        os.umask(umask)
    files = list((tmp_path / "home").glob("readings.sqlite*"))
    assert files
    assert [stat.S_IMODE(file.stat().st_mode) & 0o077 for file in files] == [0] * len(files)
    assert not any(b"Traffic" in file.read_bytes() for file in files)


def test_unusable_data_folder_ends_no_run(
    server: ScriptedServer, corpus: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("")
    given = {"model": "vllm:one", "base_url": server.url, "corpus": corpus, "models": JUDGED, "trace": False}
    with Reviser(Settings(**given, home=tmp_path / "file" / "home")) as reviser:
        assert [reviser.revise(WRONG).text for _ in range(2)] == [RIGHT, RIGHT]
    [line] = [record.message for record in caplog.records if "readings" in record.message]
    assert "cannot be read" in line and line.endswith("or set readings to false")


def test_readings_max_mb_bounds_the_file(server: ScriptedServer, corpus: Path) -> None:
    for calls in (3, 6):  # a file of one kilobyte holds no reading
        revised(server, corpus, readings_max_mb=0.001)
        assert len(server.requests) == calls
