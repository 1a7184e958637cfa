"""Statements are judged by the passages that they cite, alone and together, and then by the others."""

import pytest

from rarr.agent.answering.answer_sources import GivenSource, QuestionSources
from rarr.agent.answering.statement_checks import checked_statements
from rarr.errors import ModelError
from rarr.records import Notice, Passage
from rarr.records.answers import CitedStatement, StatementDraft
from rarr.testing import RETRIEVED_AT, ScriptedVerifier, scripted_components
from rarr.tools.models.run_budget import METER, Meter

BUILT = "The Orrel Viaduct was completed in 1912."
ARCHES = "The Orrel Viaduct has 24 arches of brick."
BOTH = "The Orrel Viaduct, with its 24 arches of brick, was completed in 1912."


def source(number: int, text: str) -> GivenSource:
    return GivenSource(
        number, Passage(text=text, source=f"{number}.md", start=0, end=len(text), retrieved_at=RETRIEVED_AT)
    )


SOURCES = QuestionSources([source(1, BUILT), source(2, ARCHES)])


async def checked(
    text: str, *cited: int, verifier: ScriptedVerifier | None = None
) -> tuple[StatementDraft, list[Notice]]:
    components = scripted_components(verifier=verifier or ScriptedVerifier(lambda sentence, evidence: 0.9))
    token = METER.set(Meter())
    try:
        written = [CitedStatement(text=text, citations=cited)]
        [draft], notices = await checked_statements("What is known of it?", written, SOURCES, components)
    finally:
        METER.reset(token)
    return draft, notices


async def test_passages_confirm_a_sentence_together() -> None:
    draft, _ = await checked(BOTH, 1, 2)
    assert (draft.citations, draft.status) == ((1, 2), "supported")


async def test_half_of_what_a_sentence_needs_is_no_support() -> None:
    draft, _ = await checked(BOTH, 1)
    assert (draft.citations, draft.status) == ((), "unconfirmed")


async def test_support_alone_confirms_no_value_that_the_passage_does_not_have() -> None:
    draft, _ = await checked("The Orrel Viaduct was completed in 1913.", 1)
    assert draft.status == "unconfirmed"
    assert draft.refused == ("[1]: the passage does not support the statement",)


async def test_statement_without_a_citation_gets_the_passage_that_supports_it() -> None:
    draft, _ = await checked(ARCHES)
    assert (draft.citations, draft.status) == ((2,), "supported")


async def test_sentences_of_a_statement_are_supported_by_their_own_passages() -> None:
    draft, _ = await checked(f"{BUILT} {ARCHES}", 1)
    assert (draft.citations, draft.status) == ((1, 2), "supported")


async def test_verifier_that_fails_leaves_a_statement_unjudged() -> None:
    draft, notices = await checked(BUILT, 1, verifier=ScriptedVerifier(ModelError("the server is down")))
    assert (draft.citations, draft.status, draft.needs_support) == ((), "unjudged", True)
    assert draft.refused == ("[1]: it could not be judged whether the passage supports the statement",)
    assert {notice.code for notice in notices} == {"verification_failed"}


@pytest.mark.parametrize("text", ["Here is what I found:", "The sources say the following."])
async def test_announcement_needs_no_support(text: str) -> None:
    draft, _ = await checked(text)
    assert (draft.status, draft.needs_support) == ("unjudged", False)


@pytest.mark.parametrize("text", ["It is safe.", "No.", "You may eat it.", "Nothing is known of it."])
async def test_short_statement_without_a_source_is_marked(text: str) -> None:
    draft, _ = await checked(text, verifier=ScriptedVerifier(lambda sentence, evidence: 0.0))
    assert (draft.status, draft.needs_support) == ("unconfirmed", True)
