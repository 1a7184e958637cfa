from pathlib import Path

import pytest

from rarr.retrievers.corpus.manifest import FileVersion, Manifest


@pytest.fixture
def manifest(tmp_path: Path) -> Manifest:
    manifest = Manifest(tmp_path, write=True)
    manifest.create({"format": "1"})
    return manifest


def begun(manifest: Manifest, name: str) -> int:
    version_id = manifest.begin(FileVersion(name, 1, 2, b"3"))
    manifest.finish(version_id, 4, 5, ["note"])
    return version_id


def test_a_published_version_replaces_the_one_before(manifest: Manifest) -> None:
    old = begun(manifest, "a")
    manifest.publish()
    new = begun(manifest, "a")
    assert manifest.publish() == [old]
    assert list(manifest.live()) == [new]


def test_version_of_an_aborted_build_is_gone_and_its_id_is_not_reused(
    manifest: Manifest, tmp_path: Path
) -> None:
    version_id = begun(manifest, "a")
    manifest.save()
    manifest.close()
    again = Manifest(tmp_path, write=True)
    assert again.gone() == [version_id]
    again.forget([version_id])
    assert begun(again, "a") > version_id
