"""Keeps which suggested edits people refused, so that no later run makes them again.

The file `refused.txt` in the data folder has hashes, and no words: a line for each refused edit. A hash is of
a sentence, a change of it and a line of the source that gives the change: the sentence may move, the text
around it may change, and it may stand in another document.
"""

import re
from collections.abc import Collection, Iterable, Sequence, Set
from hashlib import sha256
from pathlib import Path

from filelock import FileLock
from pydantic import ValidationError

from rarr.errors import InputError
from rarr.ledger.edit_gate import REFUSED
from rarr.records import Edit, EditState, Notice, Revision
from rarr.records.card import Card, CardEdit, Quote
from rarr.records.edits import require_state
from rarr.settings import Settings
from rarr.tools.models.run_budget import meter
from rarr.tools.storage.files import private_folder, write_whole
from rarr.tools.text.wording import counted
from rarr.traces.trace_reader import Trace

FILE, WITHHELD = "refused.txt", "suggestions_withheld"
Ids = Sequence[str]
_WORD = re.compile(r"\w+")


class Refusals(frozenset[str]):
    """The hashes of the edits that people refused."""

    def __call__(self, text: str, card: Card) -> bool:
        """Was an edit of this card of the text refused? The edits of a card stand or fall together."""
        whole, edits = text[card.start : card.end], card.edits if self else ()
        return any(self & _hashes(whole, text[it.start : it.end], it, card.quotes) for it in edits)


def kept_refusals(folder: Path) -> Refusals:
    """Reads the refusals of the data folder. The run warns if they cannot be read."""
    file = folder.expanduser() / FILE
    try:
        return Refusals(file.read_text(encoding="utf-8").split() if file.exists() else ())
    except (OSError, UnicodeDecodeError) as error:
        told = f"{file} cannot be read ({error}), so what it refuses is suggested again: correct or remove it"
        meter().warn("refusals_failed", told)
        return Refusals()


def withheld(run_id: str, edits: Iterable[Edit]) -> list[Notice]:
    """Tells how many suggestions of a run are withheld as refused, and how to take that back."""
    names = [edit.id for edit in edits if edit.reason == REFUSED]
    cure = f"rarr trace decide {run_id} {' '.join(f'--undo {name}' for name in names)}"
    told = f"{counted(len(names), 'suggestion')} withheld, as refused before: to undo that, {cure}"
    return [Notice(code=WITHHELD, message=told, node="edit")] if names else []


def with_decisions(
    revision: Revision, folder: Path, accept: Ids = (), refuse: Ids = (), undo: Ids = ()
) -> Revision:
    """Accepts and refuses suggested edits, and undoes refusals; the data folder keeps what is refused.

    The edits of a sentence are refused, or freed of it, together; accepting frees. `InputError` for a wrong
    id, an edit that is decided twice, and a folder that cannot be written: then nothing is kept.
    """
    kept, every = kept_refusals(folder), [*accept, *refuse, *undo]
    open_ = [it for it in revision.edits if it.state == "suggested" and hashes_of(revision, [it.id]) & kept]
    refused = [*open_, *(it for it in revision.edits if it.reason == REFUSED)]
    freed = [revision.sentence_of(it) for it in refused if it.id in (*accept, *undo)]
    undone = [it.id for it in refused if it.id in refuse or revision.sentence_of(it) in freed]
    found = _in_state(revision, [it.id for it in open_], "refused", REFUSED)
    found = _in_state(found, undone, "suggested", "a person refused it, and undid that")
    require_state("suggested", found.edits, every)
    if twice := [name for name in every if every.count(name) > 1]:
        raise InputError(f"{twice[0]} is decided twice: accept it, refuse it, or undo its refusal")
    if unknown := [name for name in undo if name not in undone]:
        raise InputError(f"no person refused {unknown[0]}: there is no refusal to undo")
    made = found.accept(*accept) if accept else found
    left = [made.sentence_of(it) for it in made.edits if it.id in refuse]
    named = [it.id for it in made.edits if it.state == "suggested" and made.sentence_of(it) in left]
    if refuse or undone:
        _keep(folder, [hashes_of(revision, [name]) for name in named], hashes_of(revision, undone))
    return _in_state(made, named, "refused", REFUSED)


def decided(run: str, **decisions: Ids) -> Revision:
    """Decides about edits of a recorded run, or of a file of JSON. Raises `InputError` for another one."""
    file, cure = Path(run), "name a run that is done, or a file of rarr revise --json"
    try:
        written = file.read_bytes() if file.is_file() else b""
        found = Revision.model_validate_json(written) if written else Trace.load(run).revision
    except (OSError, ValidationError) as error:
        why = getattr(error, "strerror", "it is not the JSON of a revision")
        raise InputError(f"{run} cannot be read ({why}): {cure}") from None
    if found is None:
        raise InputError(f"{run} has no revision: {cure}")
    return with_decisions(found, Settings().home, **decisions)


def _in_state(revision: Revision, edit_ids: Collection[str], state: EditState, reason: str) -> Revision:
    update = {"state": state, "reason": reason}
    edits = tuple(it.model_copy(update=update) if it.id in edit_ids else it for it in revision.edits)
    warnings = (*(it for it in revision.warnings if it.code != WITHHELD), *withheld(revision.run_id, edits))
    return revision.model_copy(update={"edits": edits, "warnings": warnings})


def _keep(folder: Path, refused: Iterable[Collection[str]], undone: Set[str]) -> None:
    """Adds a line for each refused edit to the file, and removes the lines that have an `undone` hash."""
    file = folder.expanduser() / FILE
    try:
        private_folder(file.parent)
        with FileLock(f"{file}.lock"):
            file.touch(mode=0o600)
            lines = [line for line in file.read_text("utf-8").splitlines() if undone.isdisjoint(line.split())]
            lines += [" ".join(sorted(hashes)) for hashes in refused]
            write_whole(file, "".join(f"{line}\n" for line in lines))
    except OSError as error:
        raise InputError(f"{file} cannot be written ({error.strerror}): name another home") from None


def hashes_of(revision: Revision, edit_ids: Collection[str]) -> set[str]:
    """Returns the hashes by which these edits of a revision, which are not in its text, are known again."""
    placed = ((edit, revision.sentence_of(edit)) for edit in revision.edits if edit.id in edit_ids)
    return set().union(*(_hashes(its.text, edit.old, edit, its.quotes) for edit, its in placed if its))


def _hashes(sentence: str, old: str, edit: Edit | CardEdit, quotes: Iterable[Quote]) -> set[str]:
    """Returns a hash for each quoted line of the edit's source, any of which tells that it was refused."""
    lines = [it.text for it in quotes if it.evidence_id == edit.evidence_id]
    facts = (" ".join(_WORD.findall(sentence.casefold())), old, edit.new)
    words = (" ".join(_WORD.findall(line.casefold())) for line in lines)
    return {sha256("\0".join((*facts, line)).encode()).hexdigest() for line in words}
