"""The same words, two parts of which changed places."""

import pytest

from rarr.backends.rules.denied_claims import is_denied
from rarr.backends.rules.parsed_sentence import parsed_sentence
from rarr.backends.rules.swapped_roles import has_swapped_roles


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Elm beat Hay.", "Hay beat Elm."),
        ("The Elm group had fewer strokes than Hay.", "Hay had fewer strokes than the Elm group."),
        ("Ali Hay was sued by Jo Ash of Oak.", "In 1990, Jo Ash of Oak was sued by Ali Hay."),
        (
            "Lease: The landlord shall not sublet the flat without the tenant's consent.",
            "The tenant shall not sublet the flat without the landlord's consent.",
        ),
        (
            "The landlord is Jo Ash and the tenant is Elm Ltd.",
            "The landlord is Elm Ltd and the tenant is Jo Ash.",
        ),
        (
            "The act was amended in 2020 and repealed in 2016.",
            "The act was amended in 2016 and repealed in 2020.",
        ),
        (
            "More died with Elm than with Hay: 8 against 11.",
            "More died with Hay than with Elm: 8 against 11.",
        ),
        ("In May the tenants took the owner to court.", "In May the owner took the tenants to court."),
        ("The board voted 5 to 2 for it.", "The board voted 2 to 5 for it."),
        ("The nurses inform the doctor at night.", "The doctor informs the nurses at night."),
        ("The Orrin rescued the Tessa near Holm.", "The Orrin was rescued by the Tessa near Holm."),
        ("The mill was bought by the bank in May.", "In May, the mill then bought the bank."),
        ("The Orrin was _rescued_ by the Tessa.", "The Orrin rescued the Tessa."),
        ("Ada Lund insured Leif Dorn.", "The owner, Ada Lund, was insured by the dealer, Leif Dorn."),
        ("Ada Lund followed Leif Dorn.", "Ada Lund ran the mill until 1990 and was followed by Leif Dorn."),
        ("The Orrin was towed by the Tessa.", "The Orrin left late, but later towed the Tessa home."),
    ],
    ids=[
        "parties",
        "groups",
        "in the passive, within more",
        "under a subject",
        "roles",
        "numbers",
        "colon",
        "a common verb",
        "a result of a vote",
        "in another number",
        "the passive",
        "the passive in the claim",
        "the passive with emphasis",
        "the passive with names behind their nouns",
        "the passive behind and",
        "the active behind but",
    ],
)
def test_exchanged_roles_are_found(claim: str, evidence: str) -> None:
    assert is_denied(parsed_sentence(claim), [parsed_sentence(evidence)])


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Elm beat Hay.", "Elm beat Hay."),
        ("In 1950 Elm beat Hay.", "Elm beat Hay in 1950."),
        ("The Tessa rescued the Orrin near Holm.", "The Orrin was rescued by the Tessa near Holm."),
        ("The Orrin was rescued by the Tessa.", "The Orrin was rescued by the Tessa near Holm."),
        ("Leif Dorn insured Ada Lund.", "The owner, Ada Lund, was insured by the dealer, Leif Dorn."),
        ("Paris is the capital of France.", "The capital of France is Paris."),
        ("Elm, Ash, Oak and Hay won.", "Oak, Ash, Elm and Hay won."),
        ("The Elms met the Hays.", "The Hays met the Elms."),
        ("Elm and Hay won.", "Hay and Elm won."),
        ("Elm beat Hay.", "Hay lost to Elm."),
        ("Elm beat Hay and then Ash.", "Hay beat Elm."),
        ("Elm.", ""),
        (f"Elm beat {'Ash ' * 60}Hay.", f"Hay beat {'Ash ' * 60}Elm."),
    ],
    ids=[
        "same",
        "moved",
        "the passive",
        "twice in the passive",
        "the passive with names behind their nouns",
        "is",
        "list",
        "either way",
        "and",
        "other words",
        "more",
        "empty",
        "long",
    ],
)
def test_unexchanged_roles_are_not_reported(claim: str, evidence: str) -> None:
    assert not has_swapped_roles(parsed_sentence(claim), parsed_sentence(evidence))
