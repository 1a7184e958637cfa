"""Declares the records of answering: statements, each with the triples or passages on which it rests."""

from rarr.records import Notice, Passage, Record, Status, Usage

NO_SUPPORT = "[NA]"
"""The mark behind a statement that needs support which the sources lack, as in KaLMA (Li et al. 2023)."""


class CitedTriple(Record):
    """A triple of a graph, by names; `value_id` is the value itself where the value is no entity."""

    subject_id: str
    subject: str
    relation: str
    value_id: str
    value: str


class AnswerSource(Record):
    """A passage that the answer cites, by its number. `triple`: the triple that the passage says."""

    number: int
    passage: Passage
    triple: CitedTriple | None = None


class CitedStatement(Record):
    """A statement as it was written, with the numbers of the sources that it cites.

    `needs_support`: whoever wrote it knows no source of it.
    """

    text: str
    citations: tuple[int, ...] = ()
    needs_support: bool = False


class Statement(Record):
    """A statement of an answer, the text from `start` to `end`, with the numbers of its sources.

    `needs_support`: it says something that no source says, and cites none, even for the rest. Then its
    `status` is `contradicted` if a source says otherwise, `unjudged` if a sentence of it could not be judged
    or it tells that nobody judged the quotes, `no_evidence` if it names words of the question that no quote
    has, else `unconfirmed`. A statement that says nothing, such as "Here is what I found.", is `unjudged` and
    needs no support; so is a quote that may only be what others say. `refused` are the reasons why citations
    of a language model were taken away. `written` counts the citations before the check, and `existing` those
    of them whose source there is.
    """

    text: str
    start: int = 0
    end: int = 0
    status: Status = "unjudged"
    citations: tuple[int, ...] = ()
    needs_support: bool = False
    refused: tuple[str, ...] = ()
    written: int = 0
    existing: int = 0


class Answer(Record):
    """An answer in statements. `text` is the answer without marks; `sources` are those that it cites.

    `run_id` names the run, in its trace too.
    """

    question: str
    text: str
    statements: tuple[Statement, ...] = ()
    sources: tuple[AnswerSource, ...] = ()
    usage: Usage = Usage()
    warnings: tuple[Notice, ...] = ()
    run_id: str = ""

    def render(self) -> str:
        """Writes the answer with its citations, and `[NA]` behind statements that lack support.

        A citation names triples, as `[Q7186, place of birth: Warsaw]`, or the source of a passage.
        """
        pieces, position = list[str](), 0
        for statement in self.statements:
            pieces += [self.text[position : statement.end], self._marks(statement)]
            position = statement.end
        return "".join([*pieces, self.text[position:]])

    def _marks(self, statement: Statement) -> str:
        by_entity = dict[str, list[str]]()
        for source in self.sources:
            if source.number in statement.citations:
                head = source.triple.subject_id if source.triple else source.passage.source
                said = [f"{source.triple.relation}: {source.triple.value}"] if source.triple else []
                by_entity.setdefault(head, []).extend(said)
        marks = "".join(f" [{', '.join([head, *words])}]" for head, words in by_entity.items())
        return marks + f" {NO_SUPPORT}" * statement.needs_support
