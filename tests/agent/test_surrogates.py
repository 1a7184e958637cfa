"""A lone surrogate or a NUL, wherever it comes in, costs no run, no trace and no offset."""

import json
from pathlib import Path
from typing import Any

import pytest
from families import few
from makers import passage

from rarr import Reviser, Revision, Settings, Trace
from rarr.agent.replaying import replay
from rarr.testing import InMemoryRetriever, ScriptedModel

TEXT = "The bridge opened in 1935. It is red."
FACT = "The bridge opened in 1937."
ODD = ["\ud800", "\udfff\ud800", "\0", "\ud83d\ude00", "a\ud83d\udcff\ude00"]


def revised(home: Path, text: str = TEXT, context: str | None = None, **settings: Any) -> Revision:
    """A revision that every encoding holds, and whose trace says the same."""
    given = {"search": InMemoryRetriever([passage(FACT)]), "home": home, "rounds": 1} | settings
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


@pytest.mark.parametrize("raw", [False, True], ids=["escaped", "raw"])
@pytest.mark.parametrize("odd", few(ODD, every=5), ids=ascii)
def test_surrogate_in_a_models_answers(tmp_path: Path, odd: str, raw: bool) -> None:
    answers = {
        "generate_queries": {"questions": [{"question": f"When did the bridge open?{odd}", "about": "1935"}]},
        "check_agreement_paper": {
            "text_answer": "1935", "evidence_answer": "1937", "reason": odd, "verdict": "disagrees",
        },
        "edit": {"span": "1935", "revision": f"The bridge opened in 1937{odd}. It is red."},
    }  # fmt: skip
    model = ScriptedModel(lambda asked: json.dumps(answers.get(str(asked.prompt), {}), ensure_ascii=not raw))
    made = revised(tmp_path, model=model, preset="paper")
    assert made.queries
    assert made.checks


@pytest.mark.parametrize("odd", few(ODD, every=4), ids=ascii)
def test_surrogate_in_the_text_and_the_context(tmp_path: Path, odd: str) -> None:
    text = f"It {odd} stood. {TEXT}"
    made = revised(tmp_path, text, f"When {odd}?")
    assert len(made.original) == len(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))
    for query in made.queries:
        assert query.start < query.end <= len(made.original)
    for sentence in made.report.sentences:
        assert made.text[sentence.start : sentence.end] == sentence.text
    accepted = [edit.id for edit in made.edits if edit.accepted]
    assert made.revert(*accepted) == made.original if accepted else not made.changed
