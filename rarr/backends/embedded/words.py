"""Lists of English, German and French words that the embedded reader knows, and the stems of words."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from itertools import product

from tantivy import Filter, TextAnalyzer, TextAnalyzerBuilder, Tokenizer

_LANGUAGES = {"en": "english", "de": "german", "fr": "french"}  # the codes and stemmers of the languages
_SMALL = {
    # Articles, pronouns, forms of "be" and "have": without these words, a sentence has the same meaning.
    "en": "a an the this that these those which who whom whose is are was were be been being has have had"
    " having does do did it its he his she her they their them there also and",
    "de": "der die das den dem des ein eine einen einem einer eines ist sind war waren wird wurde wurden"
    " werden worden hat haben hatte hatten es er sie sein seine seinen seiner ihr ihre ihren ihrer auch"
    " und welche welcher",
    "fr": "le la les l d un une du des est sont était étaient été a ont avait avaient il elle ils elles son"
    " sa ses leur leurs ce cette ces qui que aussi et",
}
_PRONOUNS = (
    "it its he his she her they their this these those es er sie sein seine ihr ihre dies diese dieser"
    " dieses il elle ils elles son sa ses leur leurs ce cette ces"
)
_NEGATIONS = (
    "no not non never none nobody nothing neither nor without nicht kein keine keinen keiner nie niemals"
    " ohne ne pas jamais aucun aucune sans"
)
_FOCUS = "only solely just even nur sogar seulement"
_UNIVERSAL = "all every each both alle jeder jede jedes tous toutes tout toute chaque"
_MOODS = (
    "may might can could should would must shall will ought kann können könnte darf dürfen soll sollen"
    " sollte muss müssen müsste peut peuvent pourrait doit doivent devrait"
)
_CLAIMING = (
    "former formerly deny denied claim claimed allege alleged allegation propose proposed expected reject"
    " rejected refuse refused fail failed ehemals früher angeblich abgelehnt ancien prévu rejeté"
)
_WEIGHTY = (
    f"{_NEGATIONS} {_FOCUS} {_MOODS} {_UNIVERSAL} unless except until before after if whether either any"
    " some most few less more fewer least almost nearly hardly up down over under above below than plan"
    f" planned expect hope said {_CLAIMING} außer bis vor nach falls wenn ob einige meisten wenige"
    " weniger mehr fast beinahe knapp kaum über unter als geplant sauf jusque avant après si quelques"
    " plupart moins plus presque sur sous"
)
_OPPOSITES = (
    "north south east west northern southern eastern western; left right; up down; upper lower; upstream"
    " downstream; inside outside; above below; over under; before after; first last; rose fell; rise fall;"
    " increase decrease; higher lower; more fewer less; longer shorter; larger smaller; earlier later;"
    " older younger; maximum minimum; all some; allowed forbidden; permitted prohibited; erlaubt verboten;"
    " autorisé interdit; always never; once twice; hourly daily weekly monthly yearly; einmal zweimal"
    " dreimal; täglich wöchentlich monatlich jährlich; monday tuesday wednesday thursday friday saturday"
    " sunday; nord süd ost west; nördlich südlich östlich westlich; links rechts; vor nach; über unter;"
    " stieg sank; mehr weniger; höher niedriger; nord sud est ouest; gauche droite; avant après; plus"
    " moins; may must; may shall; can must; should must; should shall; kann muss; können müssen; darf muss;"
    " dürfen müssen; sollte muss; sollten müssen; kann soll; können sollen; peut doit; peuvent doivent;"
    " devrait doit; devraient doivent"
)
_OPENERS = {
    "en": "in on at by for from of to with during since and which who where while because as near along"
    " between",
    "de": "im am an auf bei für von zu zum zur mit während seit und weil wo der die das",
    "fr": "dans en à au aux par pour de du des avec pendant depuis et qui où car",
}
_COUNTING = {  # numbers, and what is counted; "six" and "sept" are words of two languages
    "en": "",
    "de": "zwei drei vier fünf sechs sieben acht neun zehn elf zwölf tage monate jahre jahren prozent",
    "fr": "deux trois quatre cinq huit neuf dix onze douze jour jours mois ans années",
}
_TELLING = {it: frozenset(f"{_SMALL[it]} {_OPENERS[it]} {_COUNTING[it]}".split()) for it in _LANGUAGES}
PRONOUNS, LIMITING = frozenset(_PRONOUNS.split()), frozenset(_WEIGHTY.split())
_SUBJECT = re.compile(r"\b(?:he|she|it|they|er|sie|es|ils?|elles?)\b")
OPENERS = frozenset(" ".join(_OPENERS.values()).split())
"""`LIMITING`: words that limit a statement ("only", "not"). `OPENERS`: words that begin a phrase ("in")."""
FUNCTION_WORDS = {language: frozenset(words.split()) - LIMITING for language, words in _SMALL.items()}
"""The function words of each language. Without these words, a sentence has the same meaning."""
MODAL_VERBS = frozenset(_MOODS.split())
REVERSING = (frozenset(_NEGATIONS.split()), LIMITING.difference(_FOCUS.split(), _UNIVERSAL.split()))
"""A statement is reversed if it gets a word of the first set, or loses a word of the second set."""
AUXILIARIES = {  # auxiliary verbs tell the tense, and singular or plural
    language: frozenset(forms.split())
    for language, forms in {
        "en": "is are was were has have had did be been being",
        "de": "ist sind war waren wird werden wurde wurden worden hat haben hatte hatten",
        "fr": "est sont était étaient été a ont avait avaient",
    }.items()
}
NE = re.compile(r"(?i)\bn(?:e\s|['’])")  # "ne"; a later word completes the negation
_OWNERS = ("his", "her", "its", "their", "my", "your", "our", "mein", "dein", "sein", "ihr", "unser", "eur")
_ENDS = {"": "rs", "e": "e", "en": "n", "em": "m", "er": "r", "es": "g"}  # of "ein"; a letter is a case
_CASES = {f"{it}{end}": _ENDS[end] for it in ("ein", "dies", "jen", *_OWNERS[7:]) for end in _ENDS}
_CASES |= dict.fromkeys(("a", "an", "the", "le", "la", "les", "un", "une", "du", *_OWNERS[:7]), "resgmn")
_CASES |= {"der": "r", "die": "e", "das": "s", "des": "g", "dem": "m", "den": "n", "dieses": "gs"}
ARTICLES = {
    word: frozenset(product(cases, [it for it in _OWNERS if word.startswith(it)] or [""]))
    for word, cases in _CASES.items()
}
"""The articles and possessives, each with its possible pairs (case, owner). An article has the owner ""."""
PRESENT_FORMS = ("is", "are", "has", "have", "ist", "sind", "hat", "haben", "est", "sont", "a", "ont")
_BE = "is|are|was|were|ist|sind|war|waren|est|sont|était|étaient"
_AT = f"{_BE}|in|on|at|near|im|am|auf|bei|à|en|dans|sur"
_A, _OWN = "an?|another|eine?[mnrs]?|une?", r"his|her|its|their|son(?!\sof)|sa|(?:sein|ihr)(?:e[mnrs]?)?"
_THE = rf"{_OWN}|the|this|whose|d(?:er|ie|as|e[nmu]|eren|essen|ont)|dies(?:e[mnrs]?)?|l[ae]s?"
_THING = re.compile(rf"(?i)(?:(\b(?:{_BE})|,)\s)?\b({_A})\b|\b(?:({_AT}|of)\s)?(?:{_THE})\b")
_BESIDE = re.compile(rf"\b(?i:{_AT}|(by|of|von|par))\s(?:(?i:{_A}|{_THE})\s)?(?:[A-Z][\w'’-]*\s)*\Z")
_NEUTER, POSSESSIVES = frozenset(("it", "its", "es")), ("'s", "’s")
# Words which say that a line, or the lines below a heading, are wrong, forbidden or only claimed.
_WRONG = (
    r"(?:false|myth|legend|rumou?r|hoax|misconcep|error|mistake|wrong|untrue|incorrect|ficti|nonsense|refuted"
    r"|disprove|debunk|retracted|withdrawn|obsolete|outdated|superseded|repealed|falsch|gerücht|irrt[uü]m"
    r"|fehler|widerlegt|veraltet|überholt|aufgehoben|faux|fausse|rumeur|erreur|erroné|démenti|périmé|abrogé"
    r"|satir|parod[yi]|april fool|aprilscherz|poisson d.avril|fairy tale|märchen|fikti|made[ -]up(?! of| by)"
    r"|unsigned|(?:not?|nicht|non) (?:yet |longer |mehr )?(?:valid|signed|in force|gültig|unterz|signé))"
)
DRAFTS = frozenset(("draft", "entwurf", "brouillon"))
_LABEL = (
    rf"{'|'.join(sorted(DRAFTS))}|novel|roman|fiction|invented|erfunden|inventé|expired|lapsed|abgelaufen"
)
_AS_LABEL = rf"(?:\A|[(,;:] ?| [–—-] )(?:(?:an?|un) )?(?:{_LABEL})(?!\.?\w| (?!(?:by|von|par|de)\b)[^\W\d_])"
_OF_A_PARTY = r"(?:an)?klage(?!n)|kläger|plaintiff|indictment|pleading|réquisitoire"
CALLS_WRONG = re.compile(
    rf"(?i)\b(?:{_WRONG}|{_OF_A_PARTY})|{_AS_LABEL}|\b(?:until|till|bis|jusqu)\b\D{{1,12}}\d"
)
FORBIDS = re.compile(
    r"(?i)\b(?:avoid|forbid|prohibit|refrain|exclu[ds]|contra-?indic|banned|don.?ts\b|unzulässig|vermeid|untersag"
    r"|verboten|ausschl[uü]ss|ausgeschlossen|gegenanzeig|kontraindik|interdi|évit)"
)
_FIRST = r"\A(?!#)\W*(?:\w+\W+){0,2}?"  # at most two words at the start of a line that is no heading
_IT = rf"{_FIRST}(?:it|es|that|das|c['’]est)\b"
_NO = r"(?<!\bit)(?<!\bes)(?:\W?\w+)?(?:\W+(?:not?|never|nicht|nie|pas)|n['’]t)\b"
_VERDICT = rf"(?:{_WRONG}\w*|not?|nein|non)\W*\Z"
COMMENT = re.compile(
    rf"(?is){_IT}.*\b{_WRONG}|{_IT}{_NO}|\A\W*none\s+of\b|{_FIRST}{_VERDICT}"
    r"|\A\W*not\s\w+\W*\Z|\A\W*so\b(?:\W+\w+){1,3}?\W+(?:said|says|claim|alleg|believed|thought)"
    rf"|{_FIRST}(?:previous|preceding|foregoing|vorige|letzte) (?:sentence|statement|satz)\b.*\b{_WRONG}"
)
ANNOUNCEMENT = re.compile(
    rf"(?is)\A\W*(?:not\s\w+\W*\Z|(?:\w+\W+)?{_VERDICT})"
    rf"|{_FIRST}(?:following|folgend|suivant).*\b{_WRONG}"
    r"|\b(?:the following|folgende[ns]?|ce qui suit)\b(?! (?:\w+ )?(?:day|week|month|year|tag|jahr))[^:]*\.\Z"
)
# Words such as "this", which may mean the whole line before, and the word after them.
REFERENCE = re.compile(
    r"(?i)(?:\b(?:this|these|those|dies(?:e[mnrs]?)?|cet(?:te)?|ces?|cela|ceci)\b\W*"
    r"|\A\W*(?:that|das)\s+(?=(?-i:[a-zäöü])))(\w*)"
)
_ALIKE = re.compile(r"\A(.*)(.*) \1(.*)\Z")
_ENDINGS = frozenset(("", "s", "es", "y", "ies", "e", "en", "n", "er", "em", "x", "ux", "l"))


def language_of(words: Iterable[str]) -> str:
    """Returns the language (en, de, fr) of most function and number words; en if `words` has none."""
    seen = list(words)
    return max(_TELLING, key=lambda name: sum(map(_TELLING[name].__contains__, seen)))


def are_opposites(first: str, second: str) -> bool:
    """Tells whether two words, or their stems, exclude each other, as "north" and "south" do."""
    return first != second and any({first, second} <= group for group in _OPPOSITE_STEMS)


@lru_cache(maxsize=8192)
def have_equal_tense(first: str, second: str, *, did: tuple[bool, bool] = (False, False)) -> bool:
    """Tells whether two words of one stem have the same tense. `did`: whether each word follows "did"."""
    alike, *endings = _ALIKE.findall(f"{first} {second}")[0]
    past = [is_past or it.endswith("ed") or it == "d" for is_past, it in zip(did, endings, strict=True)]
    is_weak = alike.endswith("t") and "" in endings and "e" in (endings[0][:1], endings[1][:1])
    return past == [True, True] or (True not in past and _ENDINGS.issuperset(endings) and not is_weak)


def names_other_thing(text: str, names: Sequence[tuple[int, int]], start: int, pronoun: str) -> bool:
    """Tells whether `pronoun` may mean a thing in `text` after `start` (after -1: a thing in a question)."""
    things = list(_THING.finditer(text, max(start, 0)))
    if start < 0:
        return text.rstrip().endswith("?") and any(it[2] and not it[1] for it in things)
    behind = ((at, text.startswith(POSSESSIVES, end)) for at, end in names if at > start)
    places = [not owns and _BESIDE.search(text, 0, at) for at, owns in behind]
    are_places = all(it and (pronoun in _NEUTER or not it[1]) for it in places)
    return not are_places or any(not (it[1] or it[3]) for it in things)


def has_other_pronouns(sentence: str, line: str) -> bool:
    """Tells whether `sentence` has pronouns, such as "she", in place of other pronouns of `line`."""
    own, other = (Counter(_SUBJECT.findall(it.casefold())) for it in (sentence, line))
    return bool(other and own - other)


def casts_doubt(word: str) -> bool:
    """Tells whether a word, in any inflection, says that a thing is claimed, denied, planned or ended."""
    return not _CLAIMING_STEMS.isdisjoint(_word_and_stems(word))


def _word_and_stems(word: str) -> list[str]:
    return [word, *(stem(word, name) for name in _SMALL)]


@lru_cache(maxsize=8192)
def stem(word: str, language: str) -> str:
    return _stemmer(language).analyze(word)[0] if word else word


@cache
def _stemmer(language: str) -> TextAnalyzer:
    return TextAnalyzerBuilder(Tokenizer.raw()).filter(Filter.stemmer(_LANGUAGES[language])).build()


_CLAIMING_STEMS = frozenset(form for word in _CLAIMING.split() for form in _word_and_stems(word))
_OPPOSITE_STEMS = [
    {form for word in group.split() for form in _word_and_stems(word)} for group in _OPPOSITES.split(";")
]
