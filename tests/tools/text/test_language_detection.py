"""The language of a text, by its script and its function words."""

from rarr.tools.text.language_detection import language_of

TEXTS = {
    "en": "The lift was opened in 1881, and it has been run by volunteers since then.",
    "de": "Das Hebewerk wurde 1881 eröffnet und wird seit dem Krieg von Freiwilligen betrieben.",
    "fr": "L’ascenseur a ouvert en 1881 et il est géré par des bénévoles depuis la guerre.",
    "es": "El ascensor se inauguró en 1881 y desde la guerra lo manejan los voluntarios del pueblo.",
    "sv": "Hissen öppnades 1881 och drivs av frivilliga som inte har betalt för det.",
    "ru": "Подъёмник был открыт в 1881 году, и с тех пор им управляют добровольцы.",
    "zh": "升船机于1881年启用，此后由志愿者运营。",
    "ja": "昇降機は1881年に開業し、それ以来ボランティアが運営しています。",
}
UNCLEAR = [
    *("", "1881", "Der Spiegel", "`le la les` opened", "Querrin lift: 1881."),
    "The paper Die Zeit and the band Los Lobos met in the town of El Paso.",
]


def test_language_is_found_and_an_unclear_text_may_be_english() -> None:
    assert [language_of(text) for text in TEXTS.values()] == list(TEXTS)
    assert {language_of(text) for text in UNCLEAR} == {"en"}
