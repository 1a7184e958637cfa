"""Entities and pages for tests."""

from typing import Any

from rarr.evals.namesakes.records import Entity

PAGES = {
    "veldra": "Veldra is a town. It was founded in 1312. It has 18,400 inhabitants.",
    "veldra-film": "Veldra is a film. It was directed by Ana Holm and shown in 1312.",
    "ostrel": "Ostrel is a film. It was directed by Piet Ruger.",
    "ostrel-river": "The Ostrel is a river. It is 212 kilometres long.",
    "osk": "The Osk is a river. It is 90 kilometres long.",
}


def entity(id_: str, name: str, popularity: float, kind: str = "", **properties: Any) -> Entity:
    """An entity with one document, which has its id."""
    return Entity(
        id=id_, name=name, popularity=popularity, types=(kind,) if kind else (), properties=properties,
        documents=(id_,),
    )  # fmt: skip


def entities() -> list[Entity]:
    """Two names with two entities each, and one name with one."""
    return [
        entity("veldra", "Veldra", 900, "town", founded="1312", population="18,400"),
        entity("veldra-film", "Veldra", 220, "film", director={"text": "Ana Holm", "aliases": ["A. Holm"]}),
        entity("ostrel", "Ostrel", 700, "film", director="Piet Ruger"),
        entity("ostrel-river", "Ostrel", 310, "river", length="212 kilometres"),
        entity("osk", "Osk", 10, "river", length="90 kilometres"),
    ]
