"""The Containerfile and the compose example: no container engine runs here, so what they say is checked."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from serve.serving import ALICE
from test_document_blocks import unknown

from rarr import Settings
from rarr.cli import run

ROOT = Path(__file__).parents[1]
COMPOSE = ROOT / "examples" / "compose"
STEPS = re.findall(r"^([A-Z]+) (.+)$", (ROOT / "Containerfile").read_text(encoding="utf-8"), re.MULTILINE)
LAST = dict(STEPS)
WHOLE: dict[str, Any] = yaml.safe_load((COMPOSE / "compose.yaml").read_text(encoding="utf-8"))
RARR = WHOLE["services"]["rarr"]


def test_image_copies_what_is_there_and_not_ignored_and_is_not_of_root() -> None:
    copied = {
        path for name, rest in STEPS if name == "COPY" and "--from" not in rest for path in rest.split()[:-1]
    }
    assert [path for path in copied if not (ROOT / path).exists()] == []
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert {line.removeprefix("!") for line in ignored if line.startswith("!")} == copied
    assert LAST["USER"].isdigit() and LAST["USER"] != "0"
    assert all(re.search(r":3\.\d+-", rest) for name, rest in STEPS if name == "FROM")


def test_command_of_the_image_needs_a_token(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rarr.serve.server.log_to_stderr", lambda: None)  # or other tests log, too
    assert run(json.loads(LAST["CMD"])) == 2
    assert "set RARR_SERVE_TOKEN" in capfd.readouterr().err


@pytest.mark.loopback
@pytest.mark.slow
def test_command_of_the_image_passes_its_health_check(tmp_path: Path) -> None:
    command = [*json.loads(LAST["ENTRYPOINT"]), *json.loads(LAST["CMD"]), "--port", "0", "--workers", "1"]
    known: dict[str, Any] = {"stderr": subprocess.PIPE, "text": True}
    known["env"] = {**os.environ, "RARR_HOME": str(tmp_path), "RARR_SERVE_TOKEN": ALICE}
    with subprocess.Popen([sys.executable, "-m", *command], **known) as server:
        assert server.stderr
        try:
            port = re.findall(r":(\d+)/v1$", server.stderr.readline().strip())[0]
            _, code, check = json.loads(LAST["HEALTHCHECK"].partition("CMD ")[2])
            subprocess.run([sys.executable, code, check.replace("8100", port)], check=True)
        finally:
            server.kill()


def test_compose_runs_a_call_that_exists_on_what_is_there() -> None:
    assert not unknown([str(word) for word in RARR["command"]])
    named = {variable.removeprefix("RARR_").lower() for variable in RARR["environment"]}
    assert named <= {*Settings.model_fields}
    dockerfile = COMPOSE / RARR["build"]["context"] / RARR["build"]["dockerfile"]
    assert dockerfile.resolve() == ROOT / "Containerfile"
    assert {*RARR["depends_on"]} <= {*WHOLE["services"]}
    for volume in (it for service in WHOLE["services"].values() for it in service["volumes"]):
        source = re.sub(r"\$\{\w+:-(.+?)\}", r"\1", volume).partition(":")[0]
        assert (COMPOSE / source).exists() if source.startswith(".") else source in WHOLE["volumes"]


def test_compose_holds_no_secret_and_lets_nobody_else_in() -> None:
    for service in WHOLE["services"].values():
        for name, value in service.get("environment", {}).items():
            assert not re.search("TOKEN|SECRET|KEY", name) or value.startswith(f"${{{name}:?")
        assert all(port.startswith("127.0.0.1:") for port in service.get("ports", ()))
    assert RARR["read_only"] is True
