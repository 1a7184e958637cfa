"""The page of a run: nothing breaks out of it, and it says what changed, why, and where a run stopped."""

import re

import pytest
from parsing import Page
from traces.runs import HOSTILE, recorded

from rarr.records import Part, Sentence
from rarr.traces.trace_reader import Trace
from rarr.views.pages import trace_page as page


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    return recorded(tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="module")
def html(trace: Trace) -> str:
    return page(trace)


def reviewed(trace: Trace) -> Trace:
    """The same run, as if its sentences had each another state, and its refused edit were a suggestion."""
    made = trace.revision
    assert made is not None
    first, second, third = made.report.sentences[:3]
    says = f"the other way {HOSTILE}"
    differs = Part(start=second.start, end=second.start + 2, state="differs", evidence_id="q2.1", says=says)
    sentences = (
        first.model_copy(update={"status": "supported", "support": 0.6}),
        second.model_copy(update={"status": "contradicted", "parts": (differs,)}),
        third.model_copy(update={"status": "unconfirmed", "parts": (open_part(third),)}),
    )
    report = made.report.model_copy(update={"sentences": sentences})
    edits = tuple(
        edit if edit.accepted else edit.model_copy(update={"state": "suggested"}) for edit in made.edits
    )
    changed = Trace(trace.file)
    vars(changed)["revision"] = made.model_copy(update={"report": report, "edits": edits})
    return changed


def open_part(sentence: Sentence) -> Part:
    return Part(start=sentence.start, end=sentence.start + 8, state="open")


@pytest.mark.slow
def test_tags_are_known_and_closed(html: str) -> None:
    drawn = Page(html)
    tags = [tag for tag, _ in drawn.tags]
    assert drawn.open == []
    assert not {"img", "iframe", "object", "form", "link", "base"} & set(tags)
    assert (tags.count("script"), tags.count("style")) == (1, 1)
    attributes = [(name, value or "") for _, attrs in drawn.tags for name, value in attrs.items()]
    assert not [name for name, _ in attributes if name.startswith("on") or name in {"src", "style"}]


@pytest.mark.slow
def test_links_lead_to_the_web_or_to_existing_anchors(html: str) -> None:
    drawn = Page(html)
    ids = [str(attrs["id"]) for _, attrs in drawn.tags if "id" in attrs]
    assert len(ids) == len(set(ids))
    links = [attrs for tag, attrs in drawn.tags if tag == "a"]
    inner = [str(link["href"]) for link in links if str(link["href"]).startswith("#")]
    assert {address[1:] for address in inner} <= set(ids)
    outer = [link for link in links if not str(link["href"]).startswith("#")]
    assert {link["href"] for link in outer} == {"https://example.org/bridge?a=1&b=2"}
    assert {link["rel"] for link in outer} == {"noopener noreferrer"}


@pytest.mark.slow
def test_hostile_texts_are_shown_as_text(html: str) -> None:
    assert "</script><script>alert(1)</script><img src=x onerror=alert(2)>" in Page(html).text
    assert not re.search("[\u202a-\u202e\u2066-\u2069]", html)
    assert "&amp;lt;script" not in html
    assert re.search("default-src 'none'; style-src 'sha256-[^' ]+'; script-src 'sha256-[^' ]+';", html)


def test_entries_that_need_review_come_first(trace: Trace) -> None:
    html = page(reviewed(trace))
    review = html[html.index('id="review"') : html.index('id="edits"')]
    entries = re.findall(r'<li class="(?:entry )?(\w+)"|<summary>(\d+ supported)', review)
    assert [a or b for a, b in entries] == [
        "contradicted",
        "unconfirmed",
        "suggested",
        "1 supported",
        "supported",
    ]
    assert html.index('id="review"') < html.index('id="text"')


def test_deciding_words_are_marked_with_the_words_of_the_passage(trace: Trace) -> None:
    html = page(reviewed(trace))
    assert re.search(
        r'<span class="part differs" title="differs: q2\.1 says “the other way [^>]*">It</span>', html
    )
    text = " ".join(Page(html).text.split())
    assert "✗ differs It: “the other way </script><script>alert(1)" in text
    assert "~ open </script" in text


def test_page_of_a_hostile_trace_file_has_only_known_tags(trace: Trace) -> None:
    odd = {"name": HOSTILE, "about": HOSTILE, "error": HOSTILE}
    contents = {"user": HOSTILE, "answer": HOSTILE, "failure": HOSTILE, "texts": [HOSTILE]}
    spans = [
        span.model_copy(
            update=odd
            | {"body": span.body | {name: contents[name] for name in contents.keys() & span.body.keys()}}
        )
        for span in trace.spans
    ]
    facts = trace.file.facts.model_copy(update={"version": HOSTILE, "settings": {HOSTILE: [HOSTILE]}})
    known = {"spans": spans, "facts": facts, "run_id": HOSTILE}
    test_tags_are_known_and_closed(page(Trace(trace.file.model_copy(update=known))))
