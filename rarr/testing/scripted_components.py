"""Makes components of doubles, for a `Reviser` that asks no model and searches nothing.

components = scripted_components(
    query_generator=ScriptedQueries([("Which state grows the most peaches?", "Georgia")]),
    retriever=InMemoryRetriever(["California grows the most peaches."]),
    checker=ScriptedChecker(
        {
            ("Which state grows the most peaches?", "California"): Agreement(
                verdict="disagrees", text_answer="Georgia", evidence_answer="California"
            )
        }
    ),
)
revision = Reviser(components=components).revise("Georgia grows the most peaches.")
assert revision.text == "California grows the most peaches."
"""

from rarr.components import (
    WRITING_NODES,
    AgreementChecker,
    ArticleWriter,
    CardReader,
    Components,
    Editor,
    QueryGenerator,
    Reranker,
    Retriever,
    Rewriter,
    Verifier,
)
from rarr.settings import Settings
from rarr.testing.doubles import (
    InMemoryRetriever,
    ScriptedChecker,
    ScriptedEditor,
    ScriptedQueries,
    ScriptedReranker,
    ScriptedVerifier,
)


def scripted_components(
    *,
    settings: Settings | None = None,
    query_generator: QueryGenerator | None = None,
    retriever: Retriever | None = None,
    reranker: Reranker | None = None,
    card_reader: CardReader | None = None,
    checker: AgreementChecker | None = None,
    editor: Editor | None = None,
    verifier: Verifier | None = None,
    rewriter: Rewriter | None = None,
    writer: ArticleWriter | None = None,
) -> Components:
    """Makes components for `Reviser(components=...)`: each that is not given is a double without a script.

    These doubles ask nothing, retrieve nothing, find everything equally relevant, cannot judge agreement,
    replace answers, and judge support by shared words. Without a `card_reader`, the checker and the editor
    work as in the preset `paper`.
    """
    return Components(
        settings=settings or Settings(),
        query_generator=query_generator or ScriptedQueries(),
        retriever=retriever or InMemoryRetriever(),
        reranker=reranker or ScriptedReranker(),
        card_reader=card_reader,
        checker=checker or ScriptedChecker(),
        editor=editor or ScriptedEditor(),
        verifier=verifier or ScriptedVerifier(),
        rewriter=rewriter,
        writers={} if writer is None else dict.fromkeys(WRITING_NODES, writer),
    )
