"""`RarrRunnable` in chains: values of every type, batches, streams, callbacks and wrong calls."""

from typing import Any

import pytest
from agent.dams import ANSWER, FINISHED, HEIGHT, RIGHT, UNKNOWN, WRONG, YEAR
from langchain_core.documents import Document
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnablePassthrough

from integrations.chat_models import QUESTION, Begun
from rarr import InputError, Postprocessed, Reviser, Settings
from rarr.integrations.langchain import RarrRunnable
from rarr.testing import InMemoryRetriever

PROMPT = ChatPromptTemplate.from_template("{question}")
GIVEN: dict[str, Any] = {"answer": WRONG, "question": QUESTION, "sources": [HEIGHT]}


def model(answer: str = WRONG) -> FakeListChatModel:
    return FakeListChatModel(responses=[answer])


def known() -> RarrRunnable:
    return RarrRunnable(search=InMemoryRetriever([HEIGHT, YEAR]))


def test_message_of_a_chain_comes_back_revised_with_the_record() -> None:
    result = (PROMPT | model() | known()).invoke({"question": QUESTION})
    assert isinstance(result, AIMessage)
    assert result.content == RIGHT
    record = Postprocessed.model_validate(result.response_metadata["rarr"])
    assert (record.text, record.original, record.notice) == (RIGHT, WRONG, "1 corrected, 1 confirmed")


def test_retrieval_chain_gives_its_documents_as_sources() -> None:
    chain = RunnablePassthrough.assign(answer=PROMPT | model(ANSWER)) | RarrRunnable(search="given")
    documents = [Document(HEIGHT, metadata={"source": "dam.txt"}), Document(" "), Document(YEAR)]
    result = chain.invoke({"question": QUESTION, "context": documents})
    assert result["answer"].content == f"{RIGHT} {FINISHED} {UNKNOWN}"
    assert [citation.source for citation in result["rarr"].citations] == ["dam.txt", "passage 2"]


@pytest.mark.parametrize("empty", ["", " \n", AIMessage(""), AIMessage(" ")])
def test_empty_answer_passes_unchanged(empty: Any) -> None:
    assert known().invoke(empty) is empty
    assert known().invoke({"answer": empty}) == {"answer": empty, "rarr": None}


def test_reviser_of_the_caller_is_used() -> None:
    with Reviser(Settings(search=InMemoryRetriever([HEIGHT]))) as reviser:
        assert RarrRunnable(reviser).invoke(WRONG) == RIGHT
        other: Any = {"answer": WRONG, "sources": ["Hoover Dam is 230 metres high."]}
        result: Any = RarrRunnable(reviser, search="given").invoke(other)
        assert result["answer"] == RIGHT.replace("221", "230")


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (3, r"the input is an int: give a str, an AIMessage, or a dict with answer"),
        (HumanMessage("Hi."), "the input is a HumanMessage: give a str, an AIMessage"),
        ([AIMessage("Hi.")], "the input is a list: give a str"),
        ({"text": "Hi."}, "the input is a dict without answer: give a str"),
        ({"answer": 3}, "answer is an int: give a str"),
        ({"answer": "Hi.", "sources": 3}, "sources is an int: give a text, or a list of texts and documents"),
        ({"answer": "Hi.", "context": [3]}, "passage 1 is an int: give a text"),
        ({"answer": "Hi.", "question": 3}, "context is an int: give a str, or a list of messages"),
    ],
)
def test_wrong_input_is_refused_with_its_cure(value: Any, message: str) -> None:
    begun = Begun()
    with pytest.raises(InputError, match=message):
        known().invoke(value, {"callbacks": [begun]})
    assert [type(error) for error in begun.failed] == [InputError]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mode": "mark"}, "mode is 'mark': give one of"),
        ({"deadline_s": 0}, "deadline_s is 0: give seconds above 0"),
        ({"modle": "embedded"}, "modle"),
        ({"reviser": 3}, r"reviser is an int: give rarr.Reviser"),
        ({"reviser": Settings()}, r"reviser is a Settings: give rarr.Reviser"),
    ],
)
def test_wrong_options_are_refused_when_the_step_is_made(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        RarrRunnable(**options)
