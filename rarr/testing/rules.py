"""A stand-in for a language model: it answers the package's own prompts by the embedded rules."""

import json

from rarr import prompts
from rarr.testing.asked import Asked, UnansweredError


class RuleModel:
    """The answers of a `ScriptedServer` or a `ScriptedModel`, to try `rarr` without a language model.

        with ScriptedServer(RuleModel()) as server: ...

    It knows a prompt by its name, else by its instructions, and reads the user message by the package's own
    prompt file. Raises `UnansweredError` for any other prompt, and for a message of another form.
    """

    def __call__(self, asked: Asked) -> str:
        """The answer, as JSON of the prompt's schema."""
        from rarr.testing import answering  # the embedded rules, which take their time to load

        prompt = prompts.load(_name(asked))
        # Not the last message alone: that may be the complaint about an answer that could not be read.
        users = (message.content for message in asked.messages if message.role == "user")
        variables = next(filter(None, map(prompt.parse, users)), None)
        if variables is None:
            raise UnansweredError(
                f"the rules cannot read this message: it is not of the form of {prompt.name}.md"
            )
        return json.dumps(answering.answer(prompt.name, variables), ensure_ascii=False)


def _name(asked: Asked) -> str:
    """The prompt's name. One prompt may begin as another does: the longest instructions count."""
    known = prompts.names()
    if asked.prompt in known:
        return str(asked.prompt)
    systems = {name: prompts.load(name).system for name in known}
    found = max(
        (name for name in known if systems[name] in asked.system), key=lambda n: len(systems[n]), default=None
    )
    if found is None:
        raise UnansweredError(f"the rules know no prompt {asked.prompt!r}: they answer {', '.join(known)}")
    return found
