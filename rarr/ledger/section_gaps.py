"""Tells why a section of an article has no text."""

from rarr.records.articles import SectionState
from rarr.state import State, kept_for


def gap_reasons(state: State) -> dict[str, str]:
    """Returns the reason for each section without a draft, by the id of the section."""
    return {
        section.id: gap(state, section.query_id)[1]
        for section in state.get("sections", [])
        if section.id not in state.get("drafts", {})
    }


def gap(state: State, query_id: str) -> tuple[SectionState, str]:
    """Returns the state of a section without a draft, and the reason in words."""
    why = state.get("unsearched", {}).get(query_id)
    if why == "cut":
        return "failed", "not written: a limit of the run was reached"
    if why == "failed":
        return "failed", "not written: a search or the writer failed"
    if not kept_for(state, query_id):
        return "no_source", "not written: no source was found"
    return "no_source", "not written: its sources say nothing for it"
