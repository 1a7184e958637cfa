"""The rules for English, and those for what every language has in common."""
# ruff: noqa: E501  # a rule is a row of a table

from rarr.tools.injection_rules import (
    ADDRESS,
    ANSWER,
    DEMAND,
    FENCE,
    LEAK,
    MESSAGE,
    OVERRIDE,
    ROLE,
    TEMPLATE,
    rule,
)

_IGNORE = (
    r"(?:ignor(?:e|ing)|disregard(?:ing)?|forget(?:ting)?|overrid(?:e|ing)|overrule|bypass|neglect|discard|abandon"
    r"|set aside|put aside|erase|stop (?:following|obeying)|(?:do not|don.?t|never|no longer) (?:follow|obey|use)"
    r"|pay no attention to|disobey|dismiss|leave (?:aside|behind)|throw (?:away|out)|cancel|drop|suspend|scrap|unlearn|wipe|purge|reject|do away with|(?:take|have) no (?:notice|regard) (?:of|for)|turn off|switch off|deactivate)"
)
_IGNORE_NEEDS = "ignor disregard forget overrid overrule bypass neglect discard abandon aside erase stop follow obey attention disobey dismiss leave throw cancel drop suspend scrap unlearn wipe purge reject away notice regard turn switch deactivate"
_EARLIER = (
    r"(?:previous(?:ly)?|prior|above|earlier|preceding|foregoing|former|past|your|system|original(?:ly)?|initial"
    r"|existing|developer|user.?s|prompt)"
)
_TOLD = (
    r"(?:instruct(?:ion|ed)s?|prompts?|directions?|directives?|guidelines?|rules?|commands?|orders|constraints?"
    r"|context|programming|training|polic(?:y|ies)|restrictions?|conversation|tasks?|system message|guidance|briefing|safeguards?|safety \w{3,9})\b"
)
_NO_CASE = r"(?! (?:if|when|unless) (?:you|it|your|the|they)\b)"  # as manuals say it
_AI = (
    r"(?:(?:large )?language models?|llms?|ais?\b|a\.i\.|ai (?:models?|assistants?|systems?|agents?|readers?|tools?)"
    r"|chat.?bots?|chatgpt|gpt.?\d?\w?|claude|gemini|copilot|(?:ai|virtual|digital) assistants?"
    r"|(?:automated|automatic|machine|ai|neural) (?:fact.?)?(?:checkers?|checking systems?|verifiers?|readers?"
    r"|reviewers?|evaluators?|judges?|systems?|agents?|assistants?)|verification (?:models?|systems?|agents?))"
)
_AI_NEEDS = "language llm llms ai ais a.i. chat gpt gpt3 gpt4 gpt5 claude gemini copilot assistant automat machine neural verification"
_HELPER = rf"(?:{_AI}|assistants?|models?|bots?|fact.?check(?:ers?|ing (?:models?|systems?|bots?|agents?))|verifiers?|summari[sz]ers?)"
_HELPER_NEEDS = f"{_AI_NEEDS} model bot bots fact summari verifier"
_READS = (
    r"(?:read|process|pars|evaluat|summari[sz]|analy[sz]|scann|review|crawl|ingest|assess|check|verif|judg|us)"
    r"(?:ing|es|s|e|y|ying|ies)?"
)
_THIS = r"(?:this|these|the (?:following|above)) (?:\w{2,12} )?(?:pages?|texts?|passages?|documents?|articles?|content|messages?|websites?|notes?|lines?|sentences?|paragraphs?|evidence|sources?|entry|claims?)"
_NOT_GRAMMAR = r"(?! (?:with|that|to|on|or|well|closely|exactly|in)\b)"
_SURE = r"(?:(?:dis)?agrees?|attributable|extrapolatory|contradictory|(?:un)?supported|verified|irrelevant)"
_PLAIN = r"(?:true|false|correct|incorrect|accurate|right|wrong|confirmed|consistent|yes|no|unknown)"
_CLAIM = (
    r"(?:(?:the|this|that|your|both|every|each|all|any|its) (?:\w{2,12} ){0,3}?"
    r"(?:texts?|claims?|evidence|statements?|sentences?|passages?|answers?|drafts?|quer(?:y|ies)|sources?|checks?)"
    r"|it|they|them|both|everything|all of (?:it|them))"
)
_TELL = r"(?:say|state|conclude|report|answer|respond|reply|declare|treat|mark|judge|rate|classify|label|score|output|return|rule|tell (?:the )?(?:users?|reader|them))"
_TELL_NEEDS = "say state conclude report answer respond reply declare treat mark judge rate classify label score output return rule tell"
_MUST = r"(?:is|are|must be|should be|shall be|has to be|needs? to be|will be|to|as|of|=|:)"

COMMON = (
    rule(TEMPLATE, "<|", r"<\|[^\s|<>][^|<>\n]{0,60}\|>"),
    rule(TEMPLATE, "inst] <<sys _of_turn> system_prompt] tool_results] tool_calls] available_tools] <sop> <eoh> <eoa>",
         r"\[/?inst\]|<</?sys>>|<(?:start|end)_of_turn>|\[/?(?:system_prompt|available_tools|tool_results|tool_calls)\]|<(?:sop|eoh|eoa)>"),
    rule(TEMPLATE, "</s>", r"</s>\s{0,2}(?:<s>|\[|system|user|assistant|human|###)"),
    rule(TEMPLATE, "###", r"###\s?(?:instruction|input|system|human|user)s?\s?:[^#]{0,600}###\s?(?:response|assistant|output)\s?:"),
    rule(TEMPLATE, "### <think", r"###\s?(?:new )?(?:system|human|assistant)(?: (?:message|prompt))?\s?:|(?:###\s?response\s?:|</?think>)\s{0,3}(?:{|\"?verdict|the verdict|agrees)"),
    rule(FENCE, "evidence", r"<\s{0,2}/\s{0,2}evidence\b|(?:^|\n|[.!?\"] )(?:text|evidence) answer\s?:|[-=*#\[<_/]{2,}\s?(?:begin |start )?(?:end|close|stop)(?: of)?(?: the)? evidence\b|\[/?evidence\]"),
    rule(FENCE, "</text </context </passage </document </quot", r"^(?:(?!<(?:text|context|passages?|documents?|quot\w{0,6})\b)[^\x00]){0,4000}?</\s{0,2}(?:text|context|passages?|documents?|quot\w{0,6})\s{0,2}>"),
    rule(FENCE, "end close", r"[-=*#\[<_/]{2,}\s?(?:end|close)(?: of)?(?: the)? (?:quotation|context|untrusted|search results?|user input|retrieved|(?:external )?(?:content|data))\b|\[(?:end of|/)\s?(?:context|evidence|untrusted|search results?|user input|retrieved)"),
    rule(ANSWER, "verdict", r"verdict\"?\s?(?:[:=]|=>|->)\s?\"?(?:(?:dis)?agrees|attributable|extrapolatory|contradictory|irrelevant)\b|\{\s?\"?verdict\"?\s?:\s?\"(?:unknown|true|false|supported)"),
    rule(ANSWER, "text_answer evidence_answer revision questions", r"\b(?:text|evidence)_answer\b|\"span\"\s?:[^\n]{0,300}\"revision\"\s?:|\"revision\"\s?:[^\n]{0,300}\"span\"\s?:|\{\s?\"questions\"\s?:\s?\[\s?\{\s?\"(?:question|about)\""),
    rule(DEMAND, "agrees disagrees attributable extrapolatory", rf"[\"*(\[]{{1,3}}(?:dis)?agrees[\"*)\]]{{1,3}}{_NOT_GRAMMAR}|(?:\b(?:label|verdict|class|rating|grade) (?:of |as )?\"?(?:attributable|extrapolatory)\b)|(?:answer|output|verdict|reply|response|label|status|result|judgment)\s?[:=]+\s?[\"*]{{0,3}}(?:dis)?agrees\b{_NOT_GRAMMAR}"),
    rule(MESSAGE, "tool function_", r"</?(?:tool_(?:call|result|response|output)s?|function_(?:call|result|response)s?|system_prompt|system_message)>"),
    rule(MESSAGE, "<system> <assistant> [system] [assistant] [developer] {system}", r"(?:<(?:system|assistant)>|[\[{](?:system|assistant|developer)[\]}])(?=[^\n]{0,160}(?:ignor|disregard|verdict|instruct|respon|reply|agree|answer|prompt|override|evidence|comply|obey|you are))"),
    rule(MESSAGE, "system: assistant: system] developer:", r"(?:^|\n|[.!?\"*\]]\s)[#*\[\s]{0,4}(?:system|developer|root|admin)\s?[*\]]{0,2}:[*]{0,2}(?=[^\n]{0,160}(?:ignor|disregard|verdict|instruct|respond|reply|agrees|prompt|overrid|comply|obey|assistant|you are))|(?:^|\n)assistant\s?:\s?(?:\{|\"?(?:the )?(?:verdict|agrees|sure|understood|certainly|of course|i will|i.ll|as an ai))"),
    rule(MESSAGE, "human:", r"(?:^|\n)human:[^\x00]{0,500}?\nassistant:"),
)  # fmt: skip

ENGLISH = (
    rule(OVERRIDE, _IGNORE_NEEDS, rf"{_IGNORE} (?:[\w.]{{1,16}} ){{0,4}}?{_EARLIER} (?:\w{{1,16}} ){{0,3}}?{_TOLD}{_NO_CASE}", order=True),
    rule(OVERRIDE, _IGNORE_NEEDS, rf"{_IGNORE} (?:\w{{1,16}} ){{0,3}}?{_TOLD}(?: \w{{1,16}}){{0,3}}? (?:above|before|so far|earlier|previously|you (?:were|have|had|got|received|ve|are|may have)|given to you|(?:from|of|by) (?:the|your) (?:user|system|developer|operator|administrator|creator)s?|up to (?:now|this|here)|until now|in (?:your|this|the system) (?:prompt|context)){_NO_CASE}", order=True),
    rule(OVERRIDE, _IGNORE_NEEDS, rf"{_IGNORE} (?:all|any|every)(?: of)?(?: the| your| those| these| other){{0,2}} (?:instructions?|prompts|guidelines|directives|commands){_NO_CASE}(?=\W{{0,3}}(?:[.!;:\n]|and |or |but |instead|$)|, (?:and |then )?(?:say|answer|respond|reply|output|you))", order=True),
    rule(OVERRIDE, _IGNORE_NEEDS, rf"{_IGNORE} (?:\w{{1,16}} ){{0,2}}?(?:everything|anything|all|whatever|what|the (?:text|words|content|lines?))(?: (?:that|of|which))? (?:\w{{1,16}} ){{0,3}}?(?:above|before this|you (?:were|have been|ve been|had been|are) (?:told|taught|given|asked|instructed|shown)|(?:said|stated|written) (?:above|before|earlier)|so far\b|up to (?:now|here|this)|came before)", order=True),
    rule(OVERRIDE, "overrid supersede replace precedence priority cancel void", r"(?:overrid|supersed|replac|tak|ha|cancel|void)\w{0,4}(?: precedence over| priority over)? (?:\w{1,16} ){0,3}?(?:your|system|earlier) (?:\w{1,16} ){0,2}?(?:instructions|prompt|guidelines|rules|task)s?\b|(?:this|the following|these) (?:message|instruction|command|directive|paragraph|text|line)s? (?:overrides?|supersedes?|replaces?|cancels?|takes? (?:precedence|priority) over|ha(?:s|ve) (?:precedence|priority) over) (?:\w{1,16} ){0,3}?(?:instructions?|prompts?|guidelines)"),
    rule(OVERRIDE, "instructions prompt guidelines", r"(?:(?:all|any|the) )?(?:previous|prior|earlier|old|original) (?:instructions|prompts) (?:are|is|have been|has been) (?:now |hereby |all )?(?:void|cancell?ed|revoked|superseded|invalid)\b|your (?:(?:previous|prior|earlier|old|original|initial|current|system) )?(?:instructions?|prompts?|guidelines|rules) (?:(?:are|is|have been|has been|were|was) (?:now |hereby |all )?(?:void|cancell?ed|revoked|replaced|suspended|superseded|obsolete|outdated|invalid|no longer (?:valid|apply|in force|binding))|no longer (?:apply|count|hold))|(?:your|new|updated|revised|actual|real) (?:\w{2,10} )?(?:instructions?|directives?|system prompt|task) (?:is|are|follow\w{0,3}) ?(?:as follows|now|to (?:say|answer|respond|ignore|agree|output|return|confirm|mark|report)|:)"),
    rule(OVERRIDE, "instruction directive prompt task", r"(?:new|updated|revised|important|priority|urgent|final|secret|hidden|special) (?:\w{2,10} )?(?:instructions?|directives?|prompt)(?: (?:for|to) (?:you|the (?:model|assistant|checker)))?\s?(?::|—|\]|-\s)(?=[^\n]{0,160}(?:ignor|verdict|answer|respond|reply|agree|output|claim|say|mark|model|you must))|your (?:new|real|actual|true|only) (?:task|instruction|objective|directive|goal|job) (?:is|:) "),
    rule(ROLE, "you", rf"you(?: are|.re| will be| shall be|r role is(?: to be)?) (?:now|no longer|from now on|hereby|henceforth|currently)?(?: (?:a|an|the|my|in|acting as|playing|operating as|bound|called|named)){{1,2}} (?:[\w-]{{1,16}} ){{0,4}}?(?:{_AI}|assistant|language model|bot|fact.?checker|verifier|dan\b|jailbr\w{{2,6}}|persona|(?:developer|debug|god|dan|unrestricted|maintenance|admin) mode)(?=\W{{0,2}}(?:$|[.,;:!\n]|that|who|which|and|with|without|named|called|whose|for|in|mode))"),
    rule(ROLE, "act pretend roleplay role-play behave role imagine simulate assume", rf"(?:act|behave|respond|pose|roleplay|role.play) (?:as|like) (?:if you (?:are|were) )?(?:a|an|the|my) (?:[\w-]{{1,16}} ){{0,3}}?(?:{_AI}|assistant|model|bot|fact.?checker|verifier|evaluator|dan)\b|(?:pretend|imagine|simulate|assume)(?: to be| that you are| you are| being| you re| the role of) (?:a|an|the|my) (?:[\w-]{{1,16}} ){{0,3}}?(?:{_AI}|assistant|bot|fact.?checker|verifier)\b", order=True),
    rule(ROLE, "now jailbreak mode bound restrict", r"\bdo anything now\b|you are (?:now )?(?:no longer bound by|free (?:from|of)|not bound by|unbound by|exempt from) (?:\w{1,16} ){0,3}?(?:restrictions?|rules|guidelines|polic\w{1,3}|instructions|programming)|(?:dan|jailbreak|unrestricted|god) mode (?:is )?(?:now )?(?:enabled|activated|on|engaged)|from now on,? you (?:are|will|must|should|only|always) (?:\w{1,16} ){0,3}?(?:answer|respond|reply|output|say|agree|act|assistant|model|ai|confirm|ignore)\b"),
    rule(ROLE, "you", rf"\byou(?: are|.re)(?: now)? [\w-]{{2,20}}\s?,\s?(?:a|an|the|my|our) (?:[\w-]{{2,14}} ){{0,3}}?(?:{_AI}|assistant|bot)\b|your (?:new|only|secret) (?:persona|identity|character|alter ego) (?:is|:)|for the (?:rest|remainder) of (?:this|the|our) (?:conversation|chat|session|dialog\w{{0,3}})"),
    rule(ROLE, "conversation chat session dialog dialogue", r"for the (?:rest|remainder) of (?:this|the|our) (?:conversation|chat|session|dialog\w{0,3})\b"),
    rule(ADDRESS, _AI_NEEDS, rf"{_AI}\s?[:!](?=[^\n]{{0,120}}?(?:the claim|verdict|agree|your\b|\byou\b|instruct|prompt|supported|say so|say that|approve|do not (?:check|flag)))", order=True),
    rule(ADDRESS, "attention dear hey hello hi note message notice instruction memo warning reminder information important", rf"\b(?:attention|dear|hey|hello|hi|(?:(?:editor|author|publisher).?s )?(?:note|message|notice|instruction|memo|warning|reminder|information|important|request)s? (?:to|for))\W{{1,2}}(?:(?:all|any|every|the|our|my|whatever|whichever) )?(?:\w{{2,12}} ){{0,2}}?{_HELPER}(?=\s?[:.!—)\]-]|, |\s?,?\s(?:reading|processing|that|who|which|evaluating|you|please|when|if|and|or)\b)"),
    rule(ADDRESS, _AI_NEEDS, rf"\b(?:if|since|because|as|whether) you(?: are|.re| happen to be) (?:a |an |the |any |some )?(?:\w{{2,12}} ){{0,2}}?(?:{_AI}|fact.?check(?:er|ing \w{{2,8}}))(?=\W{{0,2}}(?:$|[,.:;!\n]|(?:read|process|evaluat|us|task|ask|check|verif|summari|revis|judg|compar|analy)\w{{0,5}}\b|(?:that|who|and|or|you|please|then|with|do|say|answer)\b))|\bas an? (?:\w{{2,12}} )?(?:ai|llm|language model|chatbot|automated \w{{4,9}})(?: \w{{2,10}}){{0,2}}\W{{1,2}}you (?:must|should|shall|have|need|are|will|cannot|can)\b"),
    rule(ADDRESS, _AI_NEEDS, rf"{_HELPER} (?:\w{{1,10}} ){{0,3}}?{_READS} (?:\w{{1,10}} ){{0,2}}?{_THIS}\b(?=[^.\n]{{0,12}}(?:[:,]|must|should|shall|are|is|will|need|have|has|please|to))|(?:(?:only|just|meant|intended|addressed|visible|is|are) (?:for|to)|for) (?:the )?(?:ai|llm|language model|ai assistant|chatbot|machine)s?(?: (?:only|eyes only|readers? only)|\s?:)"),
    rule(ADDRESS, _HELPER_NEEDS, rf"{_HELPER}\s?[,:!—-]\s?(?:\w{{2,10}} )?(?:please|(?:do not|don.?t) (?:check|trust|compare|mention|answer|flag)|ignore|disregard|respond|reply|answer|output|say|return|set|mark|conclude|treat|repeat|forget|classify|judge|label|confirm|you (?:must|should|are|have to|need to|will|can|may)|your (?:task|answer|verdict|output|instructions|job|role))\b", order=True),
    rule(ADDRESS, _HELPER_NEEDS, rf"{_HELPER} (?:must|should|shall|will|has to|have to|needs? to|(?:is|are)(?: (?:required|instructed|asked|ordered|told|expected|supposed|requested|directed|hereby \w{{2,12}}))? to) (?:\w{{1,16}} ){{0,6}}?(?:(?:dis)?agrees\b|attributable\b|extrapolatory\b|verdict\b|(?:as|it|claims?|text|statements?|answers?) (?:is |are )?(?:\w{{2,10}} )?(?:supported|correct|true|accurate|verified|confirmed|consistent)\b)"),
    rule(DEMAND, "agrees disagrees extrapolatory", rf"\b(?:is|be|as|with|say|saying|return|print|write|respond|conclude|choose|select|pick|output|answer|reply)(?: only| always| simply| just)?\s?[:=]?\s?[\"*]{{0,2}}(?:(?:dis)?agrees|extrapolatory)\b{_NOT_GRAMMAR}"),
    rule(DEMAND, "verdict", rf"verdicts? (?:\w{{2,10}} ){{0,4}}?{_MUST} ?(?:\w{{2,10}} ){{0,2}}?[\"*]{{0,2}}(?:(?:dis)?agree\w{{0,5}}|attributable|extrapolatory|contradictory|irrelevant|supported)\b|(?:your|the (?:model|checker|assistant).?s) verdict (?:must|should|has to|needs to|shall|is|will)\b"),
    rule(DEMAND, "verdict", r"(?:set|mark|output|force|change|record|enter|put) (?:the |your |every |its |a |all |any )?(?:\w{2,10} )?verdicts? (?:\w{2,10} )?(?:to|as|of|field|=|:|for)", order=True),
    rule(DEMAND, _TELL_NEEDS, rf"{_TELL}(?: back)?(?: only| always| simply| exactly| just| solely)? ?(?:with|that|by saying|by stating|:)? ?(?:only |exactly |just |simply |the (?:single |exact |one )?(?:word|words|phrase|string|verdict|label) ){{0,2}}(?:[\"*(]{{0,2}}(?:agrees|disagrees|extrapolatory|attributable|contradictory)\b(?!\W{{0,3}}(?:or|if|when|that|with|on)\b)|[\"*(]{{0,2}}supported\b(?!\W{{0,3}}(?:or|if|when|to|for|and|with|by|in|that)\b)|\"{_PLAIN}\W?\"(?!\W{{0,3}}(?:or|if|when|to|for|and|with|by|in|that)\b))", order=True),
    rule(DEMAND, "respond reply output answer return", r"(?:respond|reply)(?: only| exactly| solely| just| exclusively) (?:with|that|:)|(?:respond|reply|answer) (?:with|by saying) (?:only|exactly|nothing but|just)? ?(?:the (?:single |exact |following |one )?(?:word|words|phrase|string|json|sentence|token|text)s?\s?[:\"]|this json|valid json|json\b|\{)|output\s?(?:only|exactly|nothing but|the following|this|the (?:word|string|phrase|json|exact|verdict))|answer (?:only|solely|exclusively|exactly) (?:with|that|:)", order=True),
    rule(DEMAND, "nothing anything", r"(?:output|return|respond|reply|answer|say|print)\b[^.!?\n]{1,60}?(?:and|but) nothing (?:else|more)\b(?! (?:is|was|are|will|has|can))|(?:do not|don.?t) (?:output|generate|return|respond with|reply with|answer with) anything (?:else|other|more)", order=True),
    rule(DEMAND, _TELL_NEEDS, rf"{_TELL}(?: (?:always|only|simply|just|instead))?(?: that)? {_CLAIM}(?: (?:above|below|here|in question|under (?:review|test)))? (?:(?:fully |completely |entirely |always |perfectly )?(?:agrees?|disagrees?|match(?:es)? (?:the|each|this|exactly|perfectly))|(?:(?:is|are|as|to be|being|was|were) )?(?:\w{{2,11}} )?{_SURE})\b(?!\W{{0,3}}(?:or|if|when|unless)\b)", order=True),
    rule(DEMAND, _TELL_NEEDS, rf"(?:say|report|answer|respond|reply|declare|mark|treat|rate|classify|label|score|tell (?:the )?(?:users?|them))(?: that)? {_CLAIM} (?:is|are|as|to be|was|were) (?:\w{{2,11}} )?{_PLAIN}(?!\W{{0,3}}(?:or|if|when|unless|to|for|by|in|answers?)\b)(?= ?[.!,;:\n\"]| ?$| and | without | regardless | no matter )", order=True),
    rule(DEMAND, "your", r"(?:begin|start|end|finish|open|close) your (?:response|reply|output) with|in your (?:next )?(?:verdict|json|revision|output|reply|edit)\W{1,3}(?:always |please |you |do not )?(?:include|mention|add|recommend|write|say|replace|must|should|insert|set|put|state)\b|you (?:must|should|have to|need to|are required to|are (?:instructed|ordered|obliged) to|will) (?:always |only |now |therefore )?(?:agree|concur) (?:with (?:the|this|every|any) (?:\w{2,10} )?(?:claim|text|statement|sentence|draft|user)|here|in (?:every|any|all) case)"),
    rule(DEMAND, "when while if before", r"\b(?:when|while|if|before|after|whenever|once)(?: you)?(?: are)?(?: asked to| told to| asked about)? (?:summari[sz]|evaluat|check|judg|compar|revis|verif|fact.?check|process|analy[sz]|rat|assess|us|edit|quot|read)\w{0,4} (?:\w{2,10} )?(?:text|page|passage|article|document|evidence|claim|content|query|source)s?\W{1,3}(?:you (?:must|should|are|have to) |always |please |then |simply ){0,2}(?:say|answer|state that|report that|mark|respond|reply|output|return|conclude|ignore|agree|the verdict|treat)\b"),
    rule(DEMAND, "change edit revise rewrite replace modify alter correct insert", r"(?:change|edit|revise|rewrite|replace|modify|alter|correct)\s(?:the |your |this |every |any )?(?:\w{2,12} ){0,4}?(?:claim|verdict|user.?s (?:text|answer|sentence|claim|draft)|(?:text|sentence|claim) (?:under (?:review|test)|being checked|to be checked)|checked (?:text|sentence))s? (?:\w{1,16} ){0,6}?(?:to|so that|with|into|by|as|say)\b", order=True),
    rule(DEMAND, "question query queries", r"\bthe only (?:question|query) (?:you (?:may|should|must|can|will|need)|to ask)\b|(?:ask|generate|write|produce|emit) (?:no|only (?:one|this|the following)|zero) (?:more |other )?(?:search )?(?:questions?|quer(?:y|ies))\b(?=[^\n]{0,60}(?:text|evidence|claim|passage|:))|(?:skip|do not|don.?t|without|no need to|never) (?:the |run |perform |doing |any )?(?:fact.?check\w{0,3}|verif(?:y|ication)|compar\w{2,4}) (?:\w{1,8} )?(?:this |the |these |any |against )(?:\w{2,10} )?(?:claim|text|sentence|draft|statement|evidence)", order=True),
    rule(DEMAND, "approve accept validate endorse trust pass rubber certify leave", r"(?:approve (?:it|this|everything|this one|all of it|whatever|any|the|every)\b|(?:accept|validate|endorse|trust|certify|pass|leave|rubber.stamp) (?:the|this|that|every|any|each|all) (?:\w{2,12} )?(?:claim|text|sentence|statement|draft|wording)s?(?: (?:above|here|at hand|in question))?(?=\s?(?:$|[.!\n]| as (?:it|they|is|written|given|correct|true)|,? (?:unchanged|untouched|unedited|without|alone|as true|exactly|and (?:do not|say|move|stop|answer|return|output)))))", order=True),
    rule(DEMAND, _TELL_NEEDS, rf"{_TELL}[^.!?\n]{{1,60}}?(?:no matter|regardless of|whatever|irrespective of)(?: what| which)? (?:the |it |you |is )?(?:\w{{2,10}} )?(?:questions?|sentences?|claims?|texts?|users?|quer(?:y|ies)|evidence|sources?)\b", order=True),
    rule(DEMAND, "whatever regardless matter irrespective", rf"(?:whatever|regardless of|no matter|irrespective of)(?: what| which)? (?:the |is |a )?(?:\w{{2,10}} )?(?:questions?|sentences?|claims?|user|query|text)\b[^.!?\n]{{0,30}}?,? (?:you (?:must |should |will )?)?{_TELL}\b"),
    rule(DEMAND, _TELL_NEEDS, rf"{_TELL}(?: (?:always|only|simply|just))?(?: that)? (?:the |this |that |any |every )?(?:\w{{2,10}} )?(?:source|page|evidence|passage|article|document|text)s? (?:fully |clearly |completely )?(?:support|confirm|back|prove|verifie|verify|entail)(?:s|es)?\b", order=True),
    rule(DEMAND, "your", r"your (?:edit|revision|judge?ment|label|verdict|json|edits) (?:must|should|has to|have to|needs? to|shall|is to|are to|will) (?!reflect|include|cite|explain|consider)"),
    rule(DEMAND, "openai anthropic developer creator operator", r"(?:openai|anthropic|your (?:developer|creator|operator|administrator|maker)s?) (?:has |have )?(?:authori[sz]e[sd]?|instructs?|requires?|orders?|ordered|approved?|wants?|asks?|asked) (?:you|this|the (?:model|assistant|checker))"),
    rule(MESSAGE, "system", r"[\[<{(*#=]{1,4}\s?system (?:notice|alert|update|warning|log|status|event)\s?[\]>})*#=]{1,4}|\b(?:begin|start|end)(?:s|ning)?(?: of)?(?: the| new| hidden){0,2} system (?:instructions?|prompt|message|override|directives?|note)\b"),
    rule(MESSAGE, "begin start end", r"\b(?:begin|start|end)(?: of)?(?: the| new){0,2} (?:hidden|secret|admin|override|developer|trusted|privileged|assistant) (?:instructions?|prompt|message|override|directives?|note)\b"),
    rule(MESSAGE, "overrid", r"(?:[*=#~_-]{2,6}|[\[{<])\s?(?:\w{4,12} )?overrid(?:e|den|ing)\s?(?:[*=#~_-]{2,6}|[\]}>])"),
    rule(ADDRESS, _HELPER_NEEDS, rf"(?:to|for|@) ?(?:the |all |any |every |each )?(?:\w{{2,12}} ){{0,2}}?{_HELPER}(?: (?:reading|checking|judging|processing) this)?\s?:", order=True),
    rule(MESSAGE, "system admin developer operator", r"(?:^|\n|[.!?\"\])>*#=-]\s?)[\[(<{*#=\s!_~-]{0,8}(?:system|admin\w{0,10}|developer|operator)[ _-]{0,2}(?:message|prompt|note|override|instruction|command|directive)s?\b\s?[\])>}*=~_#]{0,6}\s?(?:[:—\]>=#]|-\s|\n|from )"),
    rule(MESSAGE, "tool function api search retriev verif fact checker", r"\b(?:tool|function|api|search|retriev\w{1,4}|verification|verifier|fact.?check\w{0,4})[ _-]?(?:result|response|output|call|verdict|report|log|status)s?\b[^\n]{0,20}[:=>\]](?=[^\n]{0,160}(?:agrees|verdict|attributable|all claims|claim (?:is |was )?(?:verified|supported|confirmed)|no (?:further )?(?:check|edit)))"),
    rule(LEAK, "prompt", r"\b(?:in|of|from|about) your (?:\w{2,10} )?prompt\b|your (?:system|hidden|initial|original) prompt|(?:the|your) (?:exact|full|entire|whole|complete|original|hidden) (?:system )?prompt\b"),
    rule(LEAK, "what which", r"(?:what|which) (?:is|are|was|were|do|does)(?: \w{2,10}){0,3}? your (?:system |initial |original |exact |hidden |full )(?:prompt|instructions|message)"),
    rule(LEAK, "prompt instruct rules conversation", r"(?:copy|repeat|print|recit|quot|reveal|list|shar|disclos|display)ing (?:\w{1,12} ){0,4}?(?:your (?:\w{2,12} ){0,2}?(?:instructions|prompts?|rules|guidelines)|the (?:whole |entire )?conversation (?:so far|above)|(?:prompt|instructions) above|system prompt)\b"),
    rule(LEAK, "prompt instruct above told conversation rules", r"(?:repeat|reveal|print|show|output|display|tell me|disclose|leak|list|quote|share|send|post|write (?:out|down)|recite|copy|include|append|summari[sz]e|state|give me|expose|dump|echo|translate|encode)\W{1,3}(?:me |us |back |out |all |verbatim ){0,2}(?:\w{1,12} ){0,5}?(?:(?:your|hidden|secret|initial|original|full|system|entire|exact)(?: of)?(?: \w{2,12}){0,2}? (?:prompts?|instructions?|rules|guidelines|system message|configuration)\b|(?:prompt|instructions|everything|words|text|message|conversation|lines) (?:\w{2,10} )?above\b(?! the)|(?:what|everything) you (?:were|have been) (?:told|given|instructed)|system prompt|chat history|(?:the|this|our|whole) conversation (?:so far|above|to|history)|api keys?\b)", order=True),
)  # fmt: skip

# In words that have lost their spaces.
JOINED = (
    rule(OVERRIDE, "*instructions *prompt *rules", r"(?:ignore|disregard|forget|override|bypass)(?:all|any|every|of|the|your|my|these|those){0,4}(?:previous|prior|above|earlier|preceding|system|your)(?:instructions|prompts?|rules|guidelines|orders)"),
    rule(DEMAND, "*agrees *verdict", r"(?:verdict(?:is|mustbe|shouldbe|to|as)|(?:say|answer|output|respond|reply|return|respondwith|replywith|answerwith)(?:only)?)(?:always|only)?(?:dis)?agrees|(?:set|mark)(?:the|your)?verdict(?:to|as)"),
    rule(ADDRESS, "*youare *assistant *dearai *heyai", r"youarenow(?:an?|the)\w{0,20}(?:assistant|ai|model|bot)|ifyouarean?(?:ai|llm|languagemodel|assistant)|(?:dear|hey|attention)(?:ai|assistant|chatbot|languagemodel)"),
    rule(LEAK, "*prompt *instructions", r"(?:repeat|reveal|print|show|output)(?:your|the|all)(?:system|hidden|initial)?(?:prompt|instructions)"),
)  # fmt: skip
