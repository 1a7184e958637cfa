"""A run as one page of HTML: nothing is loaded from elsewhere, and it can be read without its script."""

from pathlib import Path
from typing import get_args

from rarr.records import Verdict
from rarr.tools.text.markup import STYLE, document, section, shown
from rarr.traces.trace import Trace
from rarr.views.html.trace_page import queries, tail, text, timeline, top
from rarr.views.html.trace_page.view import View, view_of

__all__ = ["page"]

_FOLDER = Path(__file__).parent / "trace_page"
_LINKS = {"text": "Text", "timeline": "Timeline", "queries": "Queries", "prompts": "Prompts", "run": "Run"}
_VERDICTS = (*get_args(Verdict), "refused")


def page(trace: Trace) -> str:
    """The whole page, to be written as UTF-8; of a run that did not come to its end, as far as it came."""
    view = view_of(trace)
    body = "\n".join([top.head(view), _bar(view), "<main>", _first(view), _rest(view), "</main>"])
    style, script = ((_FOLDER / name).read_text(encoding="utf-8") for name in ("style.css", "script.js"))
    return document(f"{trace.status}: run {trace.run_id}", STYLE + style, body, script)


def _first(view: View) -> str:
    """What changed, why, what failed and what was slow, on one screen."""
    written = section("text", "Text", text.text(view), text.context(view))
    why = section("edits", "Edits", text.edits(view))
    wrong = section("problems", "Failures and warnings", top.problems(view))
    slow = section("slow", "What took longest", timeline.slowest(view)) if view.path else ""
    return f'<div class="first"><div>{written}{slow}</div><div>{why}{wrong}</div></div>'


def _rest(view: View) -> str:
    said = (
        '<p class="facts">Orange, with a ◆: the critical path, which made the run as long as it was.'
        " Pale: a question that waits for its turn. Rows open.</p>"
    )
    return "\n".join(
        [
            section("timeline", "Timeline", said, timeline.timeline(view)),
            section("queries", "Queries", queries.queries(view)),
            section("prompts", "Prompts", tail.prompts(view)),
            section("run", "Usage and settings", tail.usage(view), tail.settings(view)),
        ]
    )


def _bar(view: View) -> str:
    """Links to the parts; search and filters, which the script shows, because they need it."""
    links = " ".join(f'<a href="#{name}">{words}</a>' for name, words in _LINKS.items())
    nodes = dict.fromkeys(one.name for one in view.spans if one.kind == "node")
    return (
        f'<div class="bar"><nav aria-label="Parts of this page">{links}</nav>'
        '<div class="find" role="search" hidden>'
        '<input type="search" id="find" aria-label="Search texts, prompts, answers and evidence"'
        ' placeholder="Search   ( / )" aria-keyshortcuts="/">'
        f"{_select('node', 'Any node', nodes)}{_select('verdict', 'Any verdict', dict.fromkeys(_VERDICTS))}"
        '<label><input type="checkbox" id="wrong"> with errors</label>'
        '<output id="count" aria-live="polite"></output>'
        '<span class="facts keys">j k move, Enter opens, Esc closes</span></div></div>'
    )


def _select(name: str, none: str, options: dict[str, None]) -> str:
    given = "".join(f"<option>{shown(one)}</option>" for one in options)
    return f'<select id="{name}" aria-label="{none}"><option value="">{none}</option>{given}</select>'
