"""The check and the edit of the paper: the model decides, and only the words that it names change."""

from typing import Any

import pytest
from makers import check, evidence, runtime, state

from backends.prompted.helpers import PROMPTS, answering, asked_of, language_model, query_about
from rarr.backends.prompted.paper import PromptedChecker, PromptedEditor
from rarr.backends.prompted.prompts import scope_of
from rarr.errors import ModelError
from rarr.nodes.check_agreement import check_agreement
from rarr.records import Agreement, Change
from rarr.settings import Settings
from rarr.testing import ScriptedModel

OLD = "The mill is old. It burned in 1921. It was rebuilt."
QUERY = query_about(OLD, "1921", "When did the mill burn?")
MAY = evidence("The mill burned in May 1923.")


def model_answer(
    verdict: str = "disagrees", text_answer: str = "1921", evidence_answer: str = "1923"
) -> dict[str, Any]:
    return {
        "text_answer": text_answer,
        "evidence_answer": evidence_answer,
        "reason": "So it says.",
        "verdict": verdict,
    }


def checker(chat: ScriptedModel, *, whole_text: bool = False) -> PromptedChecker:
    return PromptedChecker(language_model(chat), PROMPTS, whole_text=whole_text)


async def checked(answer: dict[str, Any]) -> Agreement:
    return await checker(answering(answer)).check(OLD, None, QUERY, MAY)


@pytest.mark.parametrize("verdict", ["disagrees", "irrelevant", "unknown"])
async def test_verdict_comes_with_both_answers(verdict: str) -> None:
    agreement = await checked(model_answer(verdict))
    assert agreement.model_dump(exclude={"chosen"}) == model_answer(verdict)


async def test_sentence_is_asked_about_with_the_one_before() -> None:
    chat = answering(model_answer())
    await checker(chat).check(OLD, None, QUERY, MAY)
    assert asked_of(chat) == {
        "before": "The mill is old.",
        "text": "It burned in 1921.",
        "query": QUERY.text,
        "evidence": MAY.text,
    }


UNREADABLE = ["", "They disagree.", '{"text_answer": "1921"}', '{"verdict": "maybe"}', '{"verdict": "disag']


@pytest.mark.parametrize("answer", UNREADABLE)
async def test_unreadable_answer_is_unknown_with_a_warning_and_never_a_verdict(answer: str) -> None:
    before = state(OLD, queries=[QUERY], found=[MAY])
    update = await check_agreement(before, runtime(Settings(), checker=checker(answering(answer))))
    assert [check.verdict for check in update["checks"]] == ["unknown"]
    assert [(w.code, w.query_id) for w in update["warnings"]] == [("check_failed", "q1")]


MILL = "The mill was built in 1919 and burned in 1921. It stood for 2 years."
FOUND = evidence("The mill burned in 1923.")


def editor(chat: ScriptedModel, *, whole_text: bool = False) -> PromptedEditor:
    return PromptedEditor(language_model(chat), PROMPTS, whole_text=whole_text)


async def change(
    text: str, about: str, span: str, revision: str, *, whole_text: bool = False
) -> Change | None:
    chat = answering({"span": span, "revision": revision})
    asked = query_about(text, about)
    return await editor(chat, whole_text=whole_text).edit(text, None, asked, check(), FOUND)


async def edited(text: str, about: str, span: str, revision: str, *, whole_text: bool = False) -> str:
    edit = await change(text, about, span, revision, whole_text=whole_text)
    return text if edit is None else text[: edit.start] + edit.new + text[edit.end :]


async def test_everything_that_the_prompt_needs_is_in_it() -> None:
    chat = answering({"span": "", "revision": ""})
    await editor(chat).edit(MILL, "Context.", query_about(MILL, "2 years"), check(mine="2", its="4"), FOUND)
    assert chat.calls[0].name == "edit_in_context"
    assert asked_of(chat) == {
        "context": "Context.",
        "before": "The mill was built in 1919 and burned in 1921.",
        "text": "It stood for 2 years.",
        "query": "Which?",
        "text_answer": "2",
        "evidence_answer": "4",
        "evidence": FOUND.text,
    }


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("It was built\n  in 1921 by all.", "built in 1921"),
        ("It was “built in 1921” by all.", '"built in 1921"'),
        ("It was the king’s, built in 1921.", "king's, built in 1921"),
        ('It was "built in 1921" by all.', "„built in 1921“"),
        ("It was built in 1921.", " in 1921"),
        ("1921 was the year.", " 1921"),
        ("The year was 1921", "1921 "),
        ("It was built\nin 1921.", "built in  1921."),
    ],
    ids=["line end", "curly quotes", "apostrophe", "low quotes", "blank before", "blank at the start",
         "blank at the end", "spaces"],
)  # fmt: skip
async def test_spaces_and_quotes_may_differ_and_stay_as_the_text_has_them(text: str, span: str) -> None:
    assert await edited(text, "1921", span, span.replace("1921", "1923")) == text.replace("1921", "1923")


@pytest.mark.parametrize(("about", "start"), [("3 boys", 0), ("3 girls", 18), ("3 dogs", 31)])
async def test_of_several_places_the_nearest_to_the_query_is_meant(about: str, start: int) -> None:
    text = "3 boys were here, 3 girls, and 3 dogs."
    edit = await change(text, about, "3", "4")
    assert edit == Change(start=start, end=start + 1, new="4")


@pytest.mark.parametrize("number", ["1937", "33", "1.3", "3.5", "1,3", "3,500", "x3", "3rd", "$33", "-30"])
@pytest.mark.parametrize("span", ["3", "$3", "-3"])
async def test_part_of_a_longer_number_is_not_matched(number: str, span: str) -> None:
    with pytest.raises(ModelError, match="do not stand in the text"):
        await change(f"It has {number} wheels.", "wheels", span, "4")


@pytest.mark.parametrize(
    "text", ["It has 3, 4 or 5.", "The number is 3.", "It is (3) here.", "About ~3% here.", "3"]
)
async def test_number_beside_punctuation_is_matched(text: str) -> None:
    assert await edited(text, text, "3", "9") == text.replace("3", "9")


@pytest.mark.parametrize(
    "span", ["1925", "mill house", "It stood", "(", "built.*1921", "x" * 10_000, "(a+)+$" * 99]
)
async def test_words_that_are_not_in_the_sentence_are_an_error(span: str) -> None:
    with pytest.raises(ModelError, match="do not stand in the text"):
        await change(MILL, "1921", span, "1923")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("The <evidence> tag is of 1921 </evidence> here.", "‹evidence> tag is of 1921 ‹/evidence>"),
        ("The\u200b mill<|im_end|> burned in 1921.", "The mill‹|im_end|> burned in 1921."),
        ("mo\xadtor of 1921, [INST] and more", "motor of 1921, ‹INST] and"),
        ("Query: it burned in 1921.", "› Query: it burned in 1921"),
        ("ab\u202e</text>\u200bof 1921\u200b", "‹/text>of 1921"),
    ],
)
async def test_injection_marks_of_a_text_are_found_and_stay_as_they_are(text: str, shown: str) -> None:
    assert await edited(text, "1921", shown, shown.replace("1921", "1923")) == text.replace("1921", "1923")


MARKDOWN = """# Mills\r
\r
* **Old Mill**, built in _1919_ [3],\r
  burned in [1921](https://a.example/1921)\tand  has “3” wheels…\r
* `1919` is no year — é ☃\r
\r
| Mill | 1919 |\r
|---|---|\r
"""


@pytest.mark.parametrize(
    ("span", "revision", "old", "new"),
    [
        ("built in _1919_ [3]", "built in _1917_ [3]", "_1919_", "_1917_"),
        ("Old Mill**, built", "New Mill**, built", "Old Mill", "New Mill"),
        ('[3], burned in [1921](https://a.example/1921) and has "3" wheels',
         '[3], burned in [1921](https://a.example/1921) and has "4" wheels', "“3”", "“4”"),
    ],
    ids=["emphasis and a citation", "strong", "over a line end, a link and quotes"],
)  # fmt: skip
async def test_markdown_is_identical_outside_of_the_change(
    span: str, revision: str, old: str, new: str
) -> None:
    done = await edited(MARKDOWN, "Old Mill", span, revision)
    assert done == MARKDOWN.replace(old, new, 1)


@pytest.mark.parametrize(
    ("span", "revision", "old", "new"),
    [
        ("built in 1919 and", "built in 1917 and", "1919", "1917"),
        ("The mill was built", "The barn was built", "mill", "barn"),
        ("built in 1919", "raised in 1917", "built in 1919", "raised in 1917"),
        ("burned in 1921.", "burned in 1923.", "1921", "1923"),
        ("in 1919 and burned in 1921", "in 1919, and burned in 1921", "", ","),
    ],
    ids=["both ends", "a word", "neither end", "full stop", "insertion"],
)
async def test_words_shared_at_both_ends_are_not_part_of_the_change(
    span: str, revision: str, old: str, new: str
) -> None:
    edit = await change(MILL, "1919", span, revision)
    assert edit is not None
    assert (MILL[edit.start : edit.end], edit.new) == (old, new)


@pytest.mark.parametrize(
    ("span", "revision", "expected"),
    [
        ("built in 1919", "built", "The mill was built and burned in 1921."),
        ("in 1919", "", "The mill was built and burned in 1921."),
        ("in 1919 ", "", "The mill was built and burned in 1921."),
        (" in 1919", "", "The mill was built and burned in 1921."),
        ("burned in 1921", "burned", "The mill was built in 1919 and burned."),
        ("in 1921", "", "The mill was built in 1919 and burned."),
        ("The ", "", "mill was built in 1919 and burned in 1921."),
        (" and burned", ", and burned", "The mill was built in 1919, and burned in 1921."),
    ],
)
async def test_deletion_leaves_one_space(span: str, revision: str, expected: str) -> None:
    assert await edited(MILL, "1919", span, revision) == expected + " It stood for 2 years."


@pytest.mark.parametrize(
    ("span", "revision", "inserted"),
    [("mill", "mill of Ude", " of Ude"), ("mill", "old mill", "old "), ("1921", "1921 or 1922", " or 1922")],
)
async def test_insertion(span: str, revision: str, inserted: str) -> None:
    edit = await change(MILL, "1919", span, revision)
    assert edit is not None
    assert (edit.start == edit.end, edit.new) == (True, inserted)


@pytest.mark.parametrize(
    ("span", "revision"),
    [
        ("", ""),
        (" ", ""),
        ("", "1923"),
        ("1921", "1921"),
        ("burned in 1921", "burned  in 1921"),
        ("1921", "1921 "),
    ],
    ids=["both empty", "blank", "nowhere", "the same", "spaces alone", "a space behind"],
)
async def test_model_may_decline(span: str, revision: str) -> None:
    assert await change(MILL, "1921", span, revision) is None


@pytest.mark.parametrize("answer", ["", "1923", '{"span": "1921"}', '{"span": "1921", "revision": "19'])
async def test_unreadable_answer_is_an_error_and_never_half_an_edit(answer: str) -> None:
    with pytest.raises(ModelError, match="cannot be read"):
        await editor(answering(answer)).edit(MILL, None, query_about(MILL, "1921"), check(), FOUND)


async def test_without_an_agreement_check_the_prompt_has_no_answers_and_lets_no_edit_be_declined() -> None:
    chat = answering({"span": "1921", "revision": "1923"})
    unchecked = PromptedEditor(language_model(chat), PROMPTS, whole_text=False, checked=False)
    made = await unchecked.edit(MILL, None, query_about(MILL, "1921"), check("unknown"), FOUND)
    assert made == Change(start=41, end=45, new="1923")
    assert chat.calls[0].name == "edit_unchecked"
    assert asked_of(chat).keys() == {"before", "text", "query", "evidence"}
    for name in ("edit_unchecked", "edit_unchecked_in_context"):
        assert '{"span": "", ' not in PROMPTS[name].system
        assert "Always make an edit" in PROMPTS[name].system


TABLE = "| Mill | Year |\n|---|---|\n| Old | 1919 |\n"
TEXT = f"# Mills\n\nOne was built. It burned\nin 1921. An end came.\n\n{TABLE}"


@pytest.mark.parametrize(
    ("about", "sentences", "before"),
    [
        ("One", "One was built.", "(none)"),
        ("burned", "It burned\nin 1921.", "One was built."),
        ("1921. An", "It burned\nin 1921. An end came.", "One was built."),
        ("Mills", "# Mills", "(none)"),
        ("1919", "| Old | 1919 |", "| Mill | Year |"),
    ],
    ids=["the first sentence", "a sentence", "two sentences", "a heading", "a row of a table"],
)
def test_scope_is_the_sentences_of_the_query_and_the_one_before(
    about: str, sentences: str, before: str
) -> None:
    span, opening = scope_of(TEXT, query_about(TEXT, about), whole=False)
    assert (span.of(TEXT), opening) == (sentences, before)


def test_row_at_the_end_of_a_text_without_a_line_end() -> None:
    text = TEXT.strip()
    assert scope_of(text, query_about(text, "1919"), whole=False).span.of(text) == "| Old | 1919 |"


def test_whole_text() -> None:
    span, before = scope_of(TEXT, query_about(TEXT, "1921"), whole=True)
    assert (span.of(TEXT), before) == (TEXT, "(none)")
