import pytest

from rarr.backends.rules.quantities import ordinal_suffix, quantities
from rarr.backends.rules.quantity_comparison import same_quantity


@pytest.mark.parametrize(
    ("text", "amount", "unit"),
    [
        ("It has 42 rooms.", 42, ""),
        ("It has 1,600 rooms.", 1600, ""),
        ("It has 3.5 stars.", 3.5, ""),
        ("It has twenty-three rooms.", 23, ""),
        ("It has two hundred and five rooms.", 205, ""),
        ("It has two hundred and five thousand rooms.", 205_000, ""),
        ("It has three dozen rooms.", 36, ""),
        ("It has a hundred rooms.", 100, ""),
        ("It has 2.5 million visitors.", 2_500_000, ""),
        ("It has 3 bn users.", 3e9, ""),
        ("It was the 3rd attempt.", 3, "#"),
        ("It was the twenty-third attempt.", 23, "#"),
        ("It cost $35 million.", 35e6, "$"),
        ("It cost 20 euros.", 20, "€"),
        ("It cost EUR 1,450.", 1450, "€"),
        ("They took 25 µg.", 25e-9, "kilogram"),
        ("It cost 5 pounds sterling.", 5, "£"),
        ("It fell by 12%.", 12, "%"),
        ("It fell by 12 per cent.", 12, "%"),
        ("It burned twice.", 2, "times"),
        ("It is 2 km long.", 2000, "metre"),
        ("It is 500-foot long.", 152.4, "metre"),
        ("It lasted a decade.", 10, "year"),
        ("It is at 32 degrees Fahrenheit.", 0, "degree"),
        ("It is at -40 degrees Fahrenheit.", -40, "degree"),
        ("It fell to −12 in May.", -12, ""),
        ("It leaves at 13:20 daily.", 800, "clock"),
        ("It leaves at 1:20 pm daily.", 800, "clock"),
        ("It leaves at 1.20 p.m. daily.", 800, "clock"),
        ("It leaves at 7 am daily.", 420, "clock"),
        ("It leaves at 12 am daily.", 0, "clock"),
        ("It takes 3/4 of the oil.", 0.75, ""),
        ("It takes 1 1/2 cups of oil.", 0.354882, "litre"),
        ("It is 1 1/2 miles long.", 2414.016, "metre"),
        ("It is 1½ miles long.", 2414.016, "metre"),
        ("It weighs ¼ kg.", 0.25, "kilogram"),
        ("It is at 120/80 mmHg.", 120, "/80"),
        ("It fell to minus 1.5%.", -1.5, "%"),
        ("It has 9 234 567 readers.", 9_234_567, ""),
        ("It has 9\u202f234 readers.", 9234, ""),
    ],
)
def test_reads_amount_and_unit(text: str, amount: float, unit: str) -> None:
    [number] = quantities(text)
    assert number.unit == unit
    assert number.amount == pytest.approx(amount)


@pytest.mark.parametrize(
    "text",
    ["One of them left.", "See v1.2.3-a4.", "In the top ten.", "It is half a million.", "A part of a mile."],
)
def test_words_that_are_no_number(text: str) -> None:
    assert [n for n in quantities(text) if n.amount not in (1.2, 3.0)] == []


def test_a_time_of_day_is_no_hour() -> None:
    assert not [n for n in quantities("It left at 9:15.") if n.amount == 9]


def test_the_place_is_the_number_without_hedge_and_unit() -> None:
    text = "It is about 1,600 metres long."
    [number] = quantities(text)
    assert (text[number.start : number.end], number.form) == ("1,600", "metres")


@pytest.mark.parametrize(
    "words",
    ["5 km", "500-foot", "12%", "12 per cent", "5 million dollars", "5 US dollars", "$5", "3rd", "42"],
)
def test_the_tail_is_behind_unit_percent_sign_and_currency_word(words: str) -> None:
    text = f"It is {words} there."
    [number] = quantities(text)
    assert text[number.start : number.tail] == words


@pytest.mark.parametrize(
    ("text", "hedged"),
    [("turned over 5", False), ("about 5", True), ("c. 5", True), ("over 5", True), ("of 5", False)],
)
def test_a_hedged_number(text: str, hedged: bool) -> None:
    [number] = quantities(text)
    assert number.hedged is hedged


@pytest.mark.parametrize(
    ("bound", "other", "same"),
    [
        ("up to 38.4 °C", "up to 39.4 °C", False),
        ("at least 20", "no fewer than 20", True),
        ("at least 20", "at least 21", False),
        ("at least 20", "no fewer than 22", False),
        ("no more than 38.4 °C", "up to 39.4 °C", False),
        ("no more than 39.4 °C", "up to 39.4 °C", True),
        ("more than 39.4 °C", "no more than 38.4 °C", False),
        ("over 1,600 m", "more than 1,609 m", True),
        ("up to 40", "35", True),
        ("about 38.4", "about 38.5", True),
    ],
)
def test_two_bounds_are_the_same_if_their_numbers_are(bound: str, other: str, same: bool) -> None:
    [first], [second] = quantities(bound), quantities(other)
    assert same_quantity(first, second) is same


@pytest.mark.parametrize(
    ("text", "other", "same"),
    [
        ("7:30 pm", "19:30", True),
        ("7 am", "7:00 pm", False),
        ("7:30", "7:30 pm", None),
        ("7:30", "19:30", False),
    ],
)
def test_times_of_day(text: str, other: str, same: bool | None) -> None:
    [first], [second] = quantities(f"at {text}."), quantities(f"at {other}.")
    assert same_quantity(first, second) is same


def test_an_article_is_no_part_of_a_number() -> None:
    text = "a sixteen-room house"
    [number] = quantities(text)
    assert text[number.start : number.end] == "sixteen"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("1.6 km", "1,600 metres"),
        ("a mile", "1.6 km"),
        ("about 1,600 metres", "1,609 metres"),
        ("over a hundred", "103"),
        ("nearly 300", "290"),
        ("$5 million", "$5,000,000"),
        ("twelve", "12"),
        ("1 million", "1,000,000"),
        ("60 metres", "197 feet"),
        ("fifty percent", "50%"),
        ("twelve months", "1 year"),
    ],
)
def test_quantities_that_are_equal(first: str, second: str) -> None:
    assert same_quantity(next(quantities(first)), next(quantities(second)))
    assert same_quantity(next(quantities(second)), next(quantities(first)))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("3,000", "3,100"),
        ("over a hundred", "40"),
        ("under 50", "60"),
        ("fewer than 4,000", "4,128"),
        ("more than 4,000", "3,900"),
        ("2.5 million", "2.7 million"),
        ("100 metres", "100 feet"),
        ("3rd", "4th"),
        ("12%", "13%"),
    ],
)
def test_quantities_that_differ(first: str, second: str) -> None:
    assert same_quantity(next(quantities(first)), next(quantities(second))) is False


@pytest.mark.parametrize(("first", "second"), [("5 metres", "5 kg"), ("5", "5th"), ("$5", "€5"), ("5", "5%")])
def test_units_that_do_not_compare(first: str, second: str) -> None:
    assert same_quantity(next(quantities(first)), next(quantities(second))) is None


@pytest.mark.parametrize(
    ("number", "suffix"), [(1, "st"), (2, "nd"), (3, "rd"), (4, "th"), (11, "th"), (112, "th"), (121, "st")]
)
def test_ordinal_suffix(number: int, suffix: str) -> None:
    assert ordinal_suffix(number) == suffix
