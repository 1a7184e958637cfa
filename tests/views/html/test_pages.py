"""The pages of a run and of ratings: nothing breaks out of them, and they say what changed, and why."""

import json
import re
from typing import Any

import pytest
from parsing import Page
from traces.runs import HOSTILE, recorded

from rarr import Reviser
from rarr.evals.rating import RatingItem, items_digest
from rarr.evals.rows import RatedPassage
from rarr.records import Part
from rarr.testing import InMemoryRetriever
from rarr.traces.trace_reader import Trace
from rarr.views.pages import label_page, trace_page

WILD = (
    "</script><script>alert(1)</script><!-- <img src=x onerror=alert(2)>"
    " & \u202e \u200b \U0001f600 {{ 7 * 7 }}"
)


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    return recorded(tmp_path_factory.mktemp("home"))


def with_each_state(trace: Trace) -> Trace:
    """Returns the run with a different status for each sentence, and with its refused edit suggested."""
    made = trace.revision
    assert made is not None
    first, second, third = made.report.sentences[:3]
    known: dict[str, Any] = {"state": "differs", "evidence_id": "q2.1", "says": f"the other way {HOSTILE}"}
    differs = Part(start=second.start, end=second.start + 2, **known)
    open_ = Part(start=third.start, end=third.start + 8, state="open")
    sentences = (
        first.model_copy(update={"status": "supported", "support": 0.6}),
        second.model_copy(update={"status": "contradicted", "parts": (differs,)}),
        third.model_copy(update={"status": "unconfirmed", "parts": (open_,)}),
    )
    report = made.report.model_copy(update={"sentences": sentences})
    edits = (it if it.accepted else it.model_copy(update={"state": "suggested"}) for it in made.edits)
    changed = Trace(trace.file)
    vars(changed)["revision"] = made.model_copy(update={"report": report, "edits": tuple(edits)})
    return changed


@pytest.fixture(scope="module")
def hostile_html(trace: Trace) -> str:
    """The page of a trace file that somebody else wrote: each name and text in it is an attack."""
    odd = {"name": HOSTILE, "about": HOSTILE, "error": HOSTILE}
    contents = {"user": HOSTILE, "answer": HOSTILE, "failure": HOSTILE, "texts": [HOSTILE]}
    bodies = [it.body | {name: contents[name] for name in {*contents} & {*it.body}} for it in trace.spans]
    pairs = zip(trace.spans, bodies, strict=True)
    spans = [span.model_copy(update=odd | {"body": body}) for span, body in pairs]
    facts = trace.file.facts.model_copy(update={"version": HOSTILE, "settings": {HOSTILE: [HOSTILE]}})
    known = {"spans": spans, "facts": facts, "run_id": HOSTILE}
    return trace_page(Trace(trace.file.model_copy(update=known)))


def test_all_tags_are_closed_and_none_runs_or_loads_but_our_script_and_style(hostile_html: str) -> None:
    drawn = Page(hostile_html)
    tags = [tag for tag, _ in drawn.tags]
    assert drawn.open == []
    assert not {"img", "iframe", "object", "form", "link", "base"} & set(tags)
    assert (tags.count("script"), tags.count("style")) == (1, 1)
    names = [name for _, attrs in drawn.tags for name in attrs]
    assert not [name for name in names if name.startswith("on") or name in {"src", "style"}]
    policy = "default-src 'none'; style-src 'sha256-[^' ]+'; script-src 'sha256-[^' ]+';"
    assert re.search(policy, hostile_html)


def test_hostile_texts_are_shown_and_links_lead_to_the_web_or_existing_anchors(hostile_html: str) -> None:
    drawn = Page(hostile_html)
    ids = [str(attrs["id"]) for _, attrs in drawn.tags if "id" in attrs]
    assert len(ids) == len(set(ids))
    links = [(str(attrs["href"]), attrs.get("rel")) for tag, attrs in drawn.tags if tag == "a"]
    assert {address[1:] for address, _ in links if address.startswith("#")} <= set(ids)
    outer = {link for link in links if not link[0].startswith("#")}
    assert outer == {("https://example.org/bridge?a=1&b=2", "noopener noreferrer")}
    assert "</script><script>alert(1)</script><img src=x onerror=alert(2)>" in drawn.text
    assert not re.search("[\u202a-\u202e\u2066-\u2069]|&amp;lt;script", hostile_html)


def test_entries_that_need_review_come_first_with_the_words_that_decide(trace: Trace) -> None:
    html = trace_page(with_each_state(trace))
    review = html[html.index('id="review"') : html.index('id="edits"')]
    entries = re.findall(r'<li class="(?:entry )?(\w+)"|<summary>(\d+ supported)', review)
    assert " ".join(a or b for a, b in entries) == (
        "contradicted unconfirmed suggested 1 supported supported"
    )
    assert html.index('id="review"') < html.index('id="text"')
    marked = r'<span class="part differs" title="differs: q2\.1 says “the other way [^>]*">It</span>'
    assert re.search(marked, html)
    text = " ".join(Page(html).text.split())
    assert "✗ differs It: “the other way </script><script>alert(1)" in text
    assert "~ open </script" in text


def test_query_has_a_row_with_its_error_in_the_row_of_its_node() -> None:
    with Reviser(search=InMemoryRetriever(ConnectionError("no route"))) as reviser:
        trace = Trace.load(reviser.revise("The dam is 9 m high.").run_id)
    call = next(span for span in trace.spans if span.kind == "query")
    html = trace_page(trace)
    row = html[html.index(f'id="s-{call.number}"') :].partition("</details>")[0]
    assert "no route" in row and f'id="s-{call.parent}"' in html


def test_items_to_rate_come_through_the_page_as_they_are() -> None:
    evidence = (RatedPassage(text=WILD, title=WILD, source="javascript:alert(3)"),)
    texts = dict.fromkeys(("id", "claim", "question", "original", "revised"), WILD)
    item = RatingItem(evidence=evidence, **texts)
    page = label_page([item])
    assert (page.count("<script"), "<img" in page) == (2, False)  # the items, and our own script
    (rows,) = re.findall(r'<script type="application/json" id="items">(.*?)</script>', page, re.DOTALL)
    assert items_digest([RatingItem.model_validate(row) for row in json.loads(rows)]) == items_digest([item])
