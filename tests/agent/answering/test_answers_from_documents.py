"""Questions to three documents: half have an answer there, and no other gets one."""

from pathlib import Path
from typing import NamedTuple

import pytest

from rarr import Answerer, Settings

HERE = Path(__file__).parent


class Asked(NamedTuple):
    """A question with words of its right answer; without any where the documents do not answer it."""

    question: str
    right: str


def questions() -> list[Asked]:
    lines = (HERE / "document_questions.tsv").read_text(encoding="utf-8").splitlines()
    return [Asked(*line.split("\t")) for line in lines]


@pytest.mark.slow
async def test_documents_answer_what_they_tell_and_nothing_else() -> None:
    right, wrong = 0, list[str]()
    async with Answerer(Settings(corpus=HERE / "documents")) as answerer:
        for asked in questions():
            told = await answerer.aanswer(asked.question)
            cited = " ".join(each.text for each in told.statements if each.citations)
            right += bool(asked.right and asked.right in cited)
            wrong += [asked.question] if cited and not (asked.right and asked.right in cited) else []
    assert wrong == []
    assert right >= 7
