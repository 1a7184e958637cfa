import pytest

from rarr.backends.rules.standalone_claims import claims


def claim_texts(text: str, context: str | None = None) -> list[str]:
    return [claim.sentence.text for claim in claims(text, context)]


@pytest.mark.parametrize(
    ("text", "second"),
    [
        ("The Hoover Dam is large. It opened in 1936.", "Hoover Dam opened in 1936."),
        ("The Hoover Dam is large. Its lake is deep.", "Hoover Dam's lake is deep."),
        ("Marie Curie left Paris. She returned.", "Marie Curie returned."),
        ("Pierre Curie left Paris. His wife stayed.", "Pierre Curie's wife stayed."),
        ("The Hoover Dam was visited by Marie Curie. She left.", "Marie Curie left."),
        ("The Hoover Dam was visited by Marie Curie. It closed.", "Hoover Dam closed."),
        ("The Hoover Dam is large. This dam opened in 1936.", "Hoover Dam: This dam opened in 1936."),
        ("The Hoover Dam is large. The lake is deep.", "Hoover Dam: The lake is deep."),
        ("The Hoover Dam is large. Paris is far.", "Paris is far."),
    ],
)
def test_pronoun_is_replaced_by_the_subject(text: str, second: str) -> None:
    assert claim_texts(text)[1] == second


def test_a_heading_names_the_subject() -> None:
    assert claim_texts("# Hoover Dam\n\nIt opened in 1936.") == ["Hoover Dam opened in 1936."]


def test_the_question_names_the_subject() -> None:
    assert claim_texts("It opened in 1936.", "When did the Hoover Dam open?") == [
        "Hoover Dam opened in 1936."
    ]


def test_without_a_subject_a_pronoun_stays() -> None:
    assert claim_texts("It opened in 1936.") == ["It opened in 1936."]


def test_later_name_does_not_replace_the_subject() -> None:
    [_, claim] = claims("The Hoover Dam is large. Two men from the town of Boulder City died.", None)
    assert (claim.about, claim.put_in) == ("Hoover Dam", 0)


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("Paris is large [12].", "12"),
        ("Paris is large `in 1936` there.", "1936"),
        ("[Paris](https://a.example/1936) is large.", "1936"),
    ],
)
def test_text_that_is_no_prose_is_hidden(text: str, hidden: str) -> None:
    assert all(hidden not in sentence for sentence in claim_texts(text))


def test_the_label_of_a_link_is_prose() -> None:
    assert "Paris" in claim_texts("[Paris](https://a.example/1936) is large.")[0]


@pytest.mark.parametrize(
    "text",
    [
        "The Hoover Dam is 221 m high. It opened in 1936.\r\n\r\n> Its lake, Lake Mead, fills 35 km³ [3].",
        "# Marie Curie\n\n- She won in 1903.\n- *Her* prize came in 1911 with [Paris](b) 20 km away.",
        "Marie Curie left. “She won twice,” said Bob.",
    ],
)
def test_places_lead_back_to_the_text(text: str) -> None:
    for claim in claims(text, None):
        for value in claim.sentence.values:
            place = claim.in_text(value.start, value.end)
            assert place is None or place.of(text) == claim.sentence.text[value.start : value.end]


def test_inserted_subject_has_no_place_in_the_text() -> None:
    [_, claim] = claims("The Hoover Dam is large. It opened in 1936.", None)
    assert claim.in_text(0, claim.put_in) is None


def test_a_bold_label_is_neither_subject_nor_claim() -> None:
    text = (
        "# The Orrel Dam\n\n**Costs:** The price was 12 crowns.\n\n- **Opening hours**: On Mondays it shuts."
    )
    assert [" ".join(claim.split()) for claim in claim_texts(text)] == [
        "Orrel Dam: The price was 12 crowns.",
        "Orrel Dam: On Mondays it shuts.",
    ]


@pytest.mark.parametrize(
    ("text", "last"),
    [
        ("**At home:** Drinking water has to be boiled. The price was high.", "The price was high."),
        ("**Overdrafts:** An overdraft costs 9 percent. The price was high.", "The price was high."),
        (
            "# The Orrel Dam\n\n**History:** Ida Lunde drew it.\n\n**Costs:** It cost 12 crowns.",
            "Orrel Dam cost 12 crowns.",
        ),
    ],
)
def test_a_label_begins_a_section_about_the_topic(text: str, last: str) -> None:
    assert " ".join(claim_texts(text)[-1].split()) == last


def test_a_label_that_is_a_name_is_the_subject() -> None:
    assert claim_texts("- **Orrel Dam:** 1936 was its year.")[0].startswith("Orrel Dam: ")


@pytest.mark.parametrize(
    ("text", "last"),
    [
        ("# The Orrel Dam\n\nIda Lunde built it. The price was high.", "Orrel Dam: The price was high."),
        (
            "# The Orrel Dam\n\nIda Lunde built it. Critics of her were many.",
            "Ida Lunde: Critics of her were many.",
        ),
        (
            "# Orrel's two mills\n\nThe Mead Mill is old. The price was high.",
            "Mead Mill: The price was high.",
        ),
        ("The Orrel Dam is old. Trips are cheap. Groups pay less.", "Orrel Dam: Groups pay less."),
    ],
)
def test_a_sentence_without_a_subject_is_about_the_topic(text: str, last: str) -> None:
    assert claim_texts(text)[-1] == last


def test_inserted_subject_may_stand_for_the_topic() -> None:
    [_, claim] = claims("# The Orrel Dam\n\nIda Lunde drew it. She said that it took ten years.", None)
    assert (claim.sentence.text.partition(" said")[0], claim.topic) == ("Ida Lunde", "Orrel Dam")


def test_a_word_that_the_text_writes_small_is_no_name_in_its_question() -> None:
    text = "The tray can be washed in the dishwasher."
    assert claim_texts(text, "Dishwasher?") == [text]
    assert claim_texts("It has two trays.", "Elmon?") == ["Elmon has two trays."]
