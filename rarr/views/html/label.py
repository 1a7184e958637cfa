"""Writes items as one page of HTML on which people rate them: without a server, and without a network."""

from collections.abc import Sequence

from rarr.evals.rating import FORMAT, QUESTIONS, RatingItem, digest_of
from rarr.tools.pages.html_rendering import render

__all__ = ["label_page"]


def label_page(items: Sequence[RatingItem]) -> str:
    """Renders the HTML page on which people rate these items. Write it as UTF-8."""
    return render(
        "views/html/label_page/page.html",
        items=[item.model_dump(mode="json", exclude_defaults=True) for item in items],
        digest_of_items=digest_of(items),
        format=FORMAT,
        questions={question.name: question for question in QUESTIONS},
    )
