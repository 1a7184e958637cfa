"""What a question asks for and the graph does not have becomes `[NA]`, and never a neighbour's value."""

import pytest

from rarr import Graph, answer
from rarr.records.answers import Answer
from rarr.retrievers.graph.triples import Triple

PEOPLE, STRUCTURES = "examples/graph/people.csv", "examples/graph/structures.csv"


def fact(subject: str, relation: str, value: str) -> Triple:
    return Triple(subject, subject, relation, value, value)


IDA = (
    fact("Ida Lunde", "occupation", "geologist"),
    fact("Ida Lunde", "father", "Ole Lunde"),
    fact("Ida Lunde", "place of death", "Tolk"),
    fact("Ida Lunde", "instrument", "violin"),
    fact("Ida Lunde", "ancestral home", "Norvik"),
    fact("Ole Lunde", "child", "Ida Lunde"),
    fact("Ole Lunde", "occupation", "baker"),
)


def asked(question: str, *triples: Triple) -> Answer:
    return answer(question, search=Graph(triples or IDA), offline=True)


def gaps(answered: Answer) -> list[str]:
    return [each.text for each in answered.statements if each.needs_support]


def test_overview_tells_which_main_facts_the_graph_lacks() -> None:
    told = gaps(asked("Who was Ida Lunde?"))
    assert [text.removesuffix(" of Ida Lunde.") for text in told] == [
        "The graph does not tell the country of citizenship",
        "The graph does not tell the place of birth",
        "The graph does not tell the date of birth",
        "The graph does not tell the date of death",
    ]


def test_name_alone_asks_for_an_overview() -> None:
    assert asked("Ida Lunde").statements[0].text == "Ida Lunde was a geologist."


def test_overview_lacks_what_most_others_of_the_kind_have() -> None:
    assert gaps(answer("Who was Mary Shelley?", graph=PEOPLE)) == [
        "The graph does not tell the date of birth of Mary Shelley."
    ]
    pumps = [fact(f"Pump {n}", name, "x") for n in range(5) for name in ("instance of", "head", "seal")]
    assert gaps(asked("What is Pump 1?", *[each for each in pumps if each[1:3] != ("Pump 1", "seal")])) == [
        "The graph does not tell the seal of Pump 1."
    ]


def test_family_lacks_each_of_its_members() -> None:
    assert [text.split(" the ")[1] for text in gaps(asked("Tell about the family of Ida Lunde."))] == [
        "mother of Ida Lunde.",
        "spouse of Ida Lunde.",
        "child of Ida Lunde.",
    ]


def test_words_that_name_no_relation_are_a_gap_in_these_words() -> None:
    answered = asked("What is the occupation, blood type and father of Ida Lunde?")
    assert gaps(answered) == ["The graph does not tell the blood type of Ida Lunde."]
    assert [each.text for each in answered.statements if each.citations] == [
        "Ida Lunde was a geologist.",
        "The father of Ida Lunde was Ole Lunde.",
    ]


def test_words_of_a_relation_ask_for_no_theme() -> None:
    assert (
        asked("What is the ancestral home of Ida Lunde?").text == "The ancestral home of Ida Lunde is Norvik."
    )


@pytest.mark.slow
@pytest.mark.parametrize("words", ["sponsor", "voice type", "blood type", "phone number"])
def test_encoder_gives_no_value_of_another_relation(words: str) -> None:
    assert asked(f"What is the {words} of Ida Lunde?").text == (
        f"The graph does not tell the {words} of Ida Lunde."
    )


@pytest.mark.slow
def test_encoder_finds_the_relation_by_other_words() -> None:
    assert asked("What is the musical instrument of Ida Lunde?").sources[0].triple is not None


def test_child_of_somebody_who_is_the_father_gives_no_mother() -> None:
    assert gaps(asked("Who was the mother of Ida Lunde?")) == [
        "The graph does not tell the mother of Ida Lunde."
    ]


@pytest.mark.parametrize(
    ("question", "gap"),
    [
        ("When did she die, and when was Albert Einstein born?", "date of birth of Albert Einstein."),
        ("And who was Albert Einstein?", "who or what Albert Einstein is."),
        ("And where was Jonah Strake born?", "which Jonah Strake is meant."),
    ],
)
def test_part_about_a_stranger_gets_no_value_of_another_entity(question: str, gap: str) -> None:
    answered = answer(f"Where was Marie Curie born? {question}", graph=PEOPLE)
    assert [each.text.removesuffix(gap) != each.text for each in answered.statements][-1]
    assert "Marie Curie was born on" not in answered.text


def test_pronoun_after_a_stranger_means_the_stranger() -> None:
    answered = answer("Was Marie Curie tall? Who was Albert Einstein, and when was he born?", graph=PEOPLE)
    assert "Marie Curie was born" not in answered.text


def test_each_of_two_entities_is_told_or_missed() -> None:
    answered = answer("What is the height of the Hoover Dam and of the Humber Bridge?", graph=STRUCTURES)
    assert answered.render() == (
        "Hoover Dam is 221 metres high. [s2, height: 221 metres]"
        " The graph does not tell the height of Humber Bridge. [NA]"
    )


PLANT = (
    fact("Mother Goose Works, Ltd.", "founded", "1950"),
    fact("Mother Goose Works, Ltd.", "number of employees", "12"),
    fact("Mother Goose Works, Ltd.", "chief executive officer", "Ida Lunde"),
    fact("Mother Goose Works, Ltd.", "parent company", "Tolk Holding"),
    fact("Tolk Holding", "founded", "1998"),
    fact("Tolk Holding", "price", "349 euros"),
    fact("Tidemark", "release date", "2019-11-30"),
    fact("Tidemark", "designer", "Ida Lunde"),
    fact("Tidemark", "successor", "Silent Three"),
    fact("Silent Three", "successor", "Norwave"),
    fact("Silent Three", "weight", "4 kg"),
    fact("Silent Three", "price", "349 euros"),
    fact("Ida Lunde", "occupation", "engineer"),
)


def test_words_of_a_name_ask_for_nothing() -> None:
    name = "Mother Goose Works, Ltd."
    answered = asked(f"How many employees does {name} have?", *PLANT)
    assert (answered.text, gaps(answered)) == (f"The number of employees of {name} is 12.", [])
    assert gaps(asked(f"What is the revenue of {name}?", *PLANT)) == [
        f"The graph does not tell the revenue of {name}"
    ]


@pytest.mark.parametrize(
    "question",
    [
        "When was Tidemark discontinued?",
        "When was Tolk Holding sold?",
        "Who owns Tolk Holding?",
        "What is the parent company of Tolk Holding?",
        "Who is the chief financial officer of Mother Goose Works, Ltd.?",
        "Who founded Tolk Holding?",
        "Who was Tolk Holding founded by?",
        "Why did Ida Lunde die?",
    ],
)
def test_value_of_another_relation_is_no_answer(question: str) -> None:
    answered = asked(question, *PLANT)
    assert gaps(answered) == [answered.text]


@pytest.mark.parametrize(
    ("question", "values"),
    [
        ("When was Tidemark released, and who designed Tidemark?", ["2019-11-30", "Ida Lunde"]),
        ("What does Silent Three weigh, and what does it cost?", ["4 kg", "349 euros"]),
        ("What is the successor of the successor of Tidemark?", ["Silent Three", "Norwave"]),
        ("How much does the successor of Tidemark cost?", ["Silent Three", "349 euros"]),
        ("When was the parent company of Mother Goose Works, Ltd. founded?", ["Tolk Holding", "1998"]),
        ("what is the price of silent three", ["349 euros"]),
        ("What did Ida Lunde design?", ["Ida Lunde"]),
    ],
)
def test_each_half_and_each_step_has_its_triple(question: str, values: list[str]) -> None:
    answered = asked(question, *PLANT)
    assert [each.triple.value for each in answered.sources if each.triple] == values
    assert gaps(answered) == []


@pytest.mark.parametrize(
    ("question", "gap"),
    [
        (
            "When was Tidemark released, and when was it sold?",
            "The graph does not tell this of Tidemark: when was it sold.",
        ),
        (
            "How much did Silent Three cost in 1990?",
            "The graph does not date this of Silent Three: it does not tell what was so in 1990.",
        ),
        (
            "When was Ida Lunde appointed chief executive officer?",
            "The graph does not tell when this was so of Ida Lunde.",
        ),
        (
            "What is the weight of the successor of Silent Three?",
            "The graph does not tell the weight of Norwave.",
        ),
        ("How old was Ida Lunde?", "The graph does not tell the age of Ida Lunde."),
    ],
)
def test_half_step_or_date_that_the_graph_lacks_is_told(question: str, gap: str) -> None:
    assert gaps(asked(question, *PLANT)) == [gap]


def test_date_of_a_value_needs_no_gap() -> None:
    assert gaps(asked("Was Tolk Holding founded in 1998?", *PLANT)) == []


def test_one_thing_asked_of_somebody_is_no_overview() -> None:
    answered = asked("Who is the father of Ida Lunde?")
    assert answered.text == "The father of Ida Lunde was Ole Lunde."
    facts = (*IDA, fact("Ida Lunde", "spouse", "Per Vik"))
    assert asked("Who was Ida Lunde married to?", *facts).text == "Ida Lunde was married to Per Vik."


def test_name_in_a_list_is_no_noun_that_is_asked() -> None:
    assert "the Ida Lunde of" not in asked("Who is Ida Lunde, the designer of Tidemark?", *PLANT).text
