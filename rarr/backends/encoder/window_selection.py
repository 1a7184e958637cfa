"""Selects windows of long evidence that the encoder can mostly read, best match for a claim first.

A window's size is measured in characters. The encoder does not read the end of a window with many short
words or in another script.
"""

from rarr.backends.rules.parsed_sentence import parsed_sentence
from rarr.backends.rules.words import word_tokens
from rarr.tools.text.blocks_and_sentences import Span, split_sentences

ROOM = 900  # characters of a window


def closest_window(text: str, passage: str) -> str:
    """Selects the run of sentences, of at most 900 characters, that shares most words with `text`."""
    return closest_windows(text, passage, 1)[0]


def closest_windows(text: str, passage: str, count: int) -> list[str]:
    """Selects at most `count` runs of sentences that do not overlap; the one that shares most words first.

    A run has at most 900 characters; a passage of this length or less is returned whole.
    """
    if len(passage) <= ROOM:
        return [passage]
    wanted = {word.stem for word in word_tokens(text) if word.stem}
    spans = split_sentences(passage) or [Span(0, len(passage))]
    stems = [{word.stem for word in parsed_sentence(span.of(passage)).content} & wanted for span in spans]
    runs = []
    for first in range(len(spans)):
        shared, last = set(stems[first]), first + 1
        while last < len(spans) and spans[last].end - spans[first].start <= ROOM:
            shared |= stems[last]
            last += 1
        end = spans[last - 1].end
        runs.append((-len(shared), Span(spans[first].start, min(end, spans[first].start + ROOM))))
    chosen: list[Span] = []
    for _, run in sorted(runs):
        if len(chosen) < count and not any(run.overlaps(chosen_run) for chosen_run in chosen):
            chosen.append(run)
    return [run.of(passage) for run in chosen]
