"""Long evidence in parts."""

from rarr.backends.encoder.window_selection import ROOM, closest_window, closest_windows

LONG = "Nothing is said here. " * 60


def test_text_that_fits_is_one_window() -> None:
    assert closest_windows("claim", "A short passage.", 3) == ["A short passage."]


def test_the_window_that_shares_most_words_comes_first() -> None:
    passage = LONG + "The mill of Elm was built by Thomas Hay." + LONG
    assert "Thomas Hay" in closest_window("Who built the mill of Elm?", passage)


def test_windows_do_not_overlap_and_keep_their_size() -> None:
    windows = closest_windows("said here", " ".join(f"Sentence {n} is said here." for n in range(200)), 3)
    sentences = [sentence for part in windows for sentence in part.split(". ")]
    assert len(windows) == 3
    assert all(ROOM / 2 < len(window) <= ROOM for window in windows)
    assert len({sentence.strip(".") for sentence in sentences}) == len(sentences)


def test_a_sentence_longer_than_a_window_is_found() -> None:
    long = "The mill of Elm was built by Thomas Hay" + ", who had much to do" * 60 + "."
    assert closest_window("Thomas Hay built the mill", f"{LONG}{long} {LONG}").startswith("The mill of Elm")


def test_text_without_sentences_is_cut() -> None:
    assert closest_windows("x", "a" * 5000, 2)[0] == "a" * ROOM
