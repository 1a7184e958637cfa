"""The command `python -m rarr.testing`, which serves `RuleModel` until the user interrupts it."""

import argparse
import threading
from contextlib import suppress

from rarr.testing.card_answers import RuleModel
from rarr.testing.server import ScriptedServer


def main() -> None:
    """Serves on the port of the command line until the user interrupts. Prints the address."""
    about = "A stand-in for a language model: the embedded reader."
    parser = argparse.ArgumentParser("python -m rarr.testing", description=about)
    parser.add_argument("--port", type=int, default=8000, help="0: any free port (default: 8000)")
    port = parser.parse_args().port
    try:
        with ScriptedServer(RuleModel(), models=["rules"], port=port) as server, suppress(KeyboardInterrupt):
            example = f"rarr revise --file draft.md --corpus notes --model vllm:rules --base-url {server.url}"
            print(f"Serving at {server.url} until interrupted: {example}", flush=True)  # noqa: T201  # a command
            threading.Event().wait()
    except OSError as error:
        parser.error(f"port {port} cannot be used ({error}): give another port, or 0 for any free port")


if __name__ == "__main__":
    main()
