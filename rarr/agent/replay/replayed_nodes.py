"""Lists the nodes that ask a language model, which a replay can run again, with their prompts and models."""

from rarr.agent.answering.answering_nodes import write_answer
from rarr.nodes.attribute import attribute
from rarr.nodes.baseline_rewrite import rewrite
from rarr.nodes.check_agreement import check_agreement
from rarr.nodes.edit import edit
from rarr.nodes.evaluate import evaluate
from rarr.nodes.generate_queries import generate_queries
from rarr.nodes.plan import plan
from rarr.nodes.write_article import write_article
from rarr.nodes.write_section import write_section

REPLAYED_NODES = {
    node.__name__: node
    for node in (
        *(generate_queries, check_agreement, edit, rewrite, attribute, evaluate),
        *(plan, write_section, write_article),
        write_answer,
    )
}
"""The nodes by their names."""
NODE_PROMPTS = {
    "generate_queries": ("generate_queries", "target_queries"),
    "check_agreement": ("check_agreement", "check_agreement_doubt", "check_agreement_paper"),
    "edit": ("edit",),
    "rewrite": ("correct_text", "rewrite_text"),
    "attribute": ("judge_attribution",),
    "plan": ("outline",),
    "write_section": ("write_section",),
    "write_article": ("write_article",),
    "write_answer": ("answer_with_citations",),
}
"""The prompts of each node, without their forms for a text with a context."""
MODEL_OF = {"rewrite": "edit", "write_article": "write_section"}
"""Nodes whose model is named for another node."""
