"""Jobs end at their deadline, and share what is built once and closed at the end."""

from pathlib import Path
from typing import Any

import pytest

from rarr import Settings
from rarr.batches.jobs import Job, Tasks

GRAPH = "subject,relation,object\nHoover Dam,height,221 metres\n"


@pytest.mark.parametrize("corpora", [{}, {"notes": "note.md"}])
async def test_graph_of_the_server_is_searched_beside_each_corpus(
    tmp_path: Path, corpora: dict[str, str]
) -> None:
    (tmp_path / "dams.csv").write_text(GRAPH)
    (tmp_path / "note.md").write_text("The Humber Bridge opened in 1981.")
    named = {name: tmp_path / file for name, file in corpora.items()}
    tasks = Tasks(Settings(home=tmp_path, trace=False, graph=tmp_path / "dams.csv", serve_corpora=named))
    await tasks.start()
    result: Any = await tasks.run(Job("revise", "The Hoover Dam is 212 metres high.", "r1"))
    assert result.text == "The Hoover Dam is 221 metres high."
    await tasks.aclose()
