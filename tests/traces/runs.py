"""Records real runs, whose pages other tests check."""

from pathlib import Path
from typing import Any

from agent.answer_writer import read
from makers import passage

from rarr import Reviser, Settings
from rarr.records import Passage
from rarr.testing import InMemoryRetriever, ScriptedModel
from rarr.testing.scripted_model import Asked
from rarr.tools.models.chat import CallFailure
from rarr.traces.trace_reader import Trace

HOSTILE = (
    "</script><script>alert(1)</script><img src=x onerror=alert(2)>\"onmouseover='alert(3)' "
    "javascript:alert(4) </style><style>*{display:none}</style><svg onload=alert(5)> --> ]]> &lt; "
    "\u202eoverridden\u2066 \u2028 " + "x" * 3000
)
TEXT = f"The bridge opened in 1936. It is 30 metres wide. {HOSTILE}"
FACTS = ("The bridge opened in 1937.", "The bridge is 90 metres wide.")
EDITS = {"1936": ("1937", "1937", FACTS[0]), "30 metres": (f"90 metres {HOSTILE}", "90 metres", FACTS[1])}


def answer(asked: Asked) -> str:
    """Proposes a right edit of the first sentence, and an edit of the second sentence that is refused."""

    def own(words: str) -> dict[str, Any] | None:
        for old, (new, by, line) in EDITS.items():
            if old in words:
                return {"v": "no", "open": [], "by": line, "edits": [{"old": old, "new": new, "by": by}]}
        return None

    return read(asked, own)


def passages() -> list[Passage]:
    """Returns a passage of a web page, and a passage whose source is JavaScript instead of an address."""
    web = passage(FACTS[0], "https://example.org/bridge?a=1&b=2")
    script = passage(f"{FACTS[1]} {HOSTILE}", f"javascript:alert(6)//{HOSTILE}")
    return [Passage(**(it.model_dump() | {"title": HOSTILE})) for it in (web, script)]


def recorded(home: Path, **more: Any) -> Trace:
    """Records a run in which each text is an attack and one request fails."""
    failures = [CallFailure("busy", f"429 {HOSTILE}")]
    model = ScriptedModel(answer, name=f"scripted {HOSTILE}", failures=failures)
    settings = Settings(home=home, model=model, search=InMemoryRetriever(passages()), **more)
    with Reviser(settings) as reviser:
        return Trace.load(reviser.revise(TEXT, context=HOSTILE).run_id, home)
