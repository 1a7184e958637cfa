"""Keeps which suggested edits people refused, so that no later run makes them again.

The file `refused.txt` in the data folder has hashes, and no words. A hash is of a sentence, a change of it
and a line of the source that gives the change: the sentence may move, and the text around it may change.
"""

import re
from collections.abc import Collection, Iterable
from hashlib import sha256
from pathlib import Path

from filelock import FileLock
from pydantic import ValidationError

from rarr.errors import InputError
from rarr.ledger.edit_gate import REFUSED
from rarr.records import Edit, Revision
from rarr.records.card import Card, CardEdit, Quote
from rarr.records.edits import moved_range
from rarr.settings import Settings
from rarr.tools.models.run_budget import meter
from rarr.tools.storage.files import private_file, private_folder
from rarr.traces.trace_reader import Trace

FILE = "refused.txt"
_WORD = re.compile(r"\w+")


class Refusals:
    """Tells by `hashes` which edits people refused."""

    def __init__(self, hashes: Iterable[str]) -> None:
        self._hashes = frozenset(hashes)

    def __call__(self, text: str, card: Card) -> bool:
        """Was an edit of this card of the text refused? The edits of a card stand or fall together."""
        sentence = text[card.start : card.end]
        return bool(self._hashes) and any(
            not _hashes(sentence, text[it.start : it.end], it, card.quotes).isdisjoint(self._hashes)
            for it in card.edits
        )


def kept_refusals(folder: Path) -> Refusals:
    """Reads the refusals of the data folder. The run warns if they cannot be read."""
    file = folder.expanduser() / FILE
    try:
        return Refusals(file.read_text(encoding="utf-8").split() if file.exists() else ())
    except (OSError, UnicodeDecodeError) as error:
        told = f"{file} cannot be read ({error}), so what it refuses is suggested again: correct or remove it"
        meter().warn("refusals_failed", told)
        return Refusals(())


def refused(revision: Revision, edit_ids: Collection[str], folder: Path) -> Revision:
    """Keeps in the data folder that these suggested edits are refused; returns the revision with that.

    Raises `InputError` for an id that is not a suggested edit, and for a folder that cannot be written.
    """
    suggested = [edit.id for edit in revision.edits if edit.state == "suggested"]
    if unknown := [edit_id for edit_id in edit_ids if edit_id not in suggested]:
        raise InputError(f"no suggested edit {unknown[0]!r} in this revision: it has {suggested}")
    file = folder.expanduser() / FILE
    try:
        private_folder(file.parent)
        with FileLock(f"{file}.lock"):
            private_file(file)
            with file.open("a", encoding="utf-8") as out:
                out.writelines(f"{it}\n" for it in sorted(hashes_of(revision, edit_ids)))
    except OSError as error:
        raise InputError(f"{file} cannot be written ({error.strerror}): name another home") from None
    update = {"state": "refused", "reason": REFUSED}
    edits = (it.model_copy(update=update) if it.id in edit_ids else it for it in revision.edits)
    return revision.model_copy(update={"edits": tuple(edits)})


def decided(run: str, accept: Collection[str], refuse: Collection[str]) -> Revision:
    """Accepts and refuses suggested edits of a recorded run, or of a file that holds a revision as JSON.

    Raises `InputError` for a run without a revision, another file, and a wrong id: then nothing is kept.
    """
    try:
        is_file = run.endswith(".json")
        found = Revision.model_validate_json(Path(run).read_bytes()) if is_file else Trace.load(run).revision
    except (OSError, ValidationError):
        found = None
    if found is None:
        raise InputError(f"{run} has no revision: name a run that is done, or a file of rarr revise --json")
    found.accept(*accept)
    return (refused(found, refuse, Settings().home) if refuse else found).accept(*accept)


def hashes_of(revision: Revision, edit_ids: Collection[str]) -> set[str]:
    """Returns the hashes by which these edits of a revision, which are not in its text, are known again."""
    made = set[str]()
    for number, edit in enumerate(revision.edits):
        if edit.id in edit_ids:
            later = [it for it in revision.edits[number + 1 :] if it.accepted]
            start, _ = moved_range(edit.start, edit.end, later)
            for it in revision.report.sentences:
                if it.start <= start < it.end:
                    made |= _hashes(it.text, edit.old, edit, it.quotes)
    return made


def _hashes(sentence: str, old: str, edit: Edit | CardEdit, quotes: Iterable[Quote]) -> set[str]:
    """Returns a hash for each quoted line of the edit's source, any of which tells that it was refused."""
    lines = [it.text for it in quotes if it.evidence_id == edit.evidence_id]
    facts = (" ".join(_WORD.findall(sentence.casefold())), old, edit.new)
    words = (" ".join(_WORD.findall(line.casefold())) for line in lines)
    return {sha256("\0".join((*facts, line)).encode()).hexdigest() for line in words}
