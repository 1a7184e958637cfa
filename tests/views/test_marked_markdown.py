"""A text with its Markdown rendered and its marks: each at its words, whatever Markdown does to them."""

import pytest
from markupsafe import Markup

from rarr.records import Edit, Part, Sentence
from rarr.views.marked_markdown import Group, MarkedRun, Node, marked, quoted


def drawn(nodes: list[Node] | list[Markup | MarkedRun]) -> str:
    """The nodes as text: [n: a sentence], +inserted+, -deleted-, {state: words}."""
    return "".join(map(_drawn, nodes))


def _drawn(node: Node) -> str:
    if isinstance(node, Group):
        return f"[{node.number}{'' if node.first else '+'}: {drawn(node.nodes)}]"
    if isinstance(node, Markup):
        return node.replace("\n", "")
    words = f"{{{node.part.state}: {node.text}}}" if node.part else node.text
    sign = {"kept": "", "inserted": "+", "deleted": "-"}[node.kind]
    return f"{sign}{words}{sign}"


def sentence(text: str, words: str, *parts: str) -> Sentence:
    start = text.index(words)
    places = [(start + words.index(part), part) for part in parts]
    return Sentence(
        text=words,
        start=start,
        end=start + len(words),
        status="supported",
        parts=tuple(Part(start=at, end=at + len(part), state="open") for at, part in places),
    )


def edit(text: str, old: str, new: str, **fields: str) -> Edit:
    start = text.index(old)
    known = {"id": "e1", "query_id": "", "evidence_id": "", "state": "accepted", "reason": ""} | fields
    return Edit.model_validate(known | {"start": start, "end": start + len(old), "old": old, "new": new})


@pytest.mark.parametrize(
    ("text", "words", "html"),
    [
        ("One two. Three.", "Three.", "<p>One two. [1: Three.]</p>"),
        ("**One** two. Three.", "**One** two.", "<p>[1: <strong>One</strong> two.] Three.</p>"),
        ("One **two.** Three.", "One **two.**", "<p>[1: One <strong>two.</strong>] Three.</p>"),
        ("**One.**", "One.", "<p>[1: <strong>One.</strong>]</p>"),
        ("**One. Two** three.", "Two** three.", "<p><strong>One. [1: Two]</strong>[1+:  three.]</p>"),
        ("A\\*b &amp; c. D", "A\\*b &amp; c.", "<p>[1: A*b & c.] D</p>"),
        ("a `b * c` d.", "a `b * c` d.", "<p>[1: a <code>b * c</code> d.]</p>"),
        ("# One\n\nTwo.", "One", "<h3>[1: One]</h3><p>Two.</p>"),
        ("- One.\n- Two.", "Two.", "<ul><li>One.</li><li>[1: Two.]</li></ul>"),
        ("> One\n> two.", "One\n> two.", "<blockquote><p>[1: One<br />two.]</p></blockquote>"),
    ],
)
def test_sentence_is_marked_at_its_words(text: str, words: str, html: str) -> None:
    assert drawn(marked(text, [], [sentence(text, words)]).nodes) == html


def test_row_of_a_table_is_a_sentence_in_its_cells() -> None:
    text = "| a | b |\n|--:|---|\n| 1 | 2 |\n"
    html = drawn(marked(text, [], [sentence(text, "| 1 | 2 |", "2")]).nodes)
    assert "<tr><td>[1: 1]</td><td>[1+: {open: 2}]</td></tr>" in html
    assert "style" not in html


def test_deciding_words_are_marked_in_place() -> None:
    text = "The **Sky** is blue."
    whole = marked(text, [], [sentence(text, text, "Sky", "blue")])
    assert drawn(whole.nodes) == "<p>[1: The <strong>{open: Sky}</strong> is {open: blue}.]</p>"
    assert drawn(whole.shown[1]) == "The <strong>{open: Sky}</strong> is {open: blue}."


def test_edits_are_shown_in_place() -> None:
    text = "It opened in *1936*."
    revised = text.replace("1936", "1937")
    html = drawn(marked(text, [edit(text, "1936", "1937")], [sentence(revised, revised, "1937")]).nodes)
    assert html == "<p>[1: It opened in <em>-1936-+{open: 1937}+</em>.]</p>"


def test_links_lead_to_the_web_alone_and_images_are_not_loaded() -> None:
    text = (
        '[a](javascript:alert(1)) [b](https://b.org/x "t") ![c](https://c.org/x.png) [d](data:text/html,x) '
        "<https://e.org> <script>f</script> [g](other.md) [h](java&#10;script:alert(1)) [i](//i.org)"
    )
    tags = [node for node in marked(text, [], []).nodes if isinstance(node, Markup)]
    assert [tag for tag in tags if "href" in tag] == [
        '<a href="https://b.org/x" title="t" rel="noopener noreferrer">',
        '<a href="https://c.org/x.png" rel="noopener noreferrer">',
        '<a href="https://e.org" rel="noopener noreferrer">',
    ]
    assert not any("<img" in tag or "<script" in tag for tag in tags)


def test_marked_runs_within_a_link_are_flagged_and_not_focusable() -> None:
    text = "[One. Two.](https://a.org)"
    whole = marked(text, [], [sentence(text, "One."), sentence(text, "Two.")])
    assert drawn(whole.nodes) == '<p><a href="https://a.org" rel="noopener noreferrer">One. Two.</a></p>'
    assert {node.linked for node in whole.nodes if isinstance(node, MarkedRun)} == {True}
    assert whole.shown == {}


def test_sentence_that_markdown_does_not_show_is_not_shown() -> None:
    text = "One.\n\n[a]: https://a.org\n"
    assert list(marked(text, [], [sentence(text, "One."), sentence(text, "https://a.org")]).shown) == [1]


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("\n\n# The *bridge*\n\nIt opened.", "The bridge"),
        ("One.\nTwo.", "One."),
        ("- One\n- Two", "One"),
        ("```\ncode\n```", ""),
        ("a " * 100, "a " * 49 + "a…"),
    ],
)
def test_title_is_the_first_line(text: str, title: str) -> None:
    assert marked(text, [], []).title == title


def test_quotation_marks_the_deciding_words_of_the_passage() -> None:
    assert quoted("It opened in 1937.", ["1937", "1936"]) == [
        (False, "It opened in "),
        (True, "1937"),
        (False, "."),
    ]
    assert quoted("It (opened).", ["(opened)"]) == [(False, "It "), (True, "(opened)"), (False, ".")]
    assert quoted("It opened.", []) == [(False, "It opened.")]
