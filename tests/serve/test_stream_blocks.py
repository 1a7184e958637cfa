"""The blocks of a text that comes in pieces."""

import asyncio

import pytest
from hypothesis import given, strategies

from rarr.serve.stream_blocks import StreamBlocks

PIECES = strategies.lists(
    strategies.sampled_from(
        [
            "It is high. ",
            "Dr. Smith came. ",
            "\n",
            "\n\n",
            "```\n",
            "| a | b |\n",
            "# Title\n",
            "- one. ",
            "x",
            " ",
        ]
    ),
    max_size=40,
)


async def blocks(pieces: list[str], *, whole: bool = False) -> list[str]:
    stream = StreamBlocks(whole=whole)
    complete = [block for piece in pieces for block in await stream.add(piece)]
    return [*complete, stream.rest()]


@given(PIECES)
def test_blocks_together_are_the_text(pieces: list[str]) -> None:
    assert "".join(asyncio.run(blocks(pieces))) == "".join(pieces)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One.\n\nTwo.", ["One.\n\n", "Two."]),
        ("# Title\n\nOne.\n\nTwo.", ["# Title\n\nOne.\n\n", "Two."]),
        ("```\na\n\nb\n```\n\nc", ["```\na\n\nb\n```\n\n", "c"]),
        ("| a |\n|---|\n| b. c. d. e. f. |\n\nx", ["| a |\n|---|\n| b. c. d. e. f. |\n\n", "x"]),
        ("A is. B is. C is. D is.", ["A is. B is. C is. ", "D is."]),
        ("- A is.\n- B is.\n- C is.\n- D is.", ["- A is.\n- B is.\n- C is.\n", "- D is."]),
        ("It costs 3.5 dollars. Dr. A. B. Smith paid.", ["It costs 3.5 dollars. Dr. A. B. Smith paid."]),
    ],
)
async def test_block_ends_at_a_paragraph_or_after_some_sentences(text: str, expected: list[str]) -> None:
    assert await blocks(list(text)) == expected


async def test_whole_text_is_one_block() -> None:
    assert await blocks(list("One.\n\nTwo."), whole=True) == ["One.\n\nTwo."]


async def test_line_of_long_code_is_looked_at_once() -> None:
    code = "```\n" + "a = 1\n\n" * 4000 + "```\n\n"
    assert await blocks([*code.splitlines(keepends=True), "Done."]) == [code, "Done."]


async def test_long_piece_is_cut_as_short_pieces_are() -> None:
    made = await blocks(["It is high. " * 400])
    assert made[:100] == ["It is high. " * 3] * 100
    assert len(made) > 100
