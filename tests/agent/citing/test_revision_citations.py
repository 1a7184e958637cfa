"""A revision that is made already is cited: its revised text, with the numbers that the text leaves free."""

from agent.citing.supported import researched
from rarr.agent.citing.revision_citations import cited_revision
from rarr.records import Edit


def test_revised_text_is_cited_and_edits_stay_in() -> None:
    revised = researched("It opened in 1937. It is red.")
    edit = Edit(
        id="e1", start=13, end=17, old="1936", new="1937", query_id="q1", evidence_id="q1.1",
        state="accepted", reason="",
    )  # fmt: skip
    revision = revised.model_copy(
        update={"original": "It opened in 1936. It is red.", "changed": True, "edits": (edit,)}
    )
    cited = cited_revision(revision)
    assert cited.text.startswith("It opened in 1937.[1] It is red.[2]")
    assert (cited.original, cited.without_citations()) == (revision.text, revision.text)


def test_numbers_follow_those_of_the_text() -> None:
    cited = cited_revision(researched("It opened in 1937. It is red [4]."))
    assert {citation.number for citation in cited.citations} == {5, 6}


def test_unsupported_sentences_get_no_citation() -> None:
    revision = researched("It opened in 1937. It is red.")
    first, second = revision.report.sentences
    report = revision.report.model_copy(
        update={"sentences": (first, second.model_copy(update={"status": "unjudged", "evidence_ids": ()}))}
    )
    cited = cited_revision(revision.model_copy(update={"report": report}))
    assert [citation.sentence_start for citation in cited.citations] == [0]
