"""Records real runs, whose pages other tests check."""

import json
import re
from pathlib import Path
from typing import Any

from rarr import Reviser, Settings, prompts
from rarr.records import Passage
from rarr.testing import RETRIEVED_AT, InMemoryRetriever, RuleModel, ScriptedModel
from rarr.testing.card_answers import marked_sentences
from rarr.testing.scripted_model import Asked
from rarr.tools.models.chat import CallFailure
from rarr.traces.trace_reader import Trace

HOSTILE = (
    "</script><script>alert(1)</script><img src=x onerror=alert(2)>\"onmouseover='alert(3)' "
    "javascript:alert(4) </style><style>*{display:none}</style><svg onload=alert(5)> --> ]]> &lt; "
    "\u202eoverridden\u2066 \u2028 " + "x" * 3000
)
TEXT = f"The bridge opened in 1936. It is 30 metres wide. {HOSTILE}"
EDITS = {"1936": ("1936", "1937", "1937"), "30 metres": ("30 metres", f"90 metres {HOSTILE}", "90 metres")}


def answer(asked: Asked) -> str:
    """Proposes a right edit of the first sentence, and an edit of the second sentence that is refused."""
    variables = prompts.load(str(asked.prompt)).variables_in(asked.user) or {}
    if asked.prompt == "target_queries":
        return json.dumps({"questions": []})
    cards = {card["s"]: card for card in json.loads(RuleModel()(asked))["cards"]}
    for number, words in marked_sentences(variables):
        for old, new, by in (edit for part, edit in EDITS.items() if part in words):
            [label] = re.findall(rf"\((P[\d.]+)\)[^\n]* {by}", variables["sources"])
            edit = {"old": old, "new": new, "by": by}
            cards[int(number)] = {"s": int(number), "q": [label], "v": "no", "open": [], "edits": [edit]}
    return json.dumps({"cards": list(cards.values())})


def passages() -> list[Passage]:
    """Returns a passage of a web page, and a passage whose source is JavaScript instead of an address."""
    texts = ["The bridge opened in 1937.", f"The bridge is 90 metres wide. {HOSTILE}"]
    sources = ["https://example.org/bridge?a=1&b=2", f"javascript:alert(6)//{HOSTILE}"]
    return [
        Passage(text=text, source=source, title=HOSTILE, start=0, end=len(text), retrieved_at=RETRIEVED_AT)
        for text, source in zip(texts, sources, strict=True)
    ]


def recorded(home: Path, **more: Any) -> Trace:
    """Records a run in which each text is an attack and one request fails."""
    failures = [CallFailure("busy", f"429 {HOSTILE}")]
    model = ScriptedModel(answer, name=f"scripted {HOSTILE}", failures=failures)
    settings = Settings(home=home, model=model, search=InMemoryRetriever(passages()), **more)
    with Reviser(settings) as reviser:
        return Trace.load(reviser.revise(TEXT, context=HOSTILE).run_id, home)
