"""The page and what draws its parts, over HTTP: its policy, its decisions, and whose runs it shows."""

import re
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
from parsing import Page as Parsed
from traces.runs import HOSTILE, recorded
from views.html.test_trace import reviewed

from rarr import Reviser, Settings
from rarr.records import Revision
from rarr.serve.callers import Callers
from rarr.testing import scripted_components
from rarr.tools.pages.html_rendering import digest
from rarr.views.html.served import page as rendered_page
from serve.serving import ALICE, BOB, Served

pytestmark = pytest.mark.loopback

PATHS = ("/page/start", "/page/runs", "/page/runs/local-1", "/page/result")


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    home = tmp_path_factory.mktemp("guarded")
    with Served(home=home, trace=True, serve_token=f"{ALICE},{BOB}", serve_corpora={"dams": "x"}) as server:
        yield server


@pytest.fixture(scope="module")
def runs(guarded: Served) -> dict[str, str]:
    """Runs of Bob, by their texts, which are changed, unchanged, and failed."""
    bob = Callers(guarded.settings).of({"authorization": f"Bearer {BOB}"})
    settings = Settings(home=guarded.settings.home, trace=True)
    names = {"The dam is Straße 1.": bob.new_run(), "A bridge.": bob.new_run()}
    with Reviser(components=scripted_components(settings=settings)) as reviser:
        for text, name in names.items():
            reviser.revise(text, run_id=name)
    return names


@pytest.fixture(scope="module")
def revision(tmp_path_factory: pytest.TempPathFactory) -> Revision:
    """The revision of a run of which every text is an attack; its second edit is a suggestion."""
    made = reviewed(recorded(tmp_path_factory.mktemp("recorded"))).revision
    assert made is not None
    return made


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def get(server: Served, path: str, token: str = BOB, **query: Any) -> httpx2.Response:
    return httpx2.get(f"{server.root}{path}", params=query, headers=bearer(token))


def shown(server: Served, revision: dict[str, Any], **more: Any) -> httpx2.Response:
    body = {"revision": revision, **more}
    return httpx2.post(f"{server.root}/page/result", json=body, headers=bearer(BOB))


def suggested(revision: Revision) -> str:
    return next(edit.id for edit in revision.edits if edit.state == "suggested")


def test_policy_of_the_page_allows_its_own_script_alone(guarded: Served) -> None:
    answer = httpx2.get(f"{guarded.root}/")
    policy = answer.headers["content-security-policy"]
    script = re.search(r"<script>(.*?)</script>\s*</body>", answer.text, re.DOTALL)
    assert script and f"'{digest(script[1])}'" in policy
    assert "unsafe" not in policy
    assert policy.startswith("default-src 'none'; ")
    assert policy.endswith(
        "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


def test_page_names_no_other_host_and_has_no_inline_handler() -> None:
    markup = re.sub(r"<(script|style)>.*?</\1>", "", rendered_page(), flags=re.DOTALL)
    assert not re.search(r"(https?:)?//|\son\w+=|\sstyle=|javascript:", markup)


@pytest.mark.parametrize("path", PATHS)
def test_only_the_page_itself_needs_no_token(guarded: Served, path: str) -> None:
    assert httpx2.get(f"{guarded.root}/").status_code == 200
    assert httpx2.get(f"{guarded.root}{path}").status_code == 401


def test_page_learns_what_can_be_chosen(guarded: Served) -> None:
    assert get(guarded, "/page/start").json() == {"corpora": ["dams"], "keeps_runs": True}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({}, ["A bridge.", "The dam is Straße 1."]),
        ({"text": "STRASSE"}, ["The dam is Straße 1."]),
        ({"text": "%"}, []),
        ({"status": "done"}, ["A bridge.", "The dam is Straße 1."]),
        ({"status": "failed"}, []),
        ({"changed": "true"}, []),
        ({"changed": "false", "text": "bridge", "limit": 1}, ["A bridge."]),
    ],
)
def test_runs_are_filtered(guarded: Served, runs: Any, query: dict[str, Any], expected: list[str]) -> None:
    listed = get(guarded, "/v1/runs", **query).json()["runs"]
    drawn = get(guarded, "/page/runs", **query).json()
    assert ([run["text"] for run in listed], drawn["count"]) == (expected, len(expected))
    assert all(run["run_id"] in drawn["html"] for run in listed)


def test_unknown_status_is_refused(guarded: Served) -> None:
    answer = get(guarded, "/v1/runs", status="new")
    assert (answer.status_code, answer.json()["error"]["param"]) == (400, "query.status")


def test_callers_see_no_runs_of_others(guarded: Served, runs: dict[str, str]) -> None:
    name = runs["A bridge."]
    assert get(guarded, f"/page/runs/{name}").status_code == 200
    assert get(guarded, f"/page/runs/{name}", ALICE).status_code == 404
    assert get(guarded, "/page/runs", ALICE).json()["count"] == 0


def test_reader_accepts_and_refuses_a_suggestion(guarded: Served, revision: Revision) -> None:
    name, plain = suggested(revision), revision.model_dump(mode="json")
    accepted = shown(guarded, plain, accept=[name]).json()
    refused = shown(guarded, plain, refuse=[name]).json()
    assert accepted["text"] == revision.accept(name).text
    assert refused["text"] == revision.text
    for drawn, choices in ((accepted, 0), (refused, 0), (shown(guarded, plain).json(), 2)):
        offers = re.findall(rf'class="decide" data-edit="{name}" data-choice="(\w*)"', drawn["html"])
        assert len([offer for offer in offers if offer]) == choices
    assert "the reader of the page refused it" in refused["html"]


def test_texts_of_a_run_never_become_markup(guarded: Served, revision: Revision) -> None:
    html = shown(guarded, revision.model_dump(mode="json"), context=HOSTILE).json()["html"]
    drawn = Parsed(html)
    assert "alert(1)" in drawn.text
    assert not {"script", "img", "style"} & {tag for tag, _ in drawn.tags}
    assert not [name for _, named in drawn.tags for name in named if name.startswith("on") or name == "style"]
    addresses = [named["href"] or "" for tag, named in drawn.tags if tag == "a"]
    assert all(address.startswith(("#", "/v1/runs/", "https://example.org/")) for address in addresses)


@pytest.mark.parametrize("choice", ["accept", "refuse"])
def test_decision_about_no_suggestion_is_refused(guarded: Served, revision: Revision, choice: str) -> None:
    made = next(edit.id for edit in revision.edits if edit.accepted)
    for name in (made, "e99", "<b>"):
        answer = shown(guarded, revision.model_dump(mode="json"), **{choice: [name]})
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid_input")


def test_suggestion_cannot_be_accepted_and_refused(guarded: Served, revision: Revision) -> None:
    names = [suggested(revision)]
    answer = shown(guarded, revision.model_dump(mode="json"), accept=names, refuse=names)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid_input")


def broken(revision: Revision) -> Iterator[dict[str, Any]]:
    """Revisions that no run makes."""
    sentences = revision.report.sentences
    for changes in (
        {"start": -5}, {"end": 10**9}, {"text": "another"}, {"status": "supported", "evidence_ids": ["none"]},
        {"parts": [{"start": -9, "end": 3, "state": "open"}]}, {"start": "one"},
    ):  # fmt: skip
        plain = revision.model_dump(mode="json")
        plain["report"]["sentences"][0] |= changes
        yield plain
    plain = revision.model_dump(mode="json")
    plain["report"]["sentences"] = [sentence.model_dump(mode="json") for sentence in reversed(sentences)]
    yield plain
    yield revision.model_dump(mode="json") | {"text": "Another text."}
    for changes in ({"start": -3}, {"start": 10**9, "end": 10**9 + 1}, {"start": 9, "end": 2}):
        plain = revision.model_dump(mode="json")
        plain["edits"][-1] |= changes
        yield plain
    yield revision.model_dump(mode="json") | {"evidence": [], "queries": [], "checks": []}


@pytest.mark.slow
def test_revision_that_no_run_made_is_no_defect(guarded: Served, revision: Revision) -> None:
    statuses = [shown(guarded, plain).status_code for plain in broken(revision)]
    assert statuses[:9] == [400] * 9
    assert 500 not in statuses
