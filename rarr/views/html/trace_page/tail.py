"""What stands behind a run: its prompts, what each node spent, and its settings."""

from collections import Counter

from rarr.tools.text.markup import folded, paragraph, shown, table
from rarr.tools.text.nouns import counted
from rarr.views.html.trace_page.pieces import anchor, duration, money, pre, row, told
from rarr.views.html.trace_page.view import View


def prompts(view: View) -> str:
    """Those that models were asked with, whole."""
    asked = Counter(one.body["prompt"] for one in view.spans if one.kind == "ask" and one.body)
    drawn = "".join(_prompt(name, asked[name], view) for name in view.trace.prompts)
    return drawn or paragraph("No model was asked.")


def _prompt(name: str, count: int, view: View) -> str:
    one = view.trace.prompts[name]
    facts = f"version {shown(one.version)} · <code>{shown(one.hash)}</code> · asked {counted(count, 'time')}"
    head = f'<span class="what"><b>{shown(one.name)}</b> <span class="facts">{facts}</span></span>'
    body = (
        f'<h4>System message</h4><div id="{anchor("system", name)}">{pre(one.system)}</div>'
        f"<h4>User message, as a template</h4>{pre(one.user)}"
        f"{folded('Shape of the answer', pre(told(dict(one.output))))}"
    )
    return row(anchor("prompt", name), head, body, data={"node": one.name}, kind="trail")


def usage(view: View) -> str:
    """What each node spent; nothing for a run that did not come to its end."""
    if view.trace.revision is None:
        return paragraph("The run did not come to its end: what it spent stands with its questions.")
    columns = ("Node", "Calls", "Time", "Model calls", "Tokens in", "Cached", "Tokens out", "Cost")
    rows = [
        [
            shown(name), f"{one.calls:,}", duration(one.seconds), f"{one.model_calls:,}",
            f"{one.input_tokens:,}", f"{one.cached_tokens:,}", f"{one.output_tokens:,}", money(one.cost),
        ]
        for name, one in view.trace.revision.usage.by_node.items()
    ]  # fmt: skip
    return table("What each node spent", columns, rows, numbers="-nnnnnnn")


def settings(view: View) -> str:
    """Those that are not the defaults."""
    facts = view.trace.file.facts
    rows = [
        (f"<code>{shown(name)}</code>", f"<code>{shown(told(value))}</code>")
        for name, value in facts.settings.items()
    ]
    if not rows:
        return paragraph("All settings have their defaults.")
    return table("Settings that differ from the defaults, without secrets", ("Setting", "Value"), rows)
