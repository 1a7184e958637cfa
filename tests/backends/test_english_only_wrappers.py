"""What is not in English is asked about, checked and judged by no embedded model, and that is said once."""

from makers import evidence, query

from rarr.agent.wiring.components import wire
from rarr.backends.english_only_wrappers import CODE, EnglishChecker, EnglishQuestions, EnglishVerifier
from rarr.backends.prompted.cards import PromptedCardReader
from rarr.backends.prompted.verifier import PromptedVerifier
from rarr.backends.rules.agreement import ValueAgreement
from rarr.backends.rules.questions import RuleQuestions
from rarr.backends.rules.support import ValueVerifier
from rarr.components import Lacking
from rarr.settings import Settings
from rarr.tools.models.run_budget import METER, Budget, Meter
from rarr.tools.text.blocks_and_sentences import sentences

GERMAN = "Die Lorrin-Brücke wurde 1938 für den Verkehr freigegeben."
ENGLISH = "The Lorrin Bridge was opened to traffic in 1938."
TEXT = f"{ENGLISH}\n\n{GERMAN}"
PASSAGE = "The Lorrin Bridge was opened to traffic in 1937."
AT = TEXT.rindex("1938")


async def test_only_english_sentences_are_asked_about() -> None:
    asked = await EnglishQuestions(RuleQuestions()).generate(TEXT, None)
    assert asked
    assert all(question.end <= len(ENGLISH) for question in asked)


async def test_another_round_asks_about_english_sentences_alone() -> None:
    questions = EnglishQuestions(RuleQuestions())
    english, german = sentences(TEXT)
    assert await questions.target(TEXT, None, Lacking([german])) == []
    assert await questions.target(TEXT, None, Lacking([english]))


async def test_the_language_is_told_once() -> None:
    meter = Meter(Budget())
    token = METER.set(meter)
    try:
        with meter.step("generate_queries"):
            await EnglishQuestions(RuleQuestions()).generate(TEXT, None)
        with meter.step("attribute"):
            await EnglishVerifier(ValueVerifier(0.5)).support(TEXT, None, sentences(TEXT), evidence(PASSAGE))
    finally:
        METER.reset(token)
    [notice] = meter.warnings
    assert (notice.code, notice.node) == (CODE, "generate_queries")
    assert notice.message.startswith(
        "sentences that are not in English (de) are not judged: the embedded models"
    )


async def test_a_sentence_in_another_language_is_not_checked() -> None:
    agreement = await EnglishChecker(ValueAgreement()).check(TEXT, None, query(AT, AT + 4), evidence(PASSAGE))
    assert (agreement.verdict, agreement.reason) == ("unknown", "the sentence is not in English")


async def test_a_passage_in_another_language_checks_nothing() -> None:
    about = query(TEXT.index("1938"), TEXT.index("1938") + 4)
    agreement = await EnglishChecker(ValueAgreement()).check(TEXT, None, about, evidence(GERMAN))
    assert (agreement.verdict, agreement.reason) == ("unknown", "the evidence is not in English (de)")
    by_english = await EnglishChecker(ValueAgreement()).check(TEXT, None, about, evidence(PASSAGE))
    assert by_english.verdict == "disagrees"


async def test_support_in_or_by_another_language_is_not_judged() -> None:
    verifier = EnglishVerifier(ValueVerifier(0.5))
    english, german = await verifier.support(TEXT, None, sentences(TEXT), evidence(PASSAGE))
    assert english is not None
    assert german is None
    assert await verifier.support(TEXT, None, sentences(TEXT), evidence(GERMAN)) == [None, None]
    assert await verifier.classify(TEXT, None, sentences(TEXT), evidence(PASSAGE)) == ["contradictory", None]


def test_a_language_model_may_judge_every_language() -> None:
    named = {"attribute": "vllm:m"}
    components = wire(Settings(model="vllm:m", models=named, base_url="http://x/v1", search="wikipedia"))
    assert isinstance(components.card_reader, PromptedCardReader)
    assert isinstance(components.verifier, PromptedVerifier)


async def test_a_sentence_in_another_language_is_not_read() -> None:
    english, german = await EnglishVerifier(ValueVerifier(0.5)).readings(TEXT, None, sentences(TEXT))
    assert english is not None
    assert german is None
