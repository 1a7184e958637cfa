"""The language of a text, by its script and its function words."""

import pytest

from rarr.tools.text.language_detection import language_of

TEXTS = {
    "en": "The lift was opened in 1881, and it has been run by volunteers since then.",
    "de": "Das Hebewerk wurde 1881 eröffnet und wird seit dem Krieg von Freiwilligen betrieben.",
    "fr": "L’ascenseur a ouvert en 1881 et il est géré par des bénévoles depuis la guerre.",
    "es": "El ascensor se inauguró en 1881 y desde la guerra lo manejan los voluntarios del pueblo.",
    "it": "L'ascensore è stato aperto nel 1881 ed è gestito da volontari che non sono pagati.",
    "pt": "O elevador foi aberto em 1881 e é gerido por voluntários que não são pagos.",
    "nl": "De scheepslift werd in 1881 geopend en wordt door vrijwilligers van het dorp bediend.",
    "sv": "Hissen öppnades 1881 och drivs av frivilliga som inte har betalt för det.",
    "fi": "Hissi avattiin vuonna 1881, ja se on ollut vapaaehtoisten hoidossa, mutta ei aina.",
    "pl": "Podnośnia została otwarta w 1881 i jest prowadzona przez ochotników, którzy nie są opłacani.",
    "tr": "Asansör 1881 yılında açıldı ve bu kasaba için çok daha önemli bir yer olarak görülür.",
    "ru": "Подъёмник был открыт в 1881 году, и с тех пор им управляют добровольцы.",
    "zh": "升船机于1881年启用，此后由志愿者运营。",
    "ja": "昇降機は1881年に開業し、それ以来ボランティアが運営しています。",
    "ko": "승강기는 1881년에 문을 열었고 그 이후로 자원봉사자들이 운영하고 있다.",
    "el": "Ο ανελκυστήρας άνοιξε το 1881 και από τότε τον λειτουργούν εθελοντές.",
    "ar": "افتتح المصعد عام 1881 ويديره متطوعون منذ ذلك الحين.",
}


@pytest.mark.parametrize("language", TEXTS)
def test_language_is_found(language: str) -> None:
    assert language_of(TEXTS[language]) == language


@pytest.mark.parametrize("text", ["", "1881", "Der Spiegel", "`le la les` opened", "Querrin lift: 1881."])
def test_text_that_does_not_tell_may_be_english(text: str) -> None:
    assert language_of(text) == "en"


def test_an_english_text_with_foreign_names_is_english() -> None:
    assert language_of("The paper Die Zeit and the band Los Lobos met in the town of El Paso.") == "en"
