"""The source of the page on which people rate: texts from outside stay data."""

import json
import re
from typing import Any

from rarr.evals.rating import RatingItem, digest_of
from rarr.evals.rows import RatedPassage
from rarr.views.pages import label_page

WILD = (
    "</script><script>alert(1)</script><!-- <img src=x onerror=alert(2)>"
    " & \u202e \u200b \U0001f600 {{ 7 * 7 }}"
)


def embedded(page: str) -> Any:
    (text,) = re.findall(r'<script type="application/json" id="items">(.*?)</script>', page, re.DOTALL)
    return json.loads(text)


def test_items_come_through_the_page_as_they_are() -> None:
    item = RatingItem(
        id=WILD,
        claim=WILD,
        evidence=(RatedPassage(text=WILD, title=WILD, source="javascript:alert(3)"),),
        question=WILD,
        original=WILD,
        revised=WILD,
    )
    page = label_page([item])
    assert page.count("<script") == 2  # the items, and our own script
    assert "<img" not in page
    assert digest_of([RatingItem.model_validate(row) for row in embedded(page)]) == digest_of([item])
