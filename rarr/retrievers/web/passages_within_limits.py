"""Removes the passages that the limits on domains and dates do not allow."""

from collections.abc import Sequence

from rarr.records import Passage
from rarr.retrievers.web.domain_and_date_limits import SourceLimits
from rarr.tools.concurrency import work
from rarr.tools.models.run_budget import meter


async def within_limits(name: str, passages: Sequence[Passage], limits: SourceLimits) -> list[Passage]:
    """Returns the passages that `limits` allow.

    Warns if all passages of the source `name` lack the date or the address that the limits need: without the
    warning, the source would seem to find nothing.
    """
    kept = await work(limits.keep, passages)
    if passages and not kept and (missing := await work(limits.missing, passages)):
        meter().warn("source_left_out", f"the passages of {name} are left out, since they have {missing}")
    return kept
