"""Says in one line what a run found about an answer, and whether all of the answer was judged."""

from collections import Counter
from typing import NamedTuple, get_args

from rarr.records import Revision, Sentence
from rarr.records.citations import Cited
from rarr.records.postprocessing import Doubt, Outcome
from rarr.tools.text.blocks_and_sentences import Span
from rarr.tools.text.citation_marks import source_list_places
from rarr.tools.text.wording import counted, is_failure, nothing_checked

_MORE = {
    "source_failed": "; a source could not be searched",
    "html_not_checked": "; blocks of HTML were not read",
    "table_not_checked": "; a table was not read",
    "character_replaced": "; characters that are not valid became U+FFFD",
}
"""What a user should know besides the counts, by the code of the warning."""
_CLASSES = ("contradicted", "not confirmed", "not judged", "confirmed", "not checked")
"""The classes of sentences; each sentence is in one. Nothing was asked about those `not checked`."""
_BY_STATUS = {"supported": "confirmed", "contradicted": "contradicted", "retrieval_failed": "not judged"}


class Summary(NamedTuple):
    """The outcome of a run, and the line for a user."""

    outcome: Outcome
    notice: str


def summary(revision: Revision, cited: Cited | None = None) -> Summary:
    """Returns the outcome of a run, and a line for the user that counts sentences, corrections and citations.

    The sentences count as contradicted, not confirmed, not judged, confirmed or not checked. `cited` is the
    text with its citations, if it was cited.
    """
    if why := nothing_checked(revision):
        return Summary("failed", f"not checked: {why}")
    classes = Counter(_class(sentence, revision) for sentence in _stated(revision))
    counts = {
        "corrected": sum(edit.accepted for edit in revision.edits),
        **{name: classes[name] for name in _CLASSES},
        "cited": len(cited.citations) if cited else 0,
    }
    parts = [f"{count:,} {what}" for what, count in counts.items() if count]
    if wrong := sum(check.state == "not_supported" for check in (cited.existing if cited else ())):
        parts.append(counted(wrong, "wrong citation"))
    codes = Counter(notice.code for notice in revision.warnings)
    disputed = codes["sources_disagree"]
    more = f"; sources disagree about {counted(disputed, 'sentence')}" if disputed else ""
    more += "".join(line for code, line in _MORE.items() if codes[code])
    if all(part.endswith("not checked") for part in parts):
        return Summary("nothing_to_check", f"nothing to check{more}")
    incomplete = (classes["not judged"] and _failed(revision)) or codes["doubt_failed"]
    return Summary("partial" if incomplete else "finished", ", ".join(parts) + more)


def doubtful(revision: Revision) -> list[Sentence]:
    """Returns the sentences that evidence contradicts or does not confirm."""
    kinds = get_args(Doubt)
    return [sentence for sentence in _stated(revision) if _class(sentence, revision) in kinds]


def unjudged(revision: Revision) -> list[Sentence]:
    """Returns the sentences that were not judged: after a failure, or since no question asks about them."""
    return [sentence for sentence in _stated(revision) if _class(sentence, revision) == "not judged"]


def _stated(revision: Revision) -> list[Sentence]:
    """Returns the sentences of the text without those of its own list of sources, which need no evidence."""
    listed = source_list_places(revision.text)
    return [
        sentence
        for sentence in revision.report.sentences
        if not any(Span(sentence.start, sentence.end).overlaps(place) for place in listed)
    ]


def _class(sentence: Sentence, revision: Revision) -> str:
    """Returns how a sentence counts: contradicted, not confirmed, not judged, confirmed or not checked.

    An unjudged sentence with parts is `not judged`. Without parts, it is so after a failure, since nobody
    knows whether it has something to check; otherwise it is `not checked`.
    """
    if sentence.status in _BY_STATUS:
        return _BY_STATUS[sentence.status]
    if sentence.status == "unjudged":
        return "not judged" if _failed(revision) or sentence.parts else "not checked"
    return "not confirmed" if sentence.parts else "not checked"


def _failed(revision: Revision) -> bool:
    """Did a failure keep sentences from being judged? All failures can but that of a trace."""
    unsearched = any(sentence.status == "retrieval_failed" for sentence in revision.report.sentences)
    return unsearched or any(is_failure(it) and it.code != "trace_failed" for it in revision.warnings)
