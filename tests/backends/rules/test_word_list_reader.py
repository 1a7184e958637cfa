from rarr.backends.rules.word_list_reader import FOLDER, word_list


def test_every_list_has_entries() -> None:
    lists = sorted(FOLDER.glob("*.txt"))
    assert lists
    for file in lists:
        entries = word_list(file.stem)
        assert entries and all(entry == entry.strip() and "#" not in entry for entry in entries), file.name


def test_readme_names_every_list() -> None:
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert all(f"`{file.name}`" in readme for file in FOLDER.glob("*.txt"))


def test_indented_line_continues_a_line() -> None:
    assert any(
        entry.startswith("relation: brother") and "granddaughter" in entry
        for entry in word_list("exclusive_words")
    )
