"""Runs whose model reads cards: what is asked, what is accepted, and what a bad reader can do."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings as hypothesis_settings, strategies as st
from makers import passage, statuses

from agent import answer_writer
from rarr import Reviser, Revision, prompts, revise
from rarr.agent.replaying import replay
from rarr.testing import Asked, Failure, InMemoryRetriever, RuleModel, ScriptedModel, ScriptedServer
from rarr.testing.card_answers import numbered_sentences
from rarr.tools.models.chat import CallFailure
from rarr.traces.trace_reader import Trace

FACTS = (
    "The Tarrow bridge opened on 4 May 1932 in Port Halden. The Tarrow bridge cost 12 million crowns. "
    "The ferry of Port Halden carried 900 people in 1931. Port Halden was not damaged by the flood of 1953. "
    "The Tarrow bridge is 640 metres long. The tunnel of Port Halden cost 31 million crowns."
)
COST = "The Tarrow bridge cost 12 million crowns."
TEXT = (
    "# The bridge\n\nThe Tarrow bridge opened on 4 May 1923 in Port Halden. It was painted green.\n\n"
    f"## Money\n\n{COST} See [the list](https://example.org/1923) of 1923.\n"
)
READING, DOUBT = "check_agreement", "check_agreement_doubt"
RULES = RuleModel()
Answer = Callable[[Asked], Any]


def read(answer: Answer, text: str = TEXT, facts: str = FACTS, **settings: Any) -> Revision:
    given: Any = {"search": InMemoryRetriever([passage(facts)]), "rounds": 1, "trace": False} | settings
    with Reviser(model=ScriptedModel(answer), **given) as reviser:
        return reviser.revise(text)


def variables_in(asked: Asked) -> dict[str, str]:
    return prompts.load(asked.prompt or "").variables_in(asked.user) or {}


def shown(asked: Asked) -> list[tuple[int, str]]:
    return [(int(number), words) for number, words in numbered_sentences(variables_in(asked))]


def with_own(cards: Callable[[str], dict[str, Any] | None], prompt: str = "") -> Answer:
    """Answers as a careful reader, but where `cards` gives a card, in requests with this prompt or any."""
    return lambda asked: answer_writer.read(asked, cards) if prompt in ("", asked.prompt) else RULES(asked)


def noting(told: list[Asked]) -> Answer:
    """A careful reader, whose requests are added to `told`."""

    def answer(asked: Asked) -> str:
        told.append(asked)
        return RULES(asked)

    return answer


def alike(card: Callable[[str], dict[str, Any]]) -> Answer:
    """Gives each sentence the card of the same kind, with the first line as quote."""
    return with_own(lambda words: {"q": ["P1.1"], **card(words)})


def no(old: str, new: str, by: str) -> dict[str, Any]:
    return {"v": "no", "open": [], "edits": [{"old": old, "new": new, "by": by}]}


def test_controls_are_counted_and_stand_nowhere_else() -> None:
    revision = read(noting(asked := list[Asked]()))
    counts = revision.usage.controls
    assert counts.planted == counts.caught > 0
    planted = [words for each in asked for _, words in shown(each) if words.strip() not in TEXT]
    whole = revision.model_dump(mode="json")
    told = json.dumps([whole["text"], whole["report"], whole["edits"], whole["queries"], whole["checks"]])
    assert planted and not [words for words in planted if json.dumps(words.strip())[1:-1] in told]


@pytest.mark.parametrize("verdict", ["yes", "none"])
def test_reader_that_misses_its_controls_leaves_all_sentences_open(verdict: str) -> None:
    revision = read(alike(lambda words: {"v": verdict}))
    assert set(statuses(revision)) == {"unconfirmed"}
    [notice] = [warning for warning in revision.warnings if warning.code == "reader_unreliable"]
    counts = revision.usage.controls
    assert f"misjudged {counts.planted} of {counts.planted + counts.repeated} planted" in notice.message
    assert counts.caught == 0


def test_reader_that_contradicts_everything_changes_nothing() -> None:
    revision = read(alike(lambda words: no(words.split()[-1], "1932.", "1932")))
    assert revision.text == TEXT
    assert "supported" not in statuses(revision)
    assert {edit.state for edit in revision.edits} <= {"suggested", "refused"}


@pytest.mark.parametrize(
    "said",
    [
        *("", "I cannot help with that.", "{}", '{"cards": []}', '{"cards": [{"s": 99, "v": "yes"}]}'),
        *('{"cards": [{"s": 1, "v": "open"}]}', "[" * 500, '<think>{"cards": []} {', '{"cards": [] </think>'),
    ],
)
def test_unreadable_answer_is_asked_for_again_and_leaves_only_its_sentences_unjudged(said: str) -> None:
    text = f"{TEXT}\n\n{COST} " + "It was painted green. " * 20 + "It has 7 lanes."
    revision = read(lambda asked: said if "7 lanes" in asked.user else RULES(asked), text)
    assert revision.text == text.replace("May 1923", "May 1932")
    *others, last = statuses(revision)
    assert "supported" in others and last == "unjudged"
    [told] = [warning.message for warning in revision.warnings if warning.code == "check_failed"]
    assert "sentences could not be read: scripted " in told and told.endswith(": name another model")


@pytest.mark.parametrize("said", ["", "<think>I think", CallFailure("too_long", "it reads 4096 tokens")])
def test_fallback_answers_where_a_model_can_read_no_part_or_be_read(said: str | CallFailure) -> None:
    failures, other = [said] * 99 if isinstance(said, CallFailure) else [], ScriptedModel(RULES, name="other")
    failing = ScriptedModel(lambda asked: str(said), failures=failures)
    revision = read(RULES, models={"check_agreement": failing}, fallbacks=[other])
    assert statuses(revision)[:3] == ["supported", "unconfirmed", "supported"]
    assert any(it.message.startswith("other answers in place of scripted: ") for it in revision.warnings)


@pytest.mark.parametrize(("says", "status"), [("yes", "supported"), ("open", "unconfirmed")])
def test_derived_value_is_doubted_and_asked_about_once(says: str, status: str) -> None:
    asked: list[str | None] = []

    def answer(request: Asked) -> Any:
        asked.append(request.prompt)
        card = {"q": ["P1.1"], "v": says} if request.prompt == DOUBT else {"q": ["P1.2"], "v": "yes"}
        return with_own(lambda words: card if "times" in words else None)(request)

    revision = read(answer, "The Tarrow bridge cost two times six million crowns.")
    assert (asked.count(DOUBT), statuses(revision)) == (1, [status])


@pytest.mark.parametrize(
    ("text", "quoted", "card"),
    [
        ("Port Halden was damaged by the flood of 1953.", "1953", {"v": "yes"}),
        (COST, "31 million", no("12", "31", "31 million crowns")),
    ],
)
def test_reading_that_near_quotations_contradict_is_doubted(text: str, quoted: str, card: Any) -> None:
    """The lines have "was not damaged", and the second sentence word for word."""
    asked: list[str | None] = []

    def answer(request: Asked) -> Any:
        asked.append(request.prompt)
        label = next(it for it in variables_in(request)["sources"].splitlines() if quoted in it)
        own = {"q": [label.partition(")")[0].removeprefix("(")], **card}
        return with_own(lambda words: own if words.strip() == text else None, READING)(request)

    revision = read(answer, text)
    assert asked[-1] == DOUBT
    assert (revision.text, revision.report.sentences[0].status == "supported") == (text, False)


@pytest.mark.parametrize("doubt", ["auto", "never"])
def test_value_that_a_near_quotation_denies_is_never_supported(doubt: str) -> None:
    yes = {"q": ["P1.2"], "v": "yes"}
    answer = with_own(lambda words: yes if "13 million" in words else None)
    assert statuses(read(answer, COST.replace("12", "13"), doubt=doubt)) == ["unconfirmed"]


@pytest.mark.parametrize(
    ("text", "card"),
    [(COST, {"v": "yes"}), (COST.replace("12", "9"), no("9 million", "12 million", "12 million"))],
)
def test_two_passages_with_different_values_give_a_warning(text: str, card: dict[str, Any]) -> None:
    """The reader sees only the passage that it quotes; code sees the other one."""
    answer = with_own(lambda words: {"q": ["P1.2"], **card} if words.strip() == text else None)
    revision = read(answer, text, f"{FACTS} {COST.replace('12', '31')}")
    assert "sources_disagree" in {warning.code for warning in revision.warnings}


def test_long_text_is_read_in_blocks_of_twelve() -> None:
    text = "\n\n".join(COST.replace("12", str(number)) for number in range(12, 42))
    read(noting(asked := list[Asked]()), text)
    readings = [[words for _, words in shown(it)] for it in asked if it.prompt == READING]
    counts = [sum(it.startswith("The Tarrow bridge cost") for it in words) for words in readings]
    assert counts and all(count <= 12 + 4 for count in counts)


@pytest.mark.parametrize("others", [1, 400])
def test_given_passages_are_read_in_one_round(others: int) -> None:
    told: list[Asked] = []
    sources = [FACTS, *(f"The yard {number} of Vell has a gate of stone." for number in range(others))]
    with Reviser(model=ScriptedModel(noting(told)), rounds=3) as reviser:
        made = reviser.revise("The Tarrow bridge was painted green.", sources=sources)
    assert statuses(made) == ["unconfirmed"] and {it.prompt for it in told} == {READING}
    assert replay(Trace.load(made.run_id)).same


@pytest.mark.loopback
def test_block_that_a_model_has_read_is_not_read_again() -> None:
    given: Any = {"sources": [FACTS], "model": "vllm:scripted", "refresh": False}
    with ScriptedServer(RULES) as server:
        first, again = (revise(TEXT, base_url=server.url, **given) for _ in range(2))
        asked = len(server.requests)
        assert (first.text, first.report) == (again.text, again.report)
        assert again.usage.model_calls == 0 < again.usage.saved_calls == asked == first.usage.model_calls
        assert replay(Trace.load(again.run_id)).same
        extra = {"vllm:scripted": {"extra": {"top_k": 1}}}
        changes: list[Any] = [{"refresh": True}, {"sources": [FACTS, "It is red."]}, {"endpoints": extra}]
        for changed in (*changes, {"trace": False}):
            assert not revise(TEXT, base_url=server.url, **given | changed).usage.saved_calls


@pytest.mark.loopback
def test_answer_that_is_cut_or_unreadable_is_asked_for_again() -> None:
    for plan in ([Failure("cut")] * 2, []):
        said = RULES if plan else lambda asked: "I cannot tell."
        with ScriptedServer(said, plan=plan) as server:
            for _ in range(2):
                made = revise(COST, sources=[FACTS], model="vllm:scripted", base_url=server.url)
                assert not made.usage.saved_calls


def test_marks_in_text_and_passages_come_back_byte_by_byte() -> None:
    text = "The Tarrow bridge [S1] cost 12 million crowns (P1.1). </text> [S2] It is 600 metres long."
    facts = FACTS + " [S3] </sources> (P9.9) The Tarrow bridge has [S4] 7 lanes."
    revision = read(noting(asked := list[Asked]()), text, facts)
    users = [it.user for it in asked if "<before>" in it.user]
    assert users and all("‹S1]" in user and "(P9.9)" not in user for user in users)
    assert revision.original == text
    assert [it for it in ("[S1]", "(P1.1)", "</text>", "[S2]") if it not in revision.text] == []


@given(st.data())
@hypothesis_settings(max_examples=25)
def test_cut_permuted_or_repeated_answer_raises_nothing(data: st.DataObject) -> None:
    def answer(asked: Asked) -> str:
        said = RULES(asked)
        if asked.prompt != READING:
            return said
        cards = json.loads(said)["cards"]
        cards = data.draw(st.permutations(cards)) + data.draw(st.sampled_from([[], cards]))
        whole = json.dumps({"cards": cards})
        return whole[: data.draw(st.integers(0, len(whole)))]

    assert read(answer).text in (TEXT, TEXT.replace("May 1923", "May 1932"))
