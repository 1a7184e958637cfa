"""Stands in for a language model: answers the package's own prompts by the embedded reader."""

import json

from rarr import prompts
from rarr.testing.scripted_answer_lookup import Asked, UnansweredError


class RuleModel:
    """A script for a `ScriptedServer` or `ScriptedModel`, to try `rarr` without a language model.

        with ScriptedServer(RuleModel()) as server: ...

    It recognises a prompt by its name, else by its instructions, and reads the user message with the
    package's own prompt file. A passage decides about a sentence that it nearly repeats. Raises
    `UnansweredError` for other prompts, and for messages in another form.
    """

    def __call__(self, asked: Asked) -> str:
        """Answers a request, as JSON in the prompt's schema."""
        from rarr.testing import prompt_answers  # it loads the embedded reader, which takes a while

        prompt = prompts.load(_name(asked))
        # All user messages, because the last may be the complaint about an unreadable answer.
        users = (message.content for message in asked.messages if message.role == "user")
        variables = next(filter(None, map(prompt.parse, users)), None)
        if variables is None:
            raise UnansweredError(
                f"this message cannot be read: it does not have the form of {prompt.name}.md"
            )
        return json.dumps(prompt_answers.answer(prompt.name, variables), ensure_ascii=False)


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
        raise UnansweredError(f"there is no prompt {asked.prompt!r}: RuleModel answers {', '.join(names)}")
    return closest
