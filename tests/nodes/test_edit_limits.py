"""An edit is made only within the limits, in prose, and adds nothing but words."""

import pytest
from makers import TEXT

from nodes.disputes import changes, disputed, only_edit
from rarr.records import Change
from rarr.settings import Settings
from rarr.testing import ScriptedEditor, ScriptedVerifier

RISES = ScriptedVerifier(lambda sentence, evidence: 0.0 if "Georgia" in sentence else 1.0)


@pytest.mark.parametrize(("limit", "accepted"), [(9, False), (10, True)])
async def test_max_edit_chars(limit: int, accepted: bool) -> None:
    editor = changes(0, 7, "G" + "x" * 10)  # ten of eleven characters differ
    settings = Settings(max_edit_chars=limit, verify=False)
    done = await only_edit(disputed(), settings, editor=editor)
    assert done.accepted == accepted
    assert accepted or done.reason == f"it changes 10 characters, over max_edit_chars ({limit})"


@pytest.mark.parametrize(("share", "accepted"), [(0.19, False), (0.2, True)])
async def test_max_edit_share(share: float, accepted: bool) -> None:
    text = "Georgia is nice in June.."  # 25 characters, 5 of which change
    editor = changes(0, 7, "Geo--xyz")
    settings = Settings(max_edit_share=share, verify=False)
    done = await only_edit(disputed(text), settings, editor=editor)
    assert done.accepted == accepted
    assert accepted or "max_edit_share" in done.reason


async def test_edit_that_deletes_its_sentence_is_refused() -> None:
    settings = Settings(max_edit_share=1)
    done = await only_edit(disputed(), settings, editor=changes(0, len(TEXT), ""))
    assert done.reason == "the change deletes the sentence"


@pytest.mark.parametrize(
    "text",
    [
        "The file `Georgia.txt` lists the peaches of that state.",
        "The [peaches of Georgia](https://a.example) are known well.",
        "Peaches are known well [Georgia].",
        "Peaches are known well (Georgia, 2019).",
        "See https://a.example/Georgia for more on these peaches.",
    ],
    ids=["code", "link", "citation", "reference", "address"],
)
async def test_code_links_and_citations_are_never_edited(text: str) -> None:
    done = await only_edit(disputed(text), verifier=RISES)
    assert (done.accepted, done.reason) == (False, "the change touches code, a link or a citation")


async def test_code_that_reaches_over_the_end_of_a_sentence_is_not_edited() -> None:
    text = "The command `say so. Georgia grows` prints a line."
    assert not (await only_edit(disputed(text), verifier=RISES)).accepted


@pytest.mark.parametrize(
    "text",
    [
        "```\nGeorgia grows peaches.\n```\n",
        "It says:\n\n    Georgia grows peaches.\n\nIt is old.",
        "It says:\n\n\tGeorgia grows peaches.\n",
        "| State |\n|---|\n| Georgia |\n",
        "# Georgia grows peaches.\n",
    ],
    ids=["code", "indented", "tab", "table", "heading"],
)
async def test_only_prose_is_edited(text: str) -> None:
    done = await only_edit(disputed(text), verifier=RISES)
    assert (done.accepted, done.reason) == (False, "the change does not lie within one sentence")


@pytest.mark.parametrize(("start", "end"), [(4, 12), (-3, 2), (2, 900), (5, 2)])
async def test_change_outside_one_sentence_is_rejected(start: int, end: int) -> None:
    editor = changes(start, end, "x")
    done = await only_edit(disputed("Peaches. Georgia has them."), editor=editor, verifier=RISES)
    assert done.reason == "the change does not lie within one sentence"


@pytest.mark.parametrize(
    "new",
    [
        "[Texas](http://evil)",
        "<b>Texas</b>",
        "Texas [4]",
        "Texas\n\n# Owned",
        "Tex\x00as",
        "Tex\ud800as",
        "Tex\u202eas",
        "`Texas`",
    ],
)
async def test_edit_that_adds_more_than_words_is_refused(new: str) -> None:
    editor = ScriptedEditor(lambda *_: Change(start=0, end=7, new=new))
    done = await only_edit(disputed(), editor=editor)
    assert (done.accepted, done.reason) == (
        False, "the change adds a link, a citation, markup or a line",
    )  # fmt: skip
