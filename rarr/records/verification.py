"""Declares the record of a verification: whether evidence supports a claim."""

from rarr.records import AttributionClass, Evidence, Notice, Part, Record, Sentence, Usage


class Verification(Record):
    """The relation of evidence to a claim, in the classes of AttrScore (Yue et al. 2023, section 2).

    `label` is the label of the worst sentence: `contradictory`, else `extrapolatory`, else `attributable`;
    None if it could not be judged. `probability` is the support of the least supported sentence, from 0 to 1,
    where a named judge gives one. Otherwise `sentences` have the same status, quotes and parts as in the
    report of a revision with this evidence. `evidence` are the passages that were read.
    """

    claim: str
    question: str | None = None
    label: AttributionClass | None = None
    probability: float | None = None
    sentences: tuple[Sentence, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    usage: Usage = Usage()
    warnings: tuple[Notice, ...] = ()

    @property
    def parts(self) -> tuple[Part, ...]:
        """The words of the claim that can be checked: confirmed, different in the evidence, or open."""
        return tuple(part for sentence in self.sentences for part in sentence.parts)
