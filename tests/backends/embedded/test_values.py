"""Values: what a text has, which two are the same, and which may stand in place of another."""

from datetime import date

import pytest
from hypothesis import given, strategies as st

from rarr.backends.embedded.values.comparing import compare, has_value, is_narrower, may_state, replacement
from rarr.backends.embedded.values.forms import Value
from rarr.backends.embedded.values.reading import values

# A claim, a source, and how their values compare.
CASES = [
    ("Give 0.5 mg.", "Give .5 mg.", "equal"),
    ("Give 5 mg.", "Give .5 mg.", "different"),
    ("The turnover was EUR 12.400.000.", "The turnover was EUR 12.4 million.", "equal"),
    ("It costs 1.3bn euros.", "Es kostet 1,3 Milliarden Euro.", "equal"),
    ("62% agreed", "61.8 percent agreed", "equal"),
    ("It is 48 km long.", "It is 48,000 metres long.", "equal"),
    ("It is 2.715 km long.", "It is 2,715 km long.", "unknown"),  # thousands and decimals
    ("It took 1 hour 15 minutes.", "It took 75 minutes.", "equal"),
    ("opened in June 1954", "opened on 7 June 1954", "equal"),
    ("opened on 7 June 1954", "opened in June 1954", "unknown"),
    ("due on 5/11/2024", "due on 5 November 2024", "unknown"),
    ("7 czerwca 1954", "on 7 June 1954", "equal"),
    ("fixed in CVE-2023-11842", "fixed in CVE-2023-11824", "different"),
    ("doi 10.1234/abc.55", "https://doi.org/10.1234/ABC.55", "equal"),
    ("ISBN 978-0-306-40615-7", "ISBN 0-306-40615-2", "equal"),
    ("Needs Harbour 4.1 now.", "Needs Harbour 4.10 now.", "different"),
    ("version 4.1.0", "v4.1.0", "equal"),
    ("See clause 7(b).", "See clause 7(c).", "different"),
    ("Case No. 2021-004417", "Case No. 2021-004471", "different"),
    ("host 10.1.0.12", "host 10.1.0.21", "different"),
    ("two thirds of them", "⅔ of them", "equal"),
    ("half of them", "50% of them", "equal"),
    ("at 7:45 pm", "at 7:45", "unknown"),
    ("at least 16 years", "no less than 16 years", "equal"),
    ("at least 16 years", "at most 16 years", "different"),
    ("over 200 rooms", "212 rooms", "equal"),
    ("the third floor", "the 3rd floor", "equal"),
    ("It has 88 keys².", "It has 88 keys.", "equal"),
    ("Es hat vierhundertzwölf Zimmer.", "412 rooms", "equal"),
    ("Bücher: sechs Jahre", "6 years", "equal"),
    ("La garde : dix ans", "10 years", "equal"),
    ("Iron Man sold 1,250 copies", "1250 copies", "equal"),
    ("1,200,000 people", "1,234,567 people", "unknown"),
    ("5 million people", "5.4 million people", "unknown"),
    ("20 euros an hour", "20 euros", "unknown"),
    ("5 mg/kg", "5 mg per kg", "equal"),
    ("5 mg daily", "5 mg per day", "equal"),
    ("5 mg täglich", "5 mg weekly", "unknown"),
    ("ein 12-jähriger Junge", "12 years", "equal"),
    ("77 °F", "25 °C", "equal"),
    ("120/80 mmHg", "130/80 mmHg", "different"),
    ("18 months", "one and a half years", "equal"),
    ("on the ninth of March 1988", "on 9 March 1988", "equal"),
    ("le 1er août 2003", "on August 1, 2003", "equal"),
    ("in the 18th century", "in 1745", "equal"),
    ("Contact ops@varn.example", "Contact ops@varm.example", "different"),
    ("2.5×10⁶ cells", "2,500,000 cells", "equal"),
    ("–5 °C", "5 °C", "different"),
    ("61.8% agreed", "62% agreed", "unknown"),
    ("at 7:45 pm", "at 19:45", "equal"),
    ("from 1914 to 1918", "1914-1918", "equal"),
    ("from 8 to 18 April", "from 8 to 17 April", "unknown"),
    ("at 6:45 p.m.", "at about 6:45 p.m.", "unknown"),
    ("two dozen eggs", "24 eggs", "equal"),
    ("a hundred and twenty rooms", "120 rooms", "equal"),
    ("The clause is 2.1.", "The clause is 2.10.", "unknown"),
    ("The file is 0815.", "The file is 815.", "unknown"),
    ("It has 100 rooms.", "It has 10 rooms.", "different"),
    ("The fee is $3.50.", "The fee is $3.5.", "equal"),
    ("15 tons of it", "15 tonnes of it", "unknown"),
    ("The fee is 1.5 euros.", "The fee is 1.500 euros.", "unknown"),
    ("The fee is 1.500 euros.", "The fee is 1.500 euros.", "equal"),
    ("It weighs 1.5 kg.", "It weighs 1.500 kg.", "equal"),
]


@pytest.mark.parametrize(("claim", "source", "wanted"), CASES)
def test_two_values_compare(claim: str, source: str, wanted: str) -> None:
    pairs = list(zip(values(claim), values(source), strict=True))
    assert pairs
    assert {compare(first, second) for first, second in pairs} == {wanted}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("You may go to Mayo in May.", ["May"]),
        ("The one that won is the last one.", []),
        ("Millions of people saw the first of them.", ["first"]),
        ("Revenue was **12** million, _12_ at first.", ["12** million", "12", "first"]),
        ("It is 40 m<sup>2</sup> large [1], 40 m² in all【2†L10】.", ["40 m<sup>2</sup>", "40 m²"]),
        ("See [3] and https://example.org/2024/12 (Source 4).", []),
        ("It was opened on 3 May\n1931.", ["3 May\n1931"]),
        ("这座桥于1932年建成，耗资二百万克朗。", ["1932年", "二百万"]),
        ("about US$ 5,000 or €3.5 per kg", ["US$ 5,000", "€3.5 per kg"]),
        ("Ask for no more than 5 mg/kg.", ["5 mg/kg"]),
        ("Part ① of 7 ①②③ 2012", ["7", "2012"]),  # circled digits count no thing
    ],
)
def test_values_have_exact_places(text: str, found: list[str]) -> None:
    assert [value.text for value in values(text)] == found
    assert all(value.text == value.span.of(text) for value in values(text))


@pytest.mark.parametrize(
    ("value", "like", "written"),
    [
        ("die 1.500 Euro", "500 Euro", "1.500 Euro"),
        ("48,000 metres", "84 km", "48 km"),
        ("48,300 metres", "84 km", "48,300 metres"),
        ("726 feet", "212 metres", "221 metres"),
        ("45,000,000 dollars", "$54M", "45,000,000 dollars"),
        ("7. Juni 1954", "1955-11-08", "7. Juni 1954"),
        ("27 May 1937", "May 27, 1939", "May 27, 1937"),
        ("1940s", "1930s", "1940s"),
        ("18:00", "5 p.m.", "18:00"),
        ("**12** million", "15 million", "12 million"),
        ("15 million", "**12** million", "15** million"),
        ("15.000", "**12** million", None),
        ("40 m<sup>2</sup>", "30\nm²", "40\nm²"),
        ("412\nmetres", "421 metres", "412 metres"),
        ("third", "first", "third"),
        ("12 kg", "12 km", None),
        ("30 June 2025", "31. März 2025", None),
        ("June 1954", "8 May 1955", None),
        ("1942", "1930s", None),
        ("3.10", "version 3.1", None),
    ],
)
def test_value_is_written_in_place_of_another(value: str, like: str, written: str | None) -> None:
    assert replacement(values(value)[0], values(like)[0]) == written


def test_value_is_stated_whatever_the_bound_or_unit() -> None:
    pairs = [("about 412 rooms", "412"), ("35,000 m", "35 km"), ("by 6:45", "6:45"), ("53 km", "35 km")]
    assert [has_value(text, values(value)[0]) for text, value in pairs] == [True] * 3 + [False]


amounts, dates = st.integers(13, 10**9), st.dates(date(1000, 1, 1), date(2099, 12, 31))
words = st.text("ab 0123456789.,-/:%$€()[]*_¹²³①\u00a0\n'x@", max_size=40)
tokens = ["3", "May", "1931", "million", "/", ".", " ", "-", "%", "$", "½", "no.", "two", "half", "an", "km"]
pieces = st.lists(st.sampled_from(tokens), max_size=12)


def writings(amount: int) -> list[str]:
    grouped = f"{amount:,}"
    marks = [",", ".", "'", "\u00a0", "\u202f", "\u2009", "’"] if amount >= 10**6 else [",", "'", "\u202f"]
    exact = [f"{amount}", *(grouped.replace(",", mark) for mark in marks)]
    return [*exact, f"**{amount}**", f"_{grouped}_", f"{amount / 10**6:.6f} million"]


def days(day: date) -> list[str]:
    """The day in every form of which the order of day and month is clear."""
    suffix = {1: "st", 2: "nd", 3: "rd"}.get(day.day % 10 if day.day not in (11, 12, 13) else 0, "th")
    german = "Januar Februar März April Mai Juni Juli August September Oktober November Dezember".split()  # noqa: SIM905
    slashed = [f"{day:%d/%m/%Y}", f"{day:%m/%d/%Y}"] if day.day > 12 else []
    named = [f"{day.day} {day:%B %Y}", f"{day:%B} {day.day}, {day.year}", f"{day.day}{suffix} of {day:%B %Y}"]
    numbered = [f"{day:%Y-%m-%d}", f"{day:%d.%m.%Y}", f"{day.day}. {german[day.month - 1]} {day.year}"]
    return [*named, *slashed, *numbered]


def only(text: str) -> Value:
    [value] = values(text)
    return value


@given(amounts, st.data())
def test_equal_amounts_stay_equal(amount: int, data: st.DataObject) -> None:
    first, second = (data.draw(st.sampled_from(writings(amount))) for _ in range(2))
    assert compare(only(f"with {first} people"), only(f"with {second} people")) == "equal"


@given(amounts, st.integers(20, 400), st.data())
def test_different_amounts_stay_different(amount: int, percent: int, data: st.DataObject) -> None:
    first = data.draw(st.sampled_from(writings(amount)))
    second = data.draw(st.sampled_from(writings(amount * (100 + percent) // 100)))
    assert compare(only(f"with {first} people"), only(f"with {second} people")) == "different"


@given(dates, dates, st.data())
def test_dates_compare_in_all_forms(first: date, second: date, data: st.DataObject) -> None:
    claim, same, other = (data.draw(st.sampled_from(days(day))) for day in (first, first, second))
    assert compare(only(f"on {claim} there"), only(f"on {same} there")) == "equal"
    wanted = "equal" if first == second else "different"
    assert compare(only(f"on {claim} there"), only(f"on {other} there")) == wanted


@given(st.one_of(words, pieces.map("".join), pieces.map(" ".join), st.text(max_size=40)))
def test_no_text_raises_and_places_are_exact(text: str) -> None:
    found, at = values(text), 0
    for value in found:
        assert at <= value.bound_start <= value.start < value.end <= len(text)
        assert value.text == text[value.start : value.end]
        assert value.start <= value.number.start < value.number.end <= value.end
        at = value.end
        for other in found:
            assert compare(value, other) in ("equal", "different", "unknown")
            assert not (is_narrower(value, other) and is_narrower(other, value))
            assert may_state(value, other) or compare(other, value) != "equal"
            replacement(value, other)
