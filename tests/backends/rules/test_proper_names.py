import pytest

from rarr.backends.rules.proper_names import is_person, proper_names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("He met Marie Curie.", ["Marie Curie"]),
        ("The Golden Gate Bridge opened.", ["Golden Gate Bridge"]),
        ("She lives in the Republic of the Congo.", ["Republic of the Congo"]),
        ("He met Ludwig van Beethoven.", ["Ludwig van Beethoven"]),
        ("He met Charles de Gaulle.", ["Charles de Gaulle"]),
        ("He met J. R. R. Tolkien.", ["J. R. R. Tolkien"]),
        ("He read J.R.R. Tolkien today.", ["J.R.R. Tolkien"]),
        ("They flew on Apollo 11.", ["Apollo 11"]),
        ("The warranty of the Elmon 500 lasts 3 years.", ["Elmon 500"]),
        ("Elmon 500 costs 649 euros.", ["Elmon 500"]),
        ("The Elmon 500 leaks.", ["Elmon 500"]),
        ("In Paris 300 houses burned.", ["Paris"]),
        ("On the Rhine 20 bridges stand.", ["Rhine"]),
        ("Give Rovan 3 times a day.", ["Give Rovan"]),
        ("He left Paris 20 years later.", ["Paris"]),
        ("Paris's river is long.", ["Paris"]),
        ("They left New York.", ["New York"]),
        ("In London it rained.", ["London"]),
        ("However, London slept.", ["London"]),
        ("Born in Paris in May.", ["Paris"]),
        ("On Monday it rained.", []),
        ("Trips are cheap.", []),
        ("**Sales:** Groups pay less; Receipts are kept.", []),
        ("- Professional companies may take part.", []),
        ("He praised Trips.", ["Trips"]),
        ("Velorane treats headaches.", ["Velorane"]),
        ("Bridge of Dee is a village.", ["Bridge of Dee"]),
        ("It rained.", []),
        ("Nobody knew of an eGFR of 25, due in EUR 20.", []),
        ("He wrote “The Old Man” there.", ["The Old Man"]),
        ("He wrote *Moby Dick* there.", ["Moby Dick"]),
        ("He wrote _Moby Dick_ there.", ["Moby Dick"]),
        ("He said “no way” there.", []),
        ("It is in Saint-Denis and St. Louis.", ["Saint-Denis", "St. Louis"]),
        ("Ångström, Évian and Łódź lie apart.", ["Ångström", "Évian", "Łódź"]),
    ],
)
def test_proper_names_are_found(text: str, names: list[str]) -> None:
    assert [name.text for name in proper_names(text)] == names


def test_places_are_those_of_the_names() -> None:
    text = "In Paris's “Old Town” lived Marie Curie."
    assert all(text[name.start : name.end] == name.text for name in proper_names(text))


@pytest.mark.parametrize(
    ("text", "person"),
    [
        ("Marie Curie left.", True),
        ("J. R. R. Tolkien left.", True),
        ("Paris left.", False),
        ("They saw the Hoover Dam.", False),
        ("Oxford University left.", False),
        ("They saw “Moby Dick” there.", False),
    ],
)
def test_names_of_persons(text: str, person: bool) -> None:
    assert is_person(text, proper_names(text)[0]) is person
