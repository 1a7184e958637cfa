"""Revises false claims beside the pages of namesakes, with and without the pages of their own subject."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple, get_args

from rarr.agent.revise import Reviser
from rarr.components import Components, Retriever, close_all
from rarr.errors import RarrError
from rarr.evals.metrics import Measured, share
from rarr.evals.namesakes.corpus_documents import document_of
from rarr.evals.namesakes.records import NameQuery, NameSet
from rarr.records import Passage, Record, Revision
from rarr.tools.concurrency import in_thread
from rarr.tools.text.warning_lines import nothing_checked

Naming = Literal["name", "kind"]
"""A claim names its subject alone ("Apollo"), or with its kind ("the film Apollo")."""
Pages = Literal["namesakes", "all"]
"""The corpus without the pages of the claim's subject, or the whole corpus."""


class ClaimOutcome(Record):
    """What became of a false claim.

    `correct`: the revised text is the true claim. `suggested`: it is after the suggested edits.
    `from_namesake`: an edit, or with `suggests_namesake` a suggested one, has its value from a page that is
    not of the subject. With an `error`, nothing else is known of the claim.
    """

    query_id: str
    is_head: bool
    naming: Naming
    pages: Pages
    text: str
    revised: str = ""
    status: str = ""
    changed: bool = False
    correct: bool = False
    suggested: bool = False
    from_namesake: bool = False
    suggests_namesake: bool = False
    error: str = ""


class EditingScores(Record):
    """The shares of false claims, by pages, by head and tail, or by how they name their subject.

    `right` counts claims that were corrected or whose right correction was suggested. A claim with an error
    is not judged.
    """

    changed: Measured
    correct: Measured
    right: Measured
    from_namesake: Measured
    suggests_namesake: Measured


class FalseClaim(NamedTuple):
    """A false claim, the texts that correct it, and the documents of its subject."""

    query: NameQuery
    is_head: bool
    naming: Naming
    text: str
    right: tuple[str, ...]
    documents: tuple[str, ...]


class ClaimTrial(NamedTuple):
    """A false claim, and the pages beside which it is revised."""

    claim: FalseClaim
    pages: Pages

    @property
    def id(self) -> str:
        """An id of its own among all trials and queries."""
        return f"{self.claim.query.id}/{self.claim.naming}/{self.pages}"


def claim_trials(sets: Sequence[NameSet]) -> list[ClaimTrial]:
    """Lists the false claims of sets, each once with either choice of pages."""
    return [ClaimTrial(claim, pages) for claim in false_claims(sets) for pages in get_args(Pages)]


def false_claims(sets: Sequence[NameSet]) -> list[FalseClaim]:
    """Lists the false claims of sets, each with the name of its subject alone, and with its kind."""
    return [claim for each in sets for query in each.queries for claim in _claims(each, query)]


def _claims(each: NameSet, query: NameQuery) -> Iterator[FalseClaim]:
    if query.is_true is not False:
        return
    (member,) = [member for member in each.members if member.entity_id == query.entity_id]
    wordings: list[tuple[Naming, str]] = [("name", query.text), ("kind", query.text_with_kind)]
    for naming, text in wordings:
        if text:
            right = tuple(text.replace(query.value, answer) for answer in query.answers)
            yield FalseClaim(query, member.is_head, naming, text, right, member.documents)


class WithoutDocuments:
    """A retriever that leaves the named documents out of what another retriever finds."""

    def __init__(self, search: Retriever, documents: Collection[str]) -> None:
        self._search, self._documents = search, sorted(documents)

    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        """Returns passages of the `k` best documents that are not left out."""
        passages = await self._search.retrieve(query, k + len(self._documents))
        kept = [each for each in passages if document_of(each.source, self._documents) not in self._documents]
        best = [*dict.fromkeys(passage.source for passage in kept)][:k]
        return [passage for passage in kept if passage.source in best]


class ClaimRevision:
    """Revises false claims with the same components; a claim beside namesakes has its own search."""

    def __init__(self, components: Components) -> None:
        self._components = components

    async def outcome(self, trial: ClaimTrial) -> ClaimOutcome:
        """Revises the claim; the outcome has an error if that failed. Only a defect raises."""
        components = self._components
        if trial.pages == "namesakes":
            search = WithoutDocuments(components.retriever, trial.claim.documents)
            components = replace(components, retriever=search)
        try:
            reviser = await in_thread(lambda: Reviser(components=components))
            return claim_outcome(trial, await reviser.arevise(trial.claim.text))
        except RarrError as error:
            return _outcome_of(trial, error=str(error))

    async def aclose(self) -> None:
        """Closes models and sources in the running event loop."""
        await close_all((*self._components.models, *self._components.opened))


def claim_outcome(trial: ClaimTrial, revision: Revision) -> ClaimOutcome:
    """Compares the revision of a claim with the true claim, and its edits with the subject's pages."""
    claim, sources = trial.claim, {evidence.id: evidence.source for evidence in revision.evidence}
    if why := nothing_checked(revision):
        return _outcome_of(trial, error=f"nothing could be checked: {why}")
    from_other_pages = {
        edit.state
        for edit in revision.edits
        if document_of(sources.get(edit.evidence_id, ""), claim.documents) not in claim.documents
    }
    suggestions = [edit.id for edit in revision.edits if edit.state == "suggested"]
    after = [revision.accept(each).text for each in suggestions]
    return _outcome_of(
        trial,
        revised=revision.text,
        status=", ".join(sorted({sentence.status for sentence in revision.report.sentences})),
        changed=revision.changed,
        correct=revision.text in claim.right,
        suggested=any(text in claim.right for text in after),
        from_namesake="accepted" in from_other_pages,
        suggests_namesake="suggested" in from_other_pages,
    )


def _outcome_of(trial: ClaimTrial, **found: Any) -> ClaimOutcome:
    claim = trial.claim
    return ClaimOutcome(
        query_id=claim.query.id,
        is_head=claim.is_head,
        naming=claim.naming,
        pages=trial.pages,
        text=claim.text,
        **found,
    )


def editing_scores(outcomes: Sequence[ClaimOutcome]) -> dict[str, EditingScores]:
    """Computes the shares for each choice of pages: of all claims, heads, tails, and each naming."""
    scores = dict[str, EditingScores]()
    for pages in ("namesakes", "all"):
        group = [outcome for outcome in outcomes if outcome.pages == pages]
        parts = {
            "": group,
            ", heads": [outcome for outcome in group if outcome.is_head],
            ", tails": [outcome for outcome in group if not outcome.is_head],
            ", name alone": [outcome for outcome in group if outcome.naming == "name"],
            ", with kind": [outcome for outcome in group if outcome.naming == "kind"],
        }
        label = "namesakes' pages alone" if pages == "namesakes" else "all pages"
        scores |= {f"{label}{name}": _scores(part) for name, part in parts.items()}
    return scores


def _scores(outcomes: Sequence[ClaimOutcome]) -> EditingScores:
    def hits(name: str) -> Measured:
        return share([None if each.error else bool(getattr(each, name)) for each in outcomes])

    right = [None if each.error else each.correct or each.suggested for each in outcomes]
    return EditingScores(
        changed=hits("changed"),
        correct=hits("correct"),
        right=share(right),
        from_namesake=hits("from_namesake"),
        suggests_namesake=hits("suggests_namesake"),
    )
