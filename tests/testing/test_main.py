"""`python -m rarr.testing` in a process of its own."""

import re
import signal
import subprocess
import sys

import httpx2
import pytest

from rarr import prompts

COMMAND = [sys.executable, "-m", "rarr.testing", "--port"]


@pytest.mark.slow
@pytest.mark.loopback
def test_command_serves_until_interrupted(client: httpx2.Client) -> None:
    prompt = prompts.load("check_agreement")
    asked = {"sources": "P1: Library\n(P1.1) The Ferry Library opened in 1976.", "context": "", "before": ""}
    user = prompt.render(text="[S1] The Ferry Library opened in 1967.", **asked)
    contents = {"system": prompt.system, "user": user}
    with subprocess.Popen([*COMMAND, "0"], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout
        line = child.stdout.readline()
        url = re.search(r"http://[\d.:]+/v1", line)
        assert url
        form = {"type": "json_schema", "json_schema": {"name": "check_agreement"}}
        messages = [{"role": role, "content": words} for role, words in contents.items()]
        body = {"model": "rules", "messages": messages, "response_format": form}
        response = client.post(f"{url[0]}/chat/completions", json=body)
        child.send_signal(signal.SIGINT)
    assert f"--model vllm:rules --base-url {url[0]}" in line
    assert "1976" in response.json()["choices"][0]["message"]["content"]
    assert child.returncode == 0
