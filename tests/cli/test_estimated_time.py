"""`rarr revise --estimate` and the seconds of the language models."""

import json

import pytest
from tools.models.probed_servers import NAME, server

from cli.helpers import Command

TEXT = "The Golden Gate Bridge opened in 1935."


@pytest.mark.loopback
def test_estimate_has_seconds_once_the_server_was_measured(command: Command) -> None:
    with server(tokens_a_second=4000) as capable:
        options = ["--estimate", "--model", NAME, "--base-url", capable.url, "--search", "wikipedia"]
        before = command("revise", TEXT, *options).out.decode()
        cure = f"rarr doctor --model {NAME} --base-url {capable.url} measures it"
        assert f"; time unknown, since {NAME} was not measured: {cure}\n" in before
        assert command("doctor", "--model", NAME, "--base-url", capable.url).status == 0
        after = command("revise", TEXT, *options, "--json").out
        asked = len(capable.requests)
        assert command("revise", TEXT, *options).out.decode().endswith(" s of the model\n")
    assert json.loads(after)["model_seconds"] > 0
    assert json.loads(after)["unmeasured"] == []
    assert len(capable.requests) == asked


def test_estimate_without_a_language_model_has_no_seconds_of_it(command: Command) -> None:
    shown = command("revise", TEXT, "--estimate", "--search", "wikipedia").out.decode()
    assert "of the model" not in shown
    assert "unknown" not in shown
