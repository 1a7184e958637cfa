"""The annotations of GitHub workflows: their places, their order, and that no text can end a command."""

from document_findings import checks, document, finding, place, unjudged

from rarr.views.ci.github_annotations import github_annotations


def test_a_failing_sentence_is_an_error_at_its_place() -> None:
    assert github_annotations(checks(document(finding()))) == (
        "::error file=docs/dam.md,line=3,col=5,endColumn=40,title=Contradicted by the source::"
        "“The dam is 212 metres high.”; “212” differs: the source says “221 metres”;"
        " source: “It is 221 metres high.” (Dam, specs/dam.md:7)\n"
    )


def test_a_sentence_on_two_lines_has_no_last_column() -> None:
    (line,) = github_annotations(checks(document(finding(where=place(end_line=4))))).splitlines()
    assert line.startswith("::error file=docs/dam.md,line=3,col=5,title=")


def test_files_that_could_not_be_judged_and_failing_sentences_come_before_notices() -> None:
    text = github_annotations(checks(document(finding(fails=False), finding()), unjudged()))
    assert [line.split(" ")[0] for line in text.splitlines()] == ["::error", "::error", "::notice"]
    assert (
        "::error file=docs/other.md,title=rarr could not judge::could not be judged: the search failed"
        in text
    )


def test_names_and_texts_are_escaped() -> None:
    hostile = finding(text="100% sure.\n::error file=x::no")
    text = github_annotations(checks(document(hostile, file="a,b:c%\n::warning::d.md")))
    (line,) = text.splitlines()
    assert line.startswith("::error file=a%2Cb%3Ac%25%0A%3A%3Awarning%3A%3Ad.md,line=3,")
    assert "“100%25 sure. ::error file=x::no”" in line


def test_nothing_found_writes_nothing() -> None:
    assert github_annotations(checks(document())) == ""
