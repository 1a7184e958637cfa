"""The calls of nodes and the questions to models as bars in time, each of which opens."""

from collections import Counter
from collections.abc import Iterable, Sequence

from rarr.tools.text.markup import isolated, paragraph, shown
from rarr.tools.text.nouns import counted
from rarr.traces.critical import supersteps
from rarr.traces.file import StoredSpan
from rarr.views.html.trace_page.calls import body, outcome
from rarr.views.html.trace_page.pieces import chip, clipped, duration, row, to_span, words
from rarr.views.html.trace_page.view import View, stopped

WIDE, HIGH = 1000, 24


def timeline(view: View) -> str:
    """A row a superstep, in the order of time. Branches that ran at once are folded into it.

    Of a long text a row a block, which holds those of its supersteps.
    """
    top = view.trace.inner[0]
    drawn = _steps([one for one in top if one.kind != "block"], view, "step")
    drawn += [_block(one, view) for one in top if one.kind == "block"]
    if not drawn:
        return paragraph("No node was called.")
    return f'<div class="timeline">{_scale(view)}{"".join(drawn)}</div>'


def _steps(calls: Sequence[StoredSpan], view: View, name: str) -> list[str]:
    return [_step(f"{name}-{number}", step, view) for number, step in enumerate(supersteps(calls), start=1)]


def _block(span: StoredSpan, view: View) -> str:
    calls, place = view.trace.inner[span.number], span.body
    failed = sum(bool(one.error) or one.kind == "failure" for one in calls)
    facts = f"characters {place['start']:,}–{place['end']:,} · {counted(len(calls), 'call')}"
    what = f'<b>{shown(span.name)}</b> <span class="facts">{facts}</span>{_marked([span], view)}'
    states = [chip("error", f"in {failed}")] if failed else []
    states += [chip("not ended")] if span.seconds is None else []
    head = _head(" ".join([what, *states]), _bars([(span,)], view), duration(span.seconds))
    inner = "".join(_steps(calls, view, f"step-{span.number}"))
    return row(f"s-{span.number}", head, inner, data={"group": "1"}, kind="step group")


def slowest(view: View) -> str:
    """The critical path by its supersteps, each with what it waited for last."""
    items = []
    for one in (call for call in view.path if call.kind == "node"):
        below = view.trace.inner[one.number]
        asks = [ask for ask in below if ask.kind == "ask" and ask.number in view.critical]
        took = stopped(one, view) - one.started
        waited = f"waited for {', '.join(map(to_span, asks[-3:]))}" if asks else ""
        about = isolated(one.about) if one.about else ""
        facts = words([about, duration(one.seconds), f"{took / view.seconds:.0%}", waited])
        items.append(
            (took, f'<li>{to_span(one)} <b>{shown(one.name)}</b> <span class="facts">{facts}</span></li>')
        )
    longest = sorted(items, key=lambda item: -item[0])[:4]
    return f'<ol class="slow">{"".join(html for _, html in longest)}</ol>'


def _scale(view: View) -> str:
    marks = "".join(f"<span>{duration(view.seconds * part / 4) if part else '0'}</span>" for part in range(5))
    inner = f'<span></span><span class="marks">{marks}</span><span></span>'
    return f'<div class="scale" aria-hidden="true">{inner}</div>'


def _step(name: str, step: Sequence[StoredSpan], view: View) -> str:
    if len(step) == 1:
        return _call(step[0], view, "step")
    end = max(stopped(one, view) for one in step)
    ended = all(one.seconds is not None for one in step)
    failed = sum(bool(one.error) for one in step)
    what = (
        f'<b>{shown(step[0].name)}</b> <span class="facts">{len(step)} branches</span>{_marked(step, view)}'
    )
    if failed:
        what += " " + chip("error", f"in {failed}")
    took = duration(end - min(one.started for one in step) if ended else None)
    head = _head(what, _bars([(one,) for one in step], view), took)
    inner = "".join(_call(one, view, "branch") for one in step)
    return row(name, head, inner, data={"group": "1"}, kind="step group")


def _call(span: StoredSpan, view: View, kind: str) -> str:
    asks = [one for one in view.trace.inner[span.number] if one.kind == "ask"]
    what = [f"<b>{shown(span.name)}</b>"]
    if span.kind == "failure":
        what.append('<span class="facts">went on after a failure</span>')
    if span.about:
        what.append(_about(span.about, view))
    if asks:
        what.append(f'<span class="facts">{counted(len(asks), "question")}</span>')
    head = _head(
        " ".join([*what, *_states(span, asks), _marked([span], view)]),
        _bars(_lanes(span, asks), view),
        duration(span.seconds),
    )
    inner = "".join(_ask(one, view) for one in asks)
    said = f'<div class="asks">{inner}</div>' if asks else ""
    return row(f"s-{span.number}", head, body(span, view) + said, data=_data(span, view, ""), kind=kind)


def _ask(span: StoredSpan, view: View) -> str:
    said, verdict = outcome(view.trace.body(span))
    about = _about(span.about, view) if span.about else ""
    number = f'<span class="facts">#{span.number}</span>'
    requests = [one for one in view.trace.inner[span.number] if one.kind == "request"]
    what = " ".join([number, shown(span.name), about, said, *_states(span, requests), _marked([span], view)])
    head = _head(what, _bars([(span, *requests)], view), duration(span.seconds))
    return row(f"s-{span.number}", head, body(span, view), data=_data(span, view, verdict), kind="ask")


def _data(span: StoredSpan, view: View, verdict: str) -> dict[str, str]:
    wrong = any(one.error or one.seconds is None for one in (span, *view.trace.inner[span.number]))
    return {
        "node": view.node_of(span),
        "verdict": verdict,
        "error": "1" if wrong or span.kind == "failure" else "",
    }


def _about(name: str, view: View) -> str:
    query = view.asked.get(name) or (view.found.get(name) and view.asked.get(view.found[name].query_id))
    asked = f' <span class="facts query" dir="auto">{shown(clipped(query.text, 90))}</span>' if query else ""
    return f"{isolated(name)}{asked}"


def _states(span: StoredSpan, inner: Iterable[StoredSpan]) -> list[str]:
    failed = Counter(bool(one.error) for one in inner)[True]
    states = [chip("error")] if span.error else [chip("error", f"in {failed}")] if failed else []
    return states + ([chip("not ended")] if span.seconds is None else [])


def _marked(spans: Iterable[StoredSpan], view: View) -> str:
    """Words that say what the colour of the bar does."""
    if not any(one.number in view.critical for one in spans):
        return ""
    said = '<span class="hidden"> critical path</span>'
    return f' <span class="critical" title="on the critical path">◆{said}</span>'


def _head(what: str, bars: str, took: str) -> str:
    return f'<span class="what">{what}</span>{bars}<span class="n">{took}</span>'


def _lanes(span: StoredSpan, asks: Sequence[StoredSpan]) -> list[tuple[StoredSpan, ...]]:
    return [(span, one) for one in asks] or [(span,)]


def _bars(lanes: Sequence[tuple[StoredSpan, ...]], view: View) -> str:
    """The lanes below each other; in each, what is within the first span lies upon it."""
    high, shapes = HIGH / len(lanes), {}
    one_node = len(lanes) > 1 and lanes[0][0] is lanes[-1][0]
    for lane, spans in enumerate(lanes):
        for depth, one in enumerate(spans):
            critical, outer = one.number in view.critical, depth == 0 and len(spans) > 1
            if one_node and outer:  # drawn once, behind its questions
                shapes[one.number] = False, _bar(one, 0.0, HIGH, view, outer=True)
                continue
            tall = max(high, 3.0) if critical else high
            y = min(lane * high, HIGH - tall)
            shapes[one.number] = critical and not outer, _bar(one, y, tall, view, outer=outer)
    # What is critical lies above its neighbours, tall enough to be seen among many.
    drawn = "".join(html for _, html in sorted(shapes.values(), key=lambda shape: shape[0]))
    box = f'viewBox="0 0 {WIDE} {HIGH}" preserveAspectRatio="none"'
    return f'<svg class="bars" {box} aria-hidden="true">{drawn}</svg>'


def _bar(span: StoredSpan, y: float, high: float, view: View, *, outer: bool) -> str:
    x = WIDE * (span.started - view.zero) / view.seconds
    wide = max(WIDE * (stopped(span, view) - span.started) / view.seconds, 3.0)
    state = "wrong" if span.error else "way" if span.number in view.critical else "plain"
    pad = min(0.15 * high, 1.0)
    place = (
        f'x="{min(x, WIDE - wide):.1f}" y="{y + pad:.2f}" width="{wide:.1f}" height="{high - 2 * pad:.2f}"'
    )
    return f'<rect class="{state}{" outer" if outer else ""}" {place}/>'
