"""A verdict about another value of the claim is neither memory nor evidence."""

import pytest

from rarr.evals.conflicts.buckets import bucket_of_agreement
from rarr.evals.conflicts.policies import Conflict
from rarr.records import Agreement, Verdict

CONFLICT = Conflict(
    id="novel/corpus", policy="corpus", type="person", question="who wrote it", old=("Ida Lunde",),
    stated="Ida Lunde", new="Tom Berg", passage="Ida Lunde wrote it in 1904.",
    changed="Tom Berg wrote it in 1904.", claim="Ida Lunde wrote it in 1904.",
)  # fmt: skip


@pytest.mark.parametrize(
    ("verdict", "judged", "bucket"),
    [
        ("agrees", "Ida Lunde", "original"),
        ("agrees", "Lunde", "original"),
        ("agrees", "", "original"),
        ("agrees", "1904", "other"),
        ("disagrees", "Ida Lunde", "substitute"),
        ("disagrees", "the novelist Ida Lunde", "substitute"),
        ("disagrees", "1904", "other"),
        ("unknown", "Ida Lunde", "other"),
    ],
)
def test_bucket_of_a_verdict(verdict: Verdict, judged: str, bucket: str) -> None:
    assert bucket_of_agreement(Agreement(verdict=verdict, text_answer=judged), CONFLICT) == bucket
