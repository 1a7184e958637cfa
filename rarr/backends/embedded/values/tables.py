"""Tables of the words in values: units, currencies, factors, months, bounds and labels."""

from fractions import Fraction

# Each line has a base unit, then the size and the forms of each unit. "_" means a space, "+s" another ending
# of a form, and "+*" all endings of a German adjective.
_UNITS = """
m: 1 m metre+s meter+s+n mètre+s; 1000 km+s kilometre+s kilometer+s+n kilomètre+s
m: 1/100 cm centimetre+s centimeter+s+n centimètre+s zentimeter+n; 1/1000000 µm micrometre+s mikrometer+n
m: 1/1000 mm millimetre+s millimeter+s+n millimètre+s; 1/1000000000 nm nanometre+s nanometer+s+n
m: 201168/125 mi mile+s meile+n; 1143/1250 yd yard+s; 381/1250 ft foot feet fuß; 127/5000 inch+es zoll
m: 1852 nautical_mile+s seemeile+n; 9460730472580800 light-year+s light_year+s lichtjahr+e+en
kg: 1 kg+s kilogram+s kilogramme+s kilogramm+s+e+en kilo+s; 1/1000 g gram+s gramme+s gramm+s
kg: 1/1000000 mg milligram+s milligramme+s milligramm+s; 1/1000000000 µg mcg microgram+s mikrogramm+s
kg: 1000 t tonne+s+n metric_ton+s; 1000000 kiloton+s
kg: 45359237/100000000 lb pound+s; 45359237/1600000000 oz ounce+s
ton: 1 ton+s
Pfund: 1 pfund+e+en livre+s
m2: 1 m² m2 sqm sq_m square_metre+s square_meter+s quadratmeter+n mètre_carré mètres_carrés
m2: 10000 ha hectare+s hektar+e+en; 316160658/78125 acre+s; 145161/1562500 sq_ft square_foot square_feet
m2: 1000000 km² km2 sq_km square_kilometre+s square_kilometer+s quadratkilometer+n kilomètre_carré
m2: 1000000 kilomètres_carrés; 2589988110336/1000000 square_mile+s sq_mi
l: 1 l litre+s liter+s+n; 1/1000 ml millilitre+s milliliter+s+n cm³ cm3; 1/100 cl centilitre+s
l: 100 hl hectolitre+s hektoliter+n; 1000 m³ m3 cubic_metre+s cubic_meter+s kubikmeter+n
l: 1000000000000 km³ km3 cubic_kilometre+s; 158987294928/1000000000 bbl barrel+s
l: 473176473/125000000 gal gallon+s; 473176473/1000000000 pint+s
s: 1 s sec+s second+s sekunde+n seconde+s; 60 min+s minute+s+n; 3600 h hr hour+s stunde+n heure+s std
s: 86400 day+s tag+e+en+es jour+s; 604800 week+s woche+n semaine+s; 1209600 fortnight+s
s: 1/1000 ms millisecond+s millisekunde+n
month: 1 month+s monat+e+en+s mois; 12 yr year+s jahr+e+en+es ans année+s; 120 decade+s jahrzehnt+e+en
s: 1 sekündig+*; 60 minütig+*; 3600 stündig+*; 86400 tägig+*; 604800 wöchig+*
month: 1 monatig+*; 12 jährig+*
month: 1200 century jahrhundert+e+en+s siècle+s; 12000 millennium jahrtausend+e+en+s
m/s: 1 m/s; 5/18 km/h kph kmh stundenkilometer+n; 1397/3125 mph; 463/900 kn knot+s
W: 1 W watt+s; 1000 kW kilowatt+s; 1000000 MW megawatt+s; 1000000000 GW gigawatt+s; 74569987/100000 hp
J: 1 J joule+s; 1000 kJ kilojoule+s; 4184 kcal kilocalorie+s; 3600000 kWh kilowatt-hour+s kilowattstunde+n
J: 3600000000 MWh megawatt-hour+s megawattstunde+n; 3600000000000 GWh gigawatt-hour+s; 3600000000000000 TWh
B: 1 byte+s; 1000 KB kB kilobyte+s; 1000000 MB megabyte+s; 1000000000 GB gigabyte+s
B: 1000000000000 TB terabyte+s
Hz: 1 Hz hertz; 1000 kHz; 1000000 MHz megahertz; 1000000000 GHz gigahertz
Pa: 1 Pa pascal+s; 100 hPa mbar millibar+s; 1000 kPa; 100000 bar+s; 1000000 MPa
mol: 1 mol; 1/1000 mmol; 1/1000000 µmol; 1/1000000000 nmol
IU: 1 IU IE UI
V: 1 V volt+s; 1000 kV kilovolt+s; 1/1000 mV
A: 1 A ampere+s amp+s; 1/1000 mA
°C: 1 °C celsius degree_celsius degrees_celsius grad_celsius degré_celsius degrés_celsius
°F: 1 °F fahrenheit degree_fahrenheit degrees_fahrenheit grad_fahrenheit
K: 1 K kelvin+s
°: 1 ° degree+s grad degré+s
%: 1 % percent per_cent pct prozent prozentig+* pour_cent; 1/10 ‰ per_mille promille
pp: 1 pp percentage_point+s prozentpunkt+e+en; 1/100 bp basis_point+s basispunkt+e+en
"""
# Each entry has the name of a currency, then its forms.
_MONEY = """
USD $ us$ usd us-dollar+s us_dollar+s dollar+s; EUR € eur euro+s; GBP £ gbp pound_sterling pounds_sterling
JPY ¥ jpy yen; CHF chf fr. sfr franken swiss_franc+s; CAD c$ ca$ cad canadian_dollar+s
AUD a$ au$ aud australian_dollar+s; INR ₹ inr rupee+s; CNY cny rmb yuan; RUB ₽ rub rouble+s ruble+s rubel+n
SEK sek; NOK nok; DKK dkk; PLN pln zloty+s; crown crown+s krone+n kronen couronne+s; cent cent+s
"""
RATES = {
    **dict.fromkeys(("hourly", "stündlich"), "hour"),
    **dict.fromkeys(("daily", "täglich", "quotidiennement"), "day"),
    **dict.fromkeys(("weekly", "wöchentlich", "hebdomadairement"), "week"),
    **dict.fromkeys(("monthly", "monatlich", "mensuellement"), "month"),
    **dict.fromkeys(("yearly", "annually", "jährlich", "annuellement"), "year"),
}
SIGNS = "$€£¥₹₽"
FACTORS: dict[str, int] = {
    **dict.fromkeys(("dozen", "dutzend", "douzaine"), 12),
    **dict.fromkeys(("hundred", "hundert"), 100),
    **dict.fromkeys(("k", "thousand", "tausend", "tsd", "mille"), 10**3),
    **dict.fromkeys(("m", "mn", "mln", "mio", "million", "millions", "millionen"), 10**6),
    **dict.fromkeys(("b", "bn", "mrd", "md", "billion", "milliard", "milliards", "milliarde"), 10**9),
    **dict.fromkeys(("milliarden", "billions"), 10**9),
    **dict.fromkeys(("t", "tn", "trn", "trillion", "trillions", "billionen"), 10**12),
    "lakh": 10**5, "crore": 10**7, "万": 10**4, "亿": 10**8,
}  # fmt: skip
AMBIGUOUS_FACTORS = frozenset(("billion", "billions", "trillion", "trillions"))  # differ by language
SHORT_FACTORS = frozenset(("k", "m", "b", "t", "md"))  # also units: 5 m, 3 t

# The months of CLDR by language, in the form that dates have. Short forms follow the full forms.
_MONTHS = """
en january february march april may june july august september october november december
en jan feb mar apr may jun jul aug sep oct nov dec
de januar februar märz april mai juni juli august september oktober november dezember
de jänner feber mrz apr mai jun jul aug sept okt nov dez
fr janvier février mars avril mai juin juillet août septembre octobre novembre décembre
fr janv févr mars avr mai juin juil aout sept oct nov déc
es enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
it gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre
pt janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro
nl januari februari maart april mei juni juli augustus september oktober november december
pl stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października - grudnia
cs ledna února března dubna května června července srpna září října - prosince
sv januari februari mars april maj juni juli augusti september oktober november december
no januar februar marts april maj juni juli august september oktober november desember
hu január február március április május június július augusztus szeptember október november december
ro ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie decembrie
tr ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık
ru января февраля марта апреля мая июня июля августа сентября октября ноября декабря
uk січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня
el ιανουαρίου φεβρουαρίου μαρτίου απριλίου μαΐου ιουνίου ιουλίου αυγούστου σεπτεμβρίου οκτωβρίου νοεμβρίου δεκεμβρίου
"""  # noqa: E501
_LISTS = [(language, names) for language, *names in map(str.split, _MONTHS.strip().splitlines())]
MONTHS = {name: number for _, names in _LISTS for number, name in enumerate(names, 1) if name != "-"}
MONTH_LANGUAGES = {name: {language for language, names in _LISTS if name in names} for name in MONTHS}
BARE_MONTHS = {it for it in MONTHS if MONTH_LANGUAGES[it] & {"en", "de", "fr"}}  # may stand without a number
UNCLEAR_MONTHS = frozenset(("may", "march", "mars", "mar", "mart", "mai", "sept", "dec", "jan", "august"))

_BOUNDS = {
    "min": "at least|no fewer than|no less than|not less than|minimum|mindestens|au moins|≥",
    "max": "at most|no more than|not more than|up to|maximum|höchstens|maximal|bis zu|au plus|≤",
    "above": "more than|greater than|larger than|longer than|higher than|older than|over|above|exceeding"
    "|exceeds|exceeded|mehr als|über|länger als|plus de|>",
    "below": "less than|fewer than|smaller than|shorter than|lower than|younger than|under|below|weniger als"
    "|unter|moins de|<",
    "about": "about|around|approximately|roughly|some|circa|ca|approx|an estimated|close to|nearly|almost"
    "|just under|just over|rund|etwa|ungefähr|fast|nahezu|knapp|environ|près de|presque|~|≈",
}
BOUNDS = {phrase: bound for bound, phrases in _BOUNDS.items() for phrase in phrases.split("|")}
BOUND_ENDS = {" ".join(it.split()[at:]) for it in BOUNDS for at in range(len(it.split()))}  # last words
BOUNDS_BEHIND = {
    **dict.fromkeys(("or more", "or older", "or above", "and above", "oder mehr", "ou plus"), "min"),
    **dict.fromkeys(("or less", "or fewer", "or younger", "or under", "oder weniger", "ou moins"), "max"),
}

# The label of a numbered thing, such as "section", then the words that mean this label before a number.
_LABELS = """
section sections sec § §§; clause clauses klausel; article articles art artikel; rule rules regel règle
paragraph paragraphs para paras abs absatz alinéa; version versions release v; page pages seite
annex appendix anhang annexe schedule anlage; chapter kapitel chapitre; figure fig abbildung abb
number nr no nº n° № # case document docket file ticket invoice order patent serial reference aktenzeichen
room zimmer unit suite flight gate; table tabelle
"""
LABELS = {word: label.split()[0] for label in _LABELS.replace("\n", ";").split(";") for word in label.split()}
ROUND_ONLY = frozenset(["hundreds", "thousands", "millions", "billions", "cents"])  # no numbers alone
BETWEEN = frozenset(["between", "zwischen", "entre"])
ARTICLES = frozenset(["a", "an", "ein", "eine", "einer", "einem", "eins", "un", "une"])
# If one of these words follows the word "one", "one" is no number.
BEHIND_PRONOUN = frozenset(["", "of", "that", "who", "can", "is", "may", "must", "and", "or", "another"])
PARTS = {  # the names of fractions, with their divisors
    **dict.fromkeys(("half", "halbe", "halben", "halber", "halbes", "hälfte", "demi", "demie", "moitié"), 2),
    **dict.fromkeys(("third", "thirds", "drittel", "tiers"), 3),
    **dict.fromkeys(("quarter", "quarters", "viertel", "quart", "quarts"), 4),
    **dict.fromkeys(("fifth", "fifths", "fünftel"), 5),
    **dict.fromkeys(("tenth", "tenths", "zehntel"), 10),
}
BEGINNINGS = {*LABELS, *MONTHS, *PARTS, *ARTICLES}  # words that may begin a value
UNITS: dict[str, tuple[str, Fraction]] = {}
for _line in filter(None, f"{_UNITS}{_MONEY}".replace("+*", "+e+en+er+es+em").splitlines()):
    _base, _, _rest = _line.rpartition(": ")
    for _size, *_forms in map(str.split, (_rest if _base else _line).split("; ")):
        _unit = (_base, Fraction(_size)) if _base else (_size, Fraction(1))  # a currency is its own unit
        for _form, *_endings in (it.replace("_", " ").split("+") for it in _forms):
            UNITS.update({f"{_form}{_ending}": _unit for _ending in ("", *_endings)})


def unit_of(form: str) -> tuple[str, Fraction] | None:
    """Returns base unit and size of the unit `form`: ("m", 1000) for "km". None for an unknown unit."""
    is_word = len(form) > 2 or form.lower() in ("km", "kg")
    return UNITS.get(form) or (UNITS.get(form.lower()) if is_word else None)


def is_currency(unit: str) -> bool:
    return len(unit) == 3 and unit.isupper()
