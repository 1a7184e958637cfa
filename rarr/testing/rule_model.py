"""Stands in for a language model: answers the package's own prompts with the embedded rules."""

import json

from rarr import prompts
from rarr.testing.scripted_answer_lookup import Asked, UnansweredError


class RuleModel:
    """A script for a `ScriptedServer` or `ScriptedModel`, to try `rarr` without a language model.

        with ScriptedServer(RuleModel()) as server: ...

    It recognises a prompt by its name, else by its instructions, and reads the user message with the
    package's own prompt file. Raises `UnansweredError` for other prompts, and for messages in another form.
    """

    def __call__(self, asked: Asked) -> str:
        """Answers a request, as JSON in the prompt's schema."""
        from rarr.testing import rule_answers  # it loads the embedded rules, which takes a while

        prompt = prompts.load(_name(asked))
        # All user messages, because the last may be the complaint about an unreadable answer.
        users = (message.content for message in asked.messages if message.role == "user")
        variables = next(filter(None, map(prompt.parse, users)), None)
        if variables is None:
            raise UnansweredError(
                f"the rules cannot read this message: it does not have the form of {prompt.name}.md"
            )
        return json.dumps(rule_answers.answer(prompt.name, variables), ensure_ascii=False)


def _name(asked: Asked) -> str:
    """Finds the prompt's name, or else the prompt whose instructions, the longest, are in the system message.

    Raises `UnansweredError` if there is none.
    """
    names = prompts.names()
    if asked.prompt in names:
        return str(asked.prompt)
    systems = {name: prompts.load(name).system for name in names}
    closest = max(
        (name for name in names if systems[name] in asked.system), key=lambda n: len(systems[n]), default=None
    )
    if closest is None:
        raise UnansweredError(f"the rules know no prompt {asked.prompt!r}: they answer {', '.join(names)}")
    return closest
