"""Whatever a server does or a model says, a run ends soon and says what failed; no key is told."""

import json
from itertools import repeat
from typing import Any

import pytest
from families import few
from makers import passage

from agent.mills import assert_sound, codes, revised, settings_for, statuses
from benchmarks.mills import SlowDocuments, mills_text, respond
from rarr import Reviser, Revision, Settings, Trace
from rarr.agent.replaying import replay
from rarr.errors import RarrError
from rarr.testing import Failure, InMemoryRetriever, ScriptedModel, ScriptedServer
from rarr.tools.models.retries import Attempts

pytestmark = pytest.mark.loopback

TEXT = mills_text(3, wrong=1)
PASSING = [Failure(429, retry_after=0.01), Failure(429), Failure(500), Failure(503, retry_after=0)]
PASSING += [Failure("die"), Failure("html"), Failure("empty")]
OF_ONE_NODE = [Failure(500), Failure(401), Failure("die"), Failure("cut"), Failure("hang")]
FATAL = [Failure(401), Failure(400, message="no such model"), Failure(404), Failure("hang"), Failure("drip")]
ESTIMATED: dict[Any, list[str]] = {kind: ["usage_estimated"] for kind in ("hang", "drip")}  # cut off


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Attempts follow each other at once; how long is waited between them is tested where that is done."""
    monkeypatch.setattr(Attempts, "_seconds_to_wait", lambda *_: 0.0)


def faulty(server: ScriptedServer, entry: Failure) -> Revision:
    timeout_s = 0.5 if entry.kind in ESTIMATED else 30  # a busy machine may need a second for an answer
    return revised(settings_for(server, timeout_s=timeout_s), TEXT)


@pytest.mark.parametrize("entry", few([*PASSING, *FATAL], every=4), ids=repr)
def test_faults_for_ever_leave_the_text_and_say_so(hasty: None, entry: Failure) -> None:
    with ScriptedServer(respond, plan=repeat(entry)) as server:
        revision = faulty(server, entry)
        assert len(server.requests) <= 3
    assert (revision.text, revision.edits, statuses(revision)) == (TEXT, (), {"unjudged"})
    assert codes(revision) == {"generate_queries_failed", *ESTIMATED.get(entry.kind, ())}
    assert all("\n" not in warning.message for warning in revision.warnings)


@pytest.mark.parametrize("entry", few(OF_ONE_NODE, every=3), ids=repr)
def test_faults_of_checks_are_no_verdicts(hasty: None, entry: Failure) -> None:
    with ScriptedServer(respond, plan=lambda it: entry if it.prompt == "check_agreement" else None) as server:
        revision = faulty(server, entry)
    warned = sorted(it.code for it in revision.warnings)
    assert (revision.text, warned) == (TEXT, ["check_failed", *ESTIMATED.get(entry.kind, ())])
    assert (revision.checks, statuses(revision)) == ((), {"unjudged"})


KEY = "quiet/Harbour-42"  # of no provider's form
ESCAPED = "".join(f"\\u{ord(character):04X}" for character in KEY)  # as JSON may hold it


@pytest.mark.parametrize("model", ["vllm:mills", "openai:mills"])
@pytest.mark.parametrize("by_endpoint", [False, True], ids=["api_key", "endpoints"])
def test_faults_tell_no_key(hasty: None, model: str, by_endpoint: bool) -> None:
    with ScriptedServer(respond, requires_key="another") as server:
        access: dict[str, Any] = {"base_url": server.url, "api_key": KEY}
        access = {"endpoints": {model: access}} if by_endpoint else access
        settings = Settings(model=model, search=SlowDocuments(0.0), **access)
        with Reviser(settings) as reviser:
            revision = reviser.revise(TEXT)
        assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert "status 401" in revision.warnings[0].message
    shown = [revision.model_dump_json(), *map(repr, (settings, reviser, revision)), str(settings)]
    assert not any(KEY in text for text in shown)


@pytest.mark.parametrize(
    "wrong",
    [
        {"api_key": KEY, "fallbacks": ["openai:other"]},
        {"api_key": [KEY]},
        {"endpoints": {"vllm:mills": {"api_key": KEY, "price": "much"}}},
        {"endpoints": {"vllm:mills": {"key": KEY}}},
        {"endpoints": KEY},
        {"api_key": KEY, "max_cost": 1},
        {"api_key": KEY, "base_url": "localhost"},
        {"api_key": KEY, "unknown": 1},
    ],
)
def test_faults_in_settings_tell_no_key(wrong: dict[str, Any]) -> None:
    with pytest.raises(RarrError) as raised:
        Reviser(Settings(**({"model": "vllm:mills", "search": SlowDocuments(0.0)} | wrong)))
    assert KEY not in f"{raised.value!r} {raised.value} {raised.value.__context__!r}"
    assert "\n" not in str(raised.value)


BRIDGE, FACT = "The bridge opened in 1935. It is red.", "The bridge opened in 1937."


@pytest.mark.parametrize("said", [KEY, ESCAPED], ids=["plain", "escaped"])
def test_key_in_a_valid_answer_is_taken_out(said: str) -> None:
    about = {"question": "When did the bridge open? KEY", "about": "1935"}
    checked = {"text_answer": "1935", "evidence_answer": "1937 KEY", "reason": "KEY", "verdict": "disagrees"}
    fields = {"questions": [about], **checked, "span": "1935", "revision": "1937 KEY"}
    with ScriptedServer(lambda asked: json.dumps(fields).replace("KEY", said), requires_key=KEY) as server:
        search = InMemoryRetriever([passage(FACT)])
        settings = settings_for(server, api_key=KEY, search=search, rounds=1, preset="paper")
        with Reviser(settings) as reviser:
            made = reviser.revise(BRIDGE)
    assert made.checks[0].reason == "***"
    texts = (made.model_dump_json(), Trace.load(made.run_id).file.text())
    assert not [text for text in texts if KEY in text or said in text]


ODD = ["\ud800", "\udfff\ud800", "\0", "\ud83d\ude00", "a\ud83d\udcff\ude00"]
"""A lone surrogate or a NUL, wherever it comes in, costs no run, no trace and no offset."""


def odd_run(text: str = BRIDGE, context: str | None = None, **settings: Any) -> Revision:
    """A revision that every encoding holds, and whose trace says the same."""
    with Reviser(Settings(search=InMemoryRetriever([passage(FACT)]), rounds=1, **settings)) as reviser:
        made = reviser.revise(text, context)
    assert_sound(made)
    dump = made.model_dump_json()
    assert dump.encode() and "\\u0000" not in dump
    assert not [warning for warning in made.warnings if warning.code == "trace_failed"]
    trace = Trace.load(made.run_id)
    assert trace.revision == made and trace.file.text().encode()
    assert replay(trace).same
    return made


@pytest.mark.parametrize("raw", [False, True], ids=["escaped", "raw"])
@pytest.mark.parametrize("odd", few(ODD, every=5), ids=ascii)
def test_surrogate_in_a_models_answers(odd: str, raw: bool) -> None:
    answers = {
        "generate_queries": {"questions": [{"question": f"When did the bridge open?{odd}", "about": "1935"}]},
        "check_agreement_paper": {
            "text_answer": "1935", "evidence_answer": "1937", "reason": odd, "verdict": "disagrees",
        },
        "edit": {"span": "1935", "revision": f"The bridge opened in 1937{odd}. It is red."},
    }  # fmt: skip
    model = ScriptedModel(lambda asked: json.dumps(answers.get(str(asked.prompt), {}), ensure_ascii=not raw))
    made = odd_run(model=model, preset="paper")
    assert made.queries and made.checks


@pytest.mark.parametrize("odd", few(ODD, every=4), ids=ascii)
def test_surrogate_in_the_text_and_the_context(odd: str) -> None:
    text = f"It {odd} stood. {BRIDGE}"
    made = odd_run(text, f"When {odd}?")
    assert len(made.original) == len(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))
    assert all(query.start < query.end <= len(made.original) for query in made.queries)
