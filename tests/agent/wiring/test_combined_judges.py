"""Several judges whose weights were fitted together become one verifier, or are refused."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from backends.helpers import judge_weights

from rarr import prompts
from rarr.agent.wiring.components import ComponentMaker, wire
from rarr.agent.wiring.resources import opening
from rarr.backends.combined_verifier import CombinedVerifier
from rarr.backends.encoder.support import TrainedVerifier
from rarr.backends.prompted.model_calibration import calibration_path, write_calibration
from rarr.errors import SettingsError
from rarr.settings import Settings
from rarr.testing import InMemoryRetriever


def combined_settings(home: Path) -> Settings:
    """Settings with embedded+vllm:a as the judge, whose weights are kept in `home`."""
    judge = "embedded+vllm:a"
    settings = Settings(search=InMemoryRetriever(), models={"attribute": judge}, home=home)
    with opening(settings) as opened:
        versions = ComponentMaker(settings, settings.models, opened).judges.versions(judge)
    weights = judge_weights(versions=versions, embedded=1.0, model=1.0)
    write_calibration(calibration_path(home, judge), weights, private=True)
    return settings


def test_several_judges_with_weights_are_one_verifier(tmp_path: Path) -> None:
    components = wire(combined_settings(tmp_path))
    assert isinstance(components.verifier, CombinedVerifier)
    assert [model.name for model in components.models] == ["vllm:a"]
    [veto] = components.verifier.vetoes
    assert type(getattr(veto, "embedded", None)) is TrainedVerifier


@pytest.mark.parametrize("values", [{"judge_wording": "nli"}, {"weights": Path("mine")}])
def test_weights_fitted_with_other_judges_are_refused(tmp_path: Path, values: dict[str, Any]) -> None:
    settings = combined_settings(tmp_path).model_copy(update=values)
    with (
        opening(settings) as opened,
        pytest.raises(SettingsError, match=r"the weights of embedded.vllm:a were fitted with") as raised,
    ):
        ComponentMaker(settings, settings.models, opened).verifier()
    assert str(raised.value).endswith("run rarr calibrate embedded+vllm:a")


def test_weights_are_refused_where_a_prompt_has_changed(tmp_path: Path) -> None:
    settings = combined_settings(tmp_path)
    changed = replace(prompts.load("judge_attribution"), hash="0" * 12)
    with pytest.raises(SettingsError, match="prompt or wording"):
        wire(settings, prompts={"judge_attribution": changed})
