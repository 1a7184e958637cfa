"""A text that evidence disputes, and what the step `edit` makes of it."""

from typing import Any

from makers import TEXT, check, evidence, query, runtime, state

from rarr.nodes.edit import edit
from rarr.records import Change, Edit
from rarr.settings import Settings
from rarr.state import State
from rarr.testing import ScriptedEditor


def disputed(text: str = TEXT, **more: object) -> State:
    """One query about Georgia, one evidence for California that disagrees."""
    start = text.index("Georgia")
    fields = {"queries": [query(start, start + 7)], "found": [evidence()], "checks": [check()]} | more
    return state(text, **fields)  # type: ignore[arg-type]  # the keys of a state


def changes(start: int, end: int, new: str) -> ScriptedEditor:
    return ScriptedEditor(lambda text, query, check, evidence: Change(start=start, end=end, new=new))


async def only_edit(before: State, settings: Settings | None = None, **components: Any) -> Edit:
    update = await edit(before, runtime(settings, **components))
    [done] = update["edits"]
    assert ("text" in update) == done.accepted
    return done
