"""The pieces of pages."""

from rarr.tools.text.markup import linked


def test_long_address_is_cut_where_it_is_shown_and_whole_where_it_leads() -> None:
    address = "https://example.org/" + "x" * 200_000
    html = linked(address)
    assert html.count("x" * 200_000) == 1
    assert f'href="{address}"' in html
    assert len(linked("notes/" + "x" * 200_000, "Notes")) < 1000
