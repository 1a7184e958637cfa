"""Pages become Markdown without menus, in the encoding that they name."""

import pytest

from rarr.retrievers.extract.pages_and_office import read_page

PAGE = """<html><head><title>Fruit</title><meta property="article:published_time" content="2020-03-04"></head>
<body><nav>Home Shop Contact</nav><article><h1>Peaches</h1>
<p>The <b>peach</b> is a fruit<i>.</i> It grows in Georgia, and in California as well.</p>
<h3>Where</h3><ul><li>Georgia</li><li>California<ul><li>Fresno</li></ul></li></ul>
<table><tr><th>State</th><th>Tons</th></tr><tr><td>California</td><td><p>505,000</p></td></tr></table>
<blockquote><p>Sweet.</p><p>Very.</p></blockquote><pre><code>peach = 1
pear = 2</code></pre></article></body></html>"""


@pytest.mark.slow
def test_a_page_becomes_markdown() -> None:
    assert read_page(PAGE.encode()).text.split("\n\n") == [
        "# Peaches",
        "The peach is a fruit. It grows in Georgia, and in California as well.",
        "### Where",
        "Georgia",
        "California Fresno",
        "| State | Tons |\n| --- | --- |\n| California | 505,000 |",
        "Sweet. Very.",
        "```\npeach = 1\npear = 2\n```",
    ]


def test_the_declared_encoding_is_used() -> None:
    page = (
        '<html><head><meta charset="windows-1251"></head><body><p>Персики растут в Грузии.</p></body></html>'
    )
    assert "Персики растут в Грузии." in read_page(page.encode("windows-1251")).text


def test_headings_and_short_lists_of_an_own_page_are_kept() -> None:
    ferry = b"""<html><body><nav><a href="/">Home</a></nav><main><h1>Rates</h1>
    <ul><li>Adults 6 euros</li></ul><h2>Times</h2><ul><li>10:00</li></ul></main></body></html>"""
    assert read_page(ferry, is_own=True).text == "# Rates\n\nAdults 6 euros\n\n## Times\n\n10:00"


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("12<sup>3</sup> exits", "12³ exits"),
        ("12<sup><a href='#n'>3</a></sup> exits", "12[3] exits"),
        ("12<sup>[b]</sup> exits", "12[b] exits"),
        ("the 4<sup>th</sup> exit", "the 4th exit"),
        ("<del>9</del>12 <s>old </s>exits", "12 exits"),
        ("<td><ul><li>10:00 <b>to</b> 12:00</li><li>14:00</li></ul></td>", "10:00 to 12:00; 14:00"),
    ],
)
def test_raised_notes_and_lists_in_cells_are_read(written: str, expected: str) -> None:
    part = f"<table><tr><td>When</td>{written}</tr></table>" if "<td" in written else f"<p>{written}</p>"
    filling = f"<p>{'It stands by the river and is old. ' * 20}</p>"
    page = f"<html><body><article>{filling}{part}{filling}</article></body></html>"
    assert expected in read_page(page.encode()).text
