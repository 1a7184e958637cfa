"""A lone surrogate or a NUL, wherever it comes in, costs no run, no trace and no offset."""

import json
from typing import Any

import pytest
from families import few
from makers import passage

from agent.mills import assert_sound
from rarr import Reviser, Revision, Settings, Trace
from rarr.agent.replaying import replay
from rarr.testing import InMemoryRetriever, ScriptedModel

TEXT, FACT = "The bridge opened in 1935. It is red.", "The bridge opened in 1937."
ODD = ["\ud800", "\udfff\ud800", "\0", "\ud83d\ude00", "a\ud83d\udcff\ude00"]


def revised(text: str = TEXT, context: str | None = None, **settings: Any) -> Revision:
    """A revision that every encoding holds, and whose trace says the same."""
    with Reviser(Settings(search=InMemoryRetriever([passage(FACT)]), rounds=1, **settings)) as reviser:
        made = reviser.revise(text, context)
    assert_sound(made)
    dump = made.model_dump_json()
    assert dump.encode() and "\\u0000" not in dump
    assert not [warning for warning in made.warnings if warning.code == "trace_failed"]
    trace = Trace.load(made.run_id)
    assert trace.revision == made and trace.file.text().encode()
    assert replay(trace).same
    return made


@pytest.mark.parametrize("raw", [False, True], ids=["escaped", "raw"])
@pytest.mark.parametrize("odd", few(ODD, every=5), ids=ascii)
def test_surrogate_in_a_models_answers(odd: str, raw: bool) -> None:
    answers = {
        "generate_queries": {"questions": [{"question": f"When did the bridge open?{odd}", "about": "1935"}]},
        "check_agreement_paper": {
            "text_answer": "1935", "evidence_answer": "1937", "reason": odd, "verdict": "disagrees",
        },
        "edit": {"span": "1935", "revision": f"The bridge opened in 1937{odd}. It is red."},
    }  # fmt: skip
    model = ScriptedModel(lambda asked: json.dumps(answers.get(str(asked.prompt), {}), ensure_ascii=not raw))
    made = revised(model=model, preset="paper")
    assert made.queries and made.checks


@pytest.mark.parametrize("odd", few(ODD, every=4), ids=ascii)
def test_surrogate_in_the_text_and_the_context(odd: str) -> None:
    text = f"It {odd} stood. {TEXT}"
    made = revised(text, f"When {odd}?")
    assert len(made.original) == len(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))
    assert all(query.start < query.end <= len(made.original) for query in made.queries)
