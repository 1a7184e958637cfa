"""Runs that tests of their page need, recorded for real."""

import json
from pathlib import Path
from typing import Any

from rarr import Reviser, Settings
from rarr.records import Passage
from rarr.testing import RETRIEVED_AT, InMemoryRetriever, ScriptedModel
from rarr.testing.scripted_answer_lookup import Asked
from rarr.tools.models.chat import CallFailure
from rarr.traces.trace_reader import Trace

HOSTILE = (
    "</script><script>alert(1)</script><img src=x onerror=alert(2)>\"onmouseover='alert(3)' "
    "javascript:alert(4) </style><style>*{display:none}</style><svg onload=alert(5)> --> ]]> &lt; "
    "\u202eoverridden\u2066 \u2028 " + "x" * 3000
)
TEXT = f"The bridge opened in 1936. It is 30 metres wide. {HOSTILE}"
ANSWERS: dict[str, Any] = {
    "generate_queries": {
        "questions": [
            {"question": f"When did the bridge open? {HOSTILE}", "about": "1936"},
            {"question": "How wide is the bridge?", "about": "30 metres"},
        ]
    },
    "edit": {"span": "1936", "revision": "1937"},
    "target_queries": {"questions": []},
}


def answer(asked: Asked) -> str:
    """The first query is disagreed with, and healed by an edit; the edit of the second is refused."""
    prompt = str(asked.prompt).removesuffix("_in_context")
    if prompt == "check_agreement":
        return json.dumps(_agreement(asked.user))
    if prompt == "edit" and "How wide" in asked.user.split("<evidence>")[0]:
        return json.dumps({"span": "30 metres", "revision": f"90 metres {HOSTILE}"})
    return json.dumps(ANSWERS[prompt])


def _agreement(user: str) -> dict[str, str]:
    first = "When did" in user.split("<evidence>")[0]
    text, evidence = ("1936", "1937") if first else ("30 metres", "90 metres")
    verdict = "agrees" if f"{evidence}." in user.split("</text>")[0] else "disagrees"
    return {"text_answer": text, "evidence_answer": evidence, "reason": HOSTILE, "verdict": verdict}


def passages() -> list[Passage]:
    """One from a page, one from what only looks like an address."""
    texts = ["The bridge opened in 1937.", f"The bridge is 90 metres wide. {HOSTILE}"]
    sources = ["https://example.org/bridge?a=1&b=2", f"javascript:alert(6)//{HOSTILE}"]
    return [
        Passage(text=text, source=source, title=HOSTILE, start=0, end=len(text), retrieved_at=RETRIEVED_AT)
        for text, source in zip(texts, sources, strict=True)
    ]


def recorded(home: Path, **more: Any) -> Trace:
    """A run of which every text is an attack, and one attempt fails."""
    failures = [None, CallFailure("busy", f"429 {HOSTILE}")]
    model = ScriptedModel(answer, name=f"scripted {HOSTILE}", failures=failures)
    settings = Settings(home=home, model=model, search=InMemoryRetriever(passages()), **more)
    with Reviser(settings) as reviser:
        return Trace.load(reviser.revise(TEXT, context=HOSTILE).run_id, home)
