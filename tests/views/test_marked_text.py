"""A text with its marks: each edit, sentence and deciding word at its characters."""

from hypothesis import given

from rarr.records import Edit, Part, Sentence, with_edits
from rarr.views.pages import MarkedRun, marked
from views.test_notebook import edited


def drawn(original: str, edits: list[Edit], *sentences: Sentence) -> str:
    """The runs as text: [n: a sentence], +inserted+, -deleted-, {state: words}."""
    made = ""
    for number, _, runs in marked(original, edits, sentences):
        words = "".join(map(_drawn, runs))
        made += f"[{number}: {words}]" if number else words
    return made


def _drawn(run: MarkedRun) -> str:
    words = f"{{{run.part.state}: {run.text}}}" if run.part else run.text
    sign = {"kept": "", "inserted": "+", "deleted": "-"}[run.kind]
    return f"{sign}{words}{sign}"


def sentence(text: str, words: str, *parts: str) -> Sentence:
    start = text.index(words)
    places = [(start + words.index(part), part) for part in parts]
    return Sentence(
        text=words,
        start=start,
        end=start + len(words),
        status="supported",
        parts=tuple(Part(start=at, end=at + len(part), state="open") for at, part in places),
    )


def test_sentences_parts_and_edits_are_marked_in_place() -> None:
    text = "# One\n\nIt opened in *1936*. Two."
    revised = text.replace("1936", "1937")
    fields = {"id": "e1", "query_id": "", "evidence_id": "", "state": "accepted", "reason": ""}
    edit = Edit.model_validate(fields | {"start": 21, "end": 25, "old": "1936", "new": "1937"})
    spoken = sentence(revised, "It opened in *1937*.", "opened", "1937")
    assert drawn(text, [edit], spoken) == "# One\n\n[1: It {open: opened} in *-1936-+{open: 1937}+*.] Two."


@given(edited())
def test_runs_are_the_text_before_and_after(case: tuple[str, list[Edit]]) -> None:
    original, edits = case
    runs = [run for each in marked(original, edits, []) for run in each.runs]
    assert "".join(run.text for run in runs if run.kind != "inserted") == original
    assert "".join(run.text for run in runs if run.kind != "deleted") == with_edits(original, edits)
