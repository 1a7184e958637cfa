from datetime import UTC, datetime

from rarr.backends.rules.ranking import OverlapReranker
from rarr.backends.rules.values import checkable_values
from rarr.records import Passage


def passage(text: str, title: str = "") -> Passage:
    return Passage(
        text=text,
        title=title,
        source="s",
        start=0,
        end=len(text),
        retrieved_at=datetime(2024, 1, 1, tzinfo=UTC),
    )


async def scores(query: str, *texts: str) -> list[float]:
    return list(await OverlapReranker().score(query, [passage(text) for text in texts]))


async def test_the_passage_with_the_words_comes_first() -> None:
    near, far = await scores("When did the dam open?", "The dam opened in 1936.", "Bread is baked.")
    assert near > far == 0


async def test_passage_in_a_script_without_spaces_is_found_by_its_characters() -> None:
    near, far = await scores("大桥是哪一年通车的？", "大桥于一九三七年通车。", "门票六元。")
    assert near > far


async def test_scores_lie_between_0_and_1() -> None:
    values = await scores("dam dam river 1936", "dam " * 500, "The dam of 1936.", "")
    assert all(0 <= score <= 1 for score in values)


async def test_a_name_lifts_the_passage_that_has_it() -> None:
    with_name, without = await scores("The height of Paris in stone", "In Paris stone.", "In Lyon stone.")
    assert with_name - without > 0.2


async def test_a_name_is_whole_words() -> None:
    query = "Whom did Art meet?"
    [name] = [value for value in checkable_values(query) if value.kind == "name"]
    assert query[name.start : name.end] == "Art"
    assert await scores(query, "The party started.") == [0.0]


async def test_a_date_may_be_written_in_another_way() -> None:
    same, other = await scores("On 27 May 1937", "See 1937-05-27.", "See 1937-05-28.")
    assert same > other


async def test_titles_count() -> None:
    values = await OverlapReranker().score(
        "Hoover", [passage("It is high.", "Hoover"), passage("It is high.")]
    )
    assert values[0] > values[1]


async def test_no_passages_or_no_query_to_score() -> None:
    assert await scores("Which?") == []
    assert await scores("", "The dam.") == [0.0]
