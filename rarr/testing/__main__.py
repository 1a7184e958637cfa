"""Runs `python -m rarr.testing`: serves `RuleModel` as a language model, until interrupted."""

import argparse
import json
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

from rarr.testing.card_answers import RuleModel
from rarr.testing.server import ScriptedServer


def main() -> None:
    """Parses the command line, serves until interrupted, and prints the address."""
    about = "A stand-in for a language model: the embedded reader."
    parser = argparse.ArgumentParser("python -m rarr.testing", description=about)
    parser.add_argument("--port", type=int, default=8000, help="0: any free port (default: 8000)")
    parser.add_argument("--latency", type=float, default=0.0, metavar="S", help="seconds before each answer")
    parser.add_argument("--log", type=Path, metavar="FILE", help="append each request as a line of JSON")
    options = parser.parse_args()

    def note(line: dict[str, Any]) -> None:
        if options.log is not None:
            with options.log.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line, ensure_ascii=False) + "\n")

    server = ScriptedServer(
        RuleModel(), models=["rules"], port=options.port, latency=options.latency, on_request=note
    )
    try:
        with server, suppress(KeyboardInterrupt):
            example = f"rarr revise --file draft.md --corpus notes --model vllm:rules --base-url {server.url}"
            print(f"Serving at {server.url} until interrupted: {example}", flush=True)  # noqa: T201  # a command
            threading.Event().wait()
    except OSError as error:
        parser.error(
            f"port {options.port} cannot be used ({error}): give another port, or 0 for any free port"
        )


if __name__ == "__main__":
    main()
