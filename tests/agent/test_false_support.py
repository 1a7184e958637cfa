"""A sentence is not supported by nearly the same words: other polarity, order, pairing, namesake or hedge."""

import json
from pathlib import Path

import pytest
from families import few

from rarr import Reviser, Revision, Settings

POLARITY = [
    ("Brenix may be taken with grapefruit juice.", "Brenix must not be taken with grapefruit juice."),
    ("The Lorrin valve is safe to open.", "The Lorrin valve is not safe to open. It is made of brass."),
    (
        "Visitors can enter Tarn Castle without a ticket.",
        "Visitors cannot enter Tarn Castle without a ticket.",
    ),
    ("The Hollen ferry runs on Sundays.", "The Hollen ferry never runs on Sundays. It carries forty cars."),
    ("Small firms are exempt from the Varley levy.", "Small firms are not exempt from the Varley levy."),
    ("The Orsk engine starts without a battery.", "The Orsk engine does not start without a battery."),
    ("Delvan is recommended for children.", "Delvan is contraindicated for children. Adults take one a day."),
    ("The Merrit Prize may be shared.", "The Merrit Prize may never be shared. It is given every two years."),
    ("The Pellan trial found a benefit.", "The Pellan trial failed to find a benefit. It had 412 patients."),
    ("Batteries are included with the Kessel lamp.", "Batteries are not included with the Kessel lamp."),
]
ORDER = [
    ("Orders rose to 412 from 530.", "Orders rose from 412 to 530 in the spring."),
    ("Attendance at the Norrby Fair grew to 8,000 from 9,500.", "It grew from 8,000 to 9,500 in June."),
    ("The Arlo bike was cut to 640 euros from 590 euros.", "The Arlo bike was cut from 640 to 590 euros."),
    ("The Tessin road leads from Varn to Olm.", "The Tessin road leads from Olm to Varn."),
    ("Membership of the Harl Society fell to 210 from 160.", "The Harl Society fell from 210 to 160."),
    (
        "The Osprey line was shortened from 18 km to 25 km.",
        "The Osprey line was shortened from 25 km to 18 km.",
    ),
    ("The vault went from 12 degrees to 19 degrees.", "The vault went from 19 degrees to 12 degrees."),
    ("The Lindal office moved from Bergen to Oslo.", "The Lindal office moved from Oslo to Bergen in 2016."),
    ("The Riva ferry sails from Dunmore to Askey.", "The Riva ferry sails from Askey to Dunmore at noon."),
    ("Castor Foods fell from 31 to 44 million euros.", "Castor Foods fell from 44 to 31 million euros."),
]
PAIRS = [
    (
        "The fee is 12 euros for members and 18 for guests.",
        "The fee is 18 euros for members and 12 for guests.",
    ),
    (
        "Pinto hall seats 300 upstairs and 450 downstairs.",
        "Pinto hall seats 450 upstairs and 300 downstairs.",
    ),
    (
        "Lund founded the choir and Holt founded the band.",
        "Holt founded the choir and Lund founded the band.",
    ),
    ("The Corvin kit has 24 screws and 16 bolts.", "The Corvin kit has 16 screws and 24 bolts."),
    ("Helen Marsh beat Ruth Kane in the final.", "Ruth Kane beat Helen Marsh in the final."),
    ("The north gets 40 percent and the south 25 percent.", "The north gets 25 percent and the south 40."),
    ("Nils Brandt sold the farm to Oskar Dahl.", "Oskar Dahl sold the farm to Nils Brandt."),
    ("Rolle is 5 mg for adults and 10 mg for children.", "Rolle is 10 mg for adults and 5 mg for children."),
    ("Ferrin school has 22 teachers and 31 helpers.", "Ferrin school has 31 teachers and 22 helpers."),
    (
        "Prizes went to Anna Weiss for drama and Karl Roth for verse.",
        "Karl Roth for drama, Anna Weiss for verse.",
    ),
]
NAMESAKES = [
    ("Kellan is a town in Ontario founded in 1854.", "Kellan is a village in Scotland founded in 1854."),
    ("The film Silver Tide was made by Mona Reyes.", "Silver Tide is an album by Mona Reyes."),
    ("John Ferris, the botanist, was born in Leeds.", "John Ferris was a footballer who was born in Leeds."),
    (
        "The band Northlight was formed in Cardiff in 1999.",
        "Northlight is a magazine founded in Cardiff in 1999.",
    ),
    (
        "The ship Aurelia was launched at Trieste in 1938.",
        "Aurelia is a jellyfish described at Trieste in 1938.",
    ),
    ("The novel Harrow Lane appeared in 1956.", "Harrow Lane is a film that appeared in 1956."),
    ("The painter Peter Vance died in Dover in 1944.", "Peter Vance was a judge who died in Dover in 1944."),
    ("The airline Condora flew to Lima in 1972.", "Condora is a ballet. It was danced in Lima in 1972."),
    ("The comet Ostrava was seen in 1811.", "Ostrava is a city. Its theatre was first seen in 1811."),
    ("The opera Belmira was sung in Parma in 1790.", "Belmira is a cheese made in Parma since 1790."),
]
HEDGES = [
    ("The Vell Tower is rarely 135 metres high.", "The Vell Tower is 135 metres high. It was painted green."),
    ("The Orsk mill barely employs 40 people.", "The Orsk mill employs 40 people and grinds rye."),
    ("The Tarn Prize is all but 900 euros.", "The Tarn Prize is 900 euros, and is given every year."),
    ("The Pellan kit seldom has 24 screws.", "The Pellan kit has 24 screws."),
    ("The Arlo bike is anything but 14 kilograms.", "The Arlo bike is 14 kilograms."),
    ("The Lorrin valve holds 6 bar.", "The Lorrin valve supposedly holds 6 bar."),
    ("The Hollen ferry is ostensibly 80 metres long.", "The Hollen ferry is 80 metres long."),
]
ROLES = [
    ("The guards inform the warden after dark.", "The warden informs the guards after dark."),
    ("In June the tenants took the owner to court.", "In June the owner took the tenants to court."),
    ("Every night the pump cools the engine.", "Every night the engine cools the pump."),
    ("The parser calls the scanner for each line.", "The scanner calls the parser for each line."),
    (
        "The league made the club pay a fine of 900 euros.",
        "The club made the league pay a fine of 900 euros.",
    ),
    ("Before a match the referee warns the captains.", "Before a match the captains warn the referee."),
    ("The bank owes the baker 400 marks.", "The baker owes the bank 400 marks."),
    ("In spring the geese chase the dogs.", "In spring the dogs chase the geese."),
    ("The nurse had the porter sign at nine.", "The porter had the nurse sign at nine."),
    ("The union got the company to talk in 2021.", "The company got the union to talk in 2021."),
]
WAYS = [
    (
        "In the morning, vans drive only out of the yard.",
        "Vans drive only into the yard in the morning and only out of it in the evening.",
    ),
    (
        "On Mondays goods go up the hill.",
        "Goods go down the hill on Mondays and up the hill on Thursdays.",
    ),
    (
        "In April the herd moves into the valley.",
        "The herd moves out of the valley in April and into it in October.",
    ),
    ("Walk uphill along Tanner Lane for five minutes.", "Walk downhill along Tanner Lane for five minutes."),
    ("The boats go upstream in May.", "The boats go downstream in May."),
    ("Three staff are overpaid in Olm.", "Three staff are underpaid in Olm."),
    ("The shop has indoor seats for 40.", "The shop has outdoor seats for 40."),
    (
        "A usual queue is shorter now than it was in 2019.",
        "A usual queue was shorter in 2019 than it is now.",
    ),
    ("A ward is bigger today than it was in 1990.", "A ward is smaller today than it was in 1990."),
    (
        "Single rooms can be booked by guests.",
        "Double rooms may be booked. Single rooms may not be booked by guests.",
    ),
]
TIMES = [
    ("The lease ends on 1 March 2023.", "The lease begins on 1 March 2023 and ends on 28 February 2026."),
    ("Take one tablet twice a week.", "Take one tablet twice a day, with water."),
    ("The club pays 40 euros a month.", "The club pays 40 euros a year to the town."),
    ("The ferry to Lunde leaves at 13:50.", "The ferry to Lunde leaves at 13:20 on weekdays."),
    ("The board voted 5 to 2 in favour of the new roof.", "The board voted 5 to 2 against the new roof."),
]


def revised(text: str, evidence: str, title: str, folder: Path) -> Revision:
    corpus = folder / "passage.json"
    corpus.write_text(json.dumps({"text": evidence, "title": title, "source": "page"}), encoding="utf-8")
    with Reviser(Settings(corpus=corpus, home=folder / "home", trace=False)) as reviser:
        return reviser.revise(text)


@pytest.mark.parametrize(
    ("text", "evidence"),
    few([*POLARITY, *ORDER, *PAIRS, *NAMESAKES, *HEDGES, *ROLES, *WAYS, *TIMES], every=20),
)
def test_sentence_that_a_passage_only_nearly_says_is_not_supported(
    text: str, evidence: str, tmp_path: Path
) -> None:
    revision = revised(text, evidence, "", tmp_path)
    [sentence] = revision.report.sentences
    assert revision.changed or sentence.status != "supported"


@pytest.mark.slow
@pytest.mark.parametrize(
    "stated",
    [
        "The hire of bicycles rose by 60 percent.",
        "On the west bank, no buses ran at all.",
        "The last bus left the depot at 11 p.m.",
        "About 3,000 people marched to the harbour on Friday.",
    ],
)
def test_sentence_of_a_page_is_supported_where_the_text_speaks_of_a_person_before(
    stated: str, tmp_path: Path
) -> None:
    text = f"The drivers are led by Maud Tillery. {stated}"
    evidence = f"The drivers struck for two days. {stated} Shops closed early, and schools stayed open."
    [_, sentence] = revised(text, evidence, "Strike in Vennport", tmp_path).report.sentences
    assert sentence.status == "supported"
