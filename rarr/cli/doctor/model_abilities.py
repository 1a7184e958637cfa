"""Asks a language model what it can do, and shows its profile as a table."""

import sys
from typing import TYPE_CHECKING, Any

from rarr.settings import Settings
from rarr.tools.text.plurals_and_articles import counted

if TYPE_CHECKING:
    from rarr.agent.wiring.model_probing import KeptProfile


def asked(name: str, settings: Settings) -> "KeptProfile":
    """Asks the model, and shows the number of requests on a line of the terminal meanwhile.

    Raises `InputError` or `SetupError` for a wrong call, and `ModelError` if the model fails.
    """
    from rarr.agent.wiring.model_probing import asked_profile
    from rarr.tools.concurrency.background_loop import run
    from rarr.views.terminal.progress_line import Waiting

    with Waiting(watched=sys.stderr.isatty()) as waiting:
        requests = 0

        def on_call(call: Any) -> None:
            nonlocal requests
            requests += 1
            waiting.say(f"{counted(requests, 'request')} to {name}")

        return run(asked_profile(name, settings, on_call))


def as_table(kept: "KeptProfile") -> str:
    """Writes the profile as a table, with its cost and the file in which it is kept."""
    profile = kept.profile
    states = max(len(ability.state) for ability in profile.abilities)
    names = max(len(ability.name) for ability in profile.abilities)
    place = f" at {profile.base_url}" if profile.base_url else ""
    rows = (
        f"{ability.name:<{names}}  {ability.state:<{states}}  {' '.join(ability.detail.split())}\n"
        for ability in profile.abilities
    )
    spent = (
        f"asked: {counted(profile.requests, 'request')}, {counted(profile.input_tokens, 'token')} in,"
        f" {profile.output_tokens:,} out; kept in {kept.path}\n"
    )
    return f"{profile.model}{place}, {profile.asked_at:%Y-%m-%d %H:%M} UTC\n\n{''.join(rows)}\n{spent}"
