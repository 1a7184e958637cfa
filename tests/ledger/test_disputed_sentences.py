"""Which sentences of an article a passage of its sources contradicts."""

import pytest
from makers import evidence

from rarr.ledger.disputed_sentences import with_disputes
from rarr.records import Evidence, Status
from rarr.records.articles import WrittenSentence

FOUNDED = "Velmar was founded in 1243 by Bishop Aldric."
OTHER = "Velmar was founded in 1261 by Bishop Aldric."
PAGE = f"{FOUNDED} The railway reached Velmar in 1871."


def page(text: str, number: int) -> Evidence:
    passage = evidence(text, id=f"q1.{number}", source=f"{number}.md")
    return passage.model_copy(update={"title": "Velmar"})


def judged(sentence: str, *texts: str, status: Status = "supported") -> tuple[WrittenSentence, list[str]]:
    written = WrittenSentence(
        section_id="s1", start=0, end=len(sentence), evidence_ids=("q1.1",), status=status
    )
    passages = [page(text, number) for number, text in enumerate(texts, start=1)]
    [after], notices = with_disputes(sentence, [written], passages)
    return after, [notice.message for notice in notices]


def test_other_source_with_another_year_contradicts() -> None:
    after, [message] = judged(FOUNDED, PAGE, f"A guide. {OTHER}")
    assert (after.status, after.disputed_by, after.evidence_ids) == ("contradicted", ("q1.2",), ("q1.1",))
    assert all(part in message for part in ("1.md", "2.md", "1243", "1261"))


def test_source_that_says_both_contradicts_itself() -> None:
    after, messages = judged(
        "Velmar has 900 inhabitants.", "Velmar has 900 inhabitants. Velmar has 870 inhabitants."
    )
    assert (after.status, len(messages)) == ("contradicted", 1)


@pytest.mark.parametrize(
    "other",
    [
        PAGE,
        "Hosk was founded in 1312 by Bishop Aldric.",
        "Velmar was besieged in 1634.",
        "In 1243, Bishop Aldric founded Velmar.",
        "The museum of Velmar was founded in 1905.",
    ],
)
def test_what_is_no_contradiction_leaves_the_sentence_supported(other: str) -> None:
    after, messages = judged(FOUNDED, PAGE, other)
    assert (after.status, messages) == ("supported", [])


def test_sentence_without_support_is_not_compared() -> None:
    assert judged(FOUNDED, PAGE, OTHER, status="unconfirmed")[0].status == "unconfirmed"


def test_both_sentences_are_contradicted_if_the_article_has_both() -> None:
    old, new = "The old harbour of Velmar closed in 1974.", "The old harbour of Velmar closed in 1979."
    text = f"{old} {new}"
    written = [
        WrittenSentence(
            section_id="s1", start=text.index(each), end=text.index(each) + len(each), evidence_ids=(name,),
            status="supported",
        )
        for each, name in ((old, "q1.1"), (new, "q1.2"))
    ]  # fmt: skip
    after, notices = with_disputes(text, written, [page(old, 1), page(new, 2)])
    assert [each.disputed_by for each in after] == [("q1.2",), ("q1.1",)]
    assert len(notices) == 2
