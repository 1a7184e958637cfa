"""Declares the arguments of the tools, with the descriptions and limits that callers see."""

from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from rarr.tools.text.plurals_and_articles import kind_of

LONGEST_TEXT = 100_000  # characters
_LONGEST_CLAIM = 5_000  # characters
_MOST_PASSAGES = 50


class GivenEvidence(BaseModel):
    """A passage to check against."""

    model_config = ConfigDict(extra="forbid")

    text: str = Field(min_length=1, max_length=LONGEST_TEXT, description="The words of the passage.")
    title: str = Field("", max_length=300, description="The title of its document.")
    source: str = Field(
        "",
        max_length=2_000,
        description="The name or address by which it is cited. It is only a name: nothing is opened.",
    )


_PassageText = Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT)]


def _as_object(passage: object) -> object:
    """Makes an object of a passage that is a text. Raises `ValueError` for anything but a text or object."""
    if isinstance(passage, str):
        return {"text": passage}
    if not isinstance(passage, dict | GivenEvidence):
        raise ValueError(f"it is {kind_of(passage)}: give a text, or an object with text, title and source")
    return passage


Text = Annotated[
    str, Field(min_length=1, max_length=LONGEST_TEXT, description="The text, plain or in Markdown.")
]
Claim = Annotated[
    str,
    Field(min_length=1, max_length=_LONGEST_CLAIM, description="One or a few sentences that state facts."),
]
Question = Annotated[
    str | None,
    Field(
        max_length=LONGEST_TEXT, description="The question that it answers, if the text alone is not clear."
    ),
]
Passages = Annotated[
    list[
        Annotated[
            GivenEvidence,
            BeforeValidator(_as_object, json_schema_input_type=_PassageText | GivenEvidence),
        ]
    ]
    | None,
    Field(
        max_length=_MOST_PASSAGES,
        description="Passages that you have at hand: texts, or objects with text, title and source. Without"
        " them, the sources of this server are searched.",
    ),
]
OnlyEvidence = Annotated[
    bool,
    Field(description="True: check against `evidence` alone. False: search the server's sources as well."),
]
SearchQuery = Annotated[
    str, Field(min_length=1, max_length=_LONGEST_CLAIM, description="A question or a claim.")
]
Most = Annotated[int, Field(ge=1, le=20, description="The number of passages, at most.")]
