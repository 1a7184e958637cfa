"""A lone surrogate or a NUL, wherever it comes in, costs no run, no trace and no offset."""

import json
from pathlib import Path
from typing import Any

import pytest
from families import few

from rarr import Passage, Reviser, Revision, Settings, Trace
from rarr.agent.replaying import replay
from rarr.testing import (
    RETRIEVED_AT,
    InMemoryRetriever,
    ScriptedModel,
)
from rarr.testing.scripted_model import Asked

TEXT = "The bridge opened in 1935. It is red."
FACT = "The bridge opened in 1937."
ODD = ["\ud800", "\udfff\ud800", "\0", "\ud83d\ude00", "a\ud83d\udcff\ude00"]
ANSWERS: dict[str, dict[str, Any]] = {
    "generate_queries": {"questions": [{"question": "When did the bridge open?", "about": "1935"}]},
    "check_agreement_paper": {
        "text_answer": "1935",
        "evidence_answer": "1937",
        "reason": "",
        "verdict": "disagrees",
    },
    "edit": {"span": "1935", "revision": "The bridge opened in 1937. It is red."},
    "target_queries": {"questions": []},
}


def passage(text: str = FACT, source: str = "bridge.md", title: str = "") -> Passage:
    return Passage(text=text, source=source, title=title, start=0, end=len(text), retrieved_at=RETRIEVED_AT)


def revised(home: Path, text: str = TEXT, context: str | None = None, **settings: Any) -> Revision:
    """A revision that every encoding holds, and whose trace says the same."""
    given = {"search": InMemoryRetriever([passage()]), "home": home, "rounds": 1} | settings
    given["preset"] = "paper" if "model" in settings else "default"
    with Reviser(Settings(**given)) as reviser:
        made = reviser.revise(text, context)
    dump = made.model_dump_json()
    dump.encode()
    assert "\\u0000" not in dump
    assert not [warning for warning in made.warnings if warning.code == "trace_failed"]
    trace = Trace.load(made.run_id, home)
    assert trace.revision == made
    assert replay(trace).same
    trace.file.text().encode()
    return made


def says(prompt: str, field: str, odd: str, *, raw: bool) -> ScriptedModel:
    """A model with `odd` in this field of its answers, which JSON escapes unless it is `raw`."""

    def answer(asked: Asked) -> str:
        name = str(asked.prompt)
        fields = json.loads(json.dumps(ANSWERS.get(name, {})))
        if name == prompt:
            where = fields["questions"][0] if name == "generate_queries" else fields
            where[field] += odd
        return json.dumps(fields, ensure_ascii=not raw)

    return ScriptedModel(answer)


@pytest.mark.parametrize("raw", [False, True], ids=["escaped", "raw"])
@pytest.mark.parametrize("odd", few(ODD, every=5), ids=ascii)
@pytest.mark.parametrize(
    ("prompt", "field"),
    [
        ("generate_queries", "question"),
        ("check_agreement_paper", "reason"),
        ("edit", "revision"),
    ],
)
def test_surrogate_in_a_models_answer(tmp_path: Path, prompt: str, field: str, odd: str, raw: bool) -> None:
    made = revised(tmp_path, model=says(prompt, field, odd, raw=raw))
    assert made.queries
    assert prompt == "generate_queries" or made.checks


@pytest.mark.parametrize("odd", few(ODD, every=4), ids=ascii)
def test_surrogate_in_the_text_and_the_context(tmp_path: Path, odd: str) -> None:
    made = revised(tmp_path, f"It {odd} stood. {TEXT}", f"When {odd}?")
    assert len(made.original) == len(
        f"It {odd} stood. {TEXT}".encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    )
    for query in made.queries:
        assert query.start < query.end <= len(made.original)
    for sentence in made.report.sentences:
        assert made.text[sentence.start : sentence.end] == sentence.text
    assert made.revert(*(edit.id for edit in made.edits if edit.accepted)) == made.original
