"""Words as the rules compare them: tokens, stems, stop words and groups of synonyms."""

import re
import threading
import unicodedata
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

import snowballstemmer

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_STEMMER = snowballstemmer.stemmer("english")
_STEMMER_LOCK = threading.Lock()  # the stemmer keeps the current word as its state

_STOP = """
a about above after again all almost also although am among an and another any are around as at away
back be became because become been before being below between both but by came can come could did do
does doing done down during each either else even ever every few for from further get go goes got had
has have having he her here hers herself him himself his how however i if in indeed instead into is it
its itself just later like made make many may me might more moreover most much must my near nearly
neither never nevertheless no nor not now of off often on once one only onto or other others our out
over own per perhaps quite rather really same several shall she should since so some still such than
that the their theirs them then there therefore these they this those though through throughout thus
to together too took toward towards under until up upon us use used using very via was way we well
were what when where whether which while who whom whose why will with within without would yet you
your s t
"""
STOP_WORDS = frozenset(_STOP.split())
COMMON_WORDS_FILE = Path(__file__).parent / "common_words.txt"
"""Words that are written small in the middle of sentences, counted by `python -m recipes.common_words`."""

# Groups of synonyms in statements of fact. One stem stands for all words of a group.
_SYNONYMS = """
born birth birthplace; die died death dead killed passed; build built construct constructed construction
erect; open opened opening inaugurate inaugurated; found founded founder establish established establishment
set-up; begin began begun start started commence commenced; end ended finish finished conclude concluded;
complete completed completion; big large huge; win won winning winner victory; lose lost defeat defeated
loss; film movie picture; album record lp; track single; write wrote written author authored writer;
marry married marriage wed wedding wife husband spouse; child children son daughter; town city municipality;
buy bought purchase purchased acquire acquired acquisition; sell sold sale; tall height high; long length;
wide width; deep depth; weigh weight; cost price spent spend; inhabitant resident people population
populace; move moved relocate relocated; join joined; leave left departed; name named called dubbed; appoint
appointed named appointment; elect elected election; serve served; student pupil; teacher instructor; doctor
physician; release released issue issued publish published publication; design designed designer; make
produce produced; invent invented inventor invention; discover discovered discovery; describe described;
collect collected gather gathered; locate located situated lie lies stand stands; hold held; receive
received award awarded given; show showed; near close; km kilometre kilometer; metre meter; american us usa;
british uk; match game fixture; goal score scored; season; club team side; study studied educated; graduate
graduated; area surface cover covers; first earliest; biggest largest; earn earned gain gained; fight fought
battle; attack attacked raid; contain contains hold; own owned owner; run ran operate operated; create
created creation; company firm business corporation; road route highway street; river stream; car automobile
vehicle; ship vessel boat; house home; king monarch ruler; rise rose increase increased grow grew; fall fell
drop dropped decrease decreased decline declined; act acted actor actress star starred; direct directed
director; paint painted painter painting; sing sang sung song singer vocals; play played player; launch
launched; crew; land landed landing;
sink sank sunk sunken; swim swam swum; fly flew flown flight; drive drove driven
driver; ride rode ridden rider; speak spoke spoken; break broke broken; choose chose chosen choice; steal
stole stolen; wear wore worn; tear tore torn; swear swore sworn; throw threw thrown; know knew known; blow
blew blown; draw drew drawn; freeze froze frozen; forget forgot forgotten; forbid forbade forbidden; hide
hid hidden; eat ate eaten; drink drank drunk; strike struck stricken; teach taught; catch caught; bring
brought; think thought; seek sought; keep kept; sleep slept; sweep swept; meet met meeting; feed fed; lead
led leader; flee fled; hear heard; tell told; pay paid payment; say said; mean meant; lend lent; send sent;
bend bent; feel felt; understand understood; hang hung; stick stuck; shoot shot shooting; sit sat; shake
shook shaken; bind bound; burn burnt; learn learnt
"""


class Token(NamedTuple):
    """A word with its place and its stem; `stem` is empty for stop words."""

    start: int
    end: int
    text: str
    stem: str


@cache
def common_words() -> frozenset[str]:
    """The words of `COMMON_WORDS_FILE`."""
    return frozenset(COMMON_WORDS_FILE.read_text(encoding="utf-8").split())


def is_common(word: str) -> bool:
    """Is the word hardly ever a name, however it is capitalised?"""
    small = word.lower().removesuffix("'s").removesuffix("’s")
    return small in common_words() or small.removesuffix("s") in common_words()


def folded_text(text: str) -> str:
    """Lower case, without accents and with straight quotes. Names and words are compared in this form."""
    if text.isascii():  # a fast path for most words, in a tenth of the time
        return text.casefold()
    decomposed = unicodedata.normalize("NFKD", text.replace("’", "'"))
    return "".join(c for c in decomposed if not unicodedata.combining(c)).casefold()


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """The folded stem of `word`. The words of one group of synonyms share a stem."""
    folded = folded_text(word)
    folded = folded.removesuffix("'s").removesuffix("'")
    return _GROUPS.get(folded) or _stem(folded)


def word_tokens(text: str) -> list[Token]:
    """The words of `text` with their stems."""
    return [
        Token(m.start(), m.end(), m[0], "" if m[0].lower() in STOP_WORDS else stem(m[0]))
        for m in _WORD.finditer(text)
    ]


def _stem(folded: str) -> str:
    with _STEMMER_LOCK:
        return str(_STEMMER.stemWord(folded))


def _groups() -> dict[str, str]:
    """For each word of a group, the stem that stands for the group."""
    groups: dict[str, str] = {}
    for group in _SYNONYMS.split(";"):
        for word in group.split():
            groups.setdefault(word, _stem(group.split()[0]))
    return groups


_GROUPS = _groups()
