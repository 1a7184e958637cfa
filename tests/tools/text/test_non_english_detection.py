"""Which sentences are in another language: names, code and titles tell nothing of it."""

import pytest

from rarr.tools.text.blocks_and_sentences import Span
from rarr.tools.text.non_english_detection import foreign_language, foreign_sentences

FOREIGN = {
    "de": "Die Brücke wurde 1937 für den Verkehr freigegeben. Seit 2019 leitet Anna Meier die Bibliothek.",
    "fr": "Le musée est fermé le lundi. Les enfants de moins de six ans ne paient pas.",
    "es": "El museo cierra los lunes. Los ingresos crecieron un 12 % en el tercer trimestre.",
    "it": "Le compresse si prendono prima dei pasti. Il ponte fu aperto al traffico nel 1937.",
    "nl": "De omzet steeg in het derde kwartaal met 12 procent. Het museum is op maandag gesloten.",
    "sv": "Bron öppnades för trafik 1937. Barn under sex år betalar ingenting.",
    "pl": "Most został otwarty dla ruchu w 1937 roku. Muzeum jest zamknięte w poniedziałki.",
    "tr": "Müze pazartesi günleri kapalıdır. Gelirler üçüncü çeyrekte yüzde 12 arttı.",
    "ru": "Мост был открыт для движения в 1937 году. Дети до шести лет не платят.",
    "zh": "这座桥于1937年通车。六岁以下儿童免费。",
    "ja": "橋は1937年に開通した。博物館は月曜日が休館です。",
    "ar": "افتتح الجسر أمام حركة المرور في عام 1937. المتحف مغلق يوم الاثنين.",
}
ENGLISH = [
    "Yuki Tanaka and Haruto Watanabe founded Sakura Denki in Kawasaki in 1962.",
    "The Bundesgesetz über die Ausbildung was passed in Wien in 1974.",
    "BMW AG, Siemens AG and Deutsche Telekom AG led the DAX.",
    "Pina Bausch choreographed Café Müller and Le Sacre du printemps.",
    "Gabriel García Márquez wrote *Cien años de soledad*.",
    'Her album "Mañana será bonito" won.',
    "Set `max_file_mb` to 200 in rarr.toml.",
    "GET /v1/rerank returns 200.",
    "Q3 2024: +12 %, Q4: -3 %.",
    "THE BRIDGE WAS OPENED IN 1937.",
    "Paracetamol, ibuprofen, diclofenac",
    "Kraków, Łódź and Wrocław are in Poland.",
    "Der Spiegel sold 3 million copies.",
    "Die Zauberflöte premiered in 1791.",
    "Den Haag has 550,000 inhabitants.",
    "El Capitan rises 914 metres.",
    "Les Misérables opened in 1985.",
    "Yes.",
]
SHORT = {
    "Der Wasserkocher Brumwell K3 fasst 1,5 Liter.": "de",
    "Das Museum öffnete 1984.": "de",
    "Le musée ouvre à 9 heures.": "fr",
    "El puente mide 1280 metros.": "es",
    "Il ponte misura 1280 metri.": "it",
}


@pytest.mark.parametrize("code", FOREIGN)
def test_each_sentence_of_another_language_is_foreign(code: str) -> None:
    assert list(foreign_sentences(FOREIGN[code]).values()) == [code, code]
    assert foreign_language(FOREIGN[code]) == code


@pytest.mark.parametrize("sentence", ENGLISH)
def test_names_titles_code_and_numbers_make_no_english_sentence_foreign(sentence: str) -> None:
    assert foreign_sentences(sentence) == {}
    assert foreign_language(sentence) == ""


@pytest.mark.parametrize("sentence", SHORT)
def test_short_sentence_of_names_behind_a_foreign_article_is_foreign(sentence: str) -> None:
    assert list(foreign_sentences(sentence).values()) == [SHORT[sentence]]
    assert foreign_language(sentence) == SHORT[sentence]


def test_an_english_text_may_hold_a_foreign_paragraph() -> None:
    text = f"The bridge was opened to traffic in 1937.\n\n{FOREIGN['de']}\n\nIt is 212 metres high."
    assert [span.of(text)[:10] for span in foreign_sentences(text)] == ["Die Brücke", "Seit 2019 "]


def test_a_foreign_text_may_hold_an_english_sentence() -> None:
    text = f"{FOREIGN['de']}\n\nThe bridge was opened to traffic in 1937."
    assert "The bridge" not in [span.of(text)[:10] for span in foreign_sentences(text)]


def test_a_sentence_of_names_is_in_the_language_of_its_text() -> None:
    text = f"Joseph Strauss, Charles Ellis.\n\n{FOREIGN['de']}"
    assert Span(0, 30) in foreign_sentences(text)
    assert foreign_sentences("Joseph Strauss, Charles Ellis.\n\nThey built the bridge.") == {}
