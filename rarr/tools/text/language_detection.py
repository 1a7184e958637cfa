"""Finds the language of a text by its script and its function words."""

import re
from collections import Counter

_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_CODE = re.compile(r"`[^`]*`|https?://\S+")
_SCRIPTS = {
    "ja": "\u3040-\u30ff", "ko": "\uac00-\ud7af", "zh": "\u4e00-\u9fff", "ru": "\u0400-\u04ff",
    "el": "\u0370-\u03ff", "he": "\u0590-\u05ff", "ar": "\u0600-\u06ff", "hi": "\u0900-\u097f",
    "th": "\u0e00-\u0e7f",
}  # fmt: skip
"""Maps a language to the letters of its script. For Japanese only kana count, since Chinese has no kana."""
_SCRIPT_SHARE = 0.3  # more letters of a script than this share show its language
_FUNCTION_WORDS = {
    "en": "the of and to in is was that it for as with on by at from are were be this which an or",
    "de": "der die das und ist in den von zu mit dem ein eine wurde im auf für des sich nicht als auch war",
    "fr": "le la les de des et est un une dans du en que qui pour par sur au a il elle avec ne pas ont été",
    "es": "el la los las de y en que un una es por con para del se su fue al lo como más no",
    "it": "il la di e che in un una è per con del della dei gli le si da non al nel sono ha stato",
    "pt": "o a os as de e em que um uma é por com para do da se no na foi ao não mais são",
    "nl": "de het een en van in is dat op te met voor zijn werd door aan als niet bij ook naar",
    "sv": "och i att det som en på är av för med den till ett var inte om han de har",
    "da": "og i at det som en på er af for med den til et var ikke om han de har blev",
    "no": "og i at det som en på er av for med den til et var ikke om han de har ble",
    "fi": "ja on ei se oli että hän kuin mutta joka myös sen ovat tai niin kun",
    "pl": "w i z na do się nie jest to że o jak od po za przez był która który",
    "cs": "a v se na je že o s z do to byl jako za pro podle který která ale",
    "hu": "a az és hogy nem is egy volt van meg ez el csak mint már vagy",
    "ro": "și de în a la cu pe o un este care din pentru nu se ca fost mai",
    "tr": "ve bir bu için ile de da olan olarak çok daha en gibi sonra kadar ise",
    "id": "yang di dan dari untuk dengan pada ini itu adalah dalam oleh tidak ke sebagai",
    "vi": "và của là có trong được các một cho với người không này đã từ",
}
_MOST_CHARACTERS = 5_000  # characters at the start of a text that show its language
_LANGUAGES_OF_WORD = {  # of each function word
    word: [language for language, words in _FUNCTION_WORDS.items() if word in words.split()]
    for word in " ".join(_FUNCTION_WORDS.values()).split()
}


def text_language(text: str) -> str:
    """Returns the code of the language of `text`, such as `de`; "en" for English and for an unclear text.

    Ignores words in code and links, and words with a capital letter, since these are often names.
    """
    words = [word for word in _WORD.findall(_CODE.sub(" ", text[:_MOST_CHARACTERS])) if not word[0].isupper()]
    letters = "".join(words)
    for language, script in _SCRIPTS.items() if not letters.isascii() else ():
        if len(re.findall(f"[{script}]", letters)) > _SCRIPT_SHARE * len(letters):
            return language
    counts = Counter(language for word in words for language in _LANGUAGES_OF_WORD.get(word, ()))
    return max(_FUNCTION_WORDS, key=counts.__getitem__)  # if all counts are equal: English
