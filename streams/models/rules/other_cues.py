"""How people say in English that something is to be remembered, preferred, decided, replaced, corrected or so (X14). Pure."""

import re

from schemas.candidates import Kind
from streams.models.rules.phrases import CHOICE_OF_ONE, DO_NOT, FIRST_PLURAL, IMPERATIVE, JUST, POLITE, cue

REMEMBER = cue(
    "remember",
    Kind.FACT,
    rf"^{POLITE}(?:do )?(?:always )?(?:remember|keep in mind|bear in mind|{DO_NOT} forget|make a (?:mental )?note"
    r"|take note|memori[sz]e|please note"
    r"|note for (?:later|the future|next time)|for the record|note to self)\b(?! (?:when|how|what|why|if|whether|last"
    r"|back|me|us|it|this|that)(?:\b(?! \w)|[.,!]))"
    r"(?: that| to|:|,)? ",
    r"^(?:can|could|would|will) you please remember(?: that| to)? ",
    r"\b(?:i want|i need|i'd like|we need|we want) you to (?:remember|keep in mind|memori[sz]e)(?: that| to)? ",
)
WARNING = cue(
    "warning",
    Kind.FACT,
    r"^(?:(?:small|big|fair|quick|last|word of) )?(?:warning|heads[- ]up|caution|good to know|beware|careful)\b ?(?:[:,–—-]|that|of) ?",
)
ORDER = re.compile(rf"^{POLITE}(?:{IMPERATIVE}|always|never|{DO_NOT})|\b(?:must|should|always|never|have to|has to)\b")
"""What makes a rule of something to be remembered."""

PREFERENCES = cue(
    "prefer",
    Kind.PREFERENCE,
    r"\b(?:i|we)(?: would|'d| really| strongly| generally| personally| always| much| usually| do| also"
    rf"| still)* (?:prefer|favou?r)\b (?:to have |not )?{CHOICE_OF_ONE}",
    r"\bi(?: would|'d) (?:much )?rather (?:you|we|have|see|not (?:have|see|get|use))\b",
    r"\bi(?: really| generally| personally| also| do| just| always)* (?:like|love|enjoy|hate|dislike|can't stand"
    r"|cannot stand|don't like|do not like|don't enjoy)\b "
    r"(?!that\b|this\b|it\b(?! when\b| if\b)|those\b|these\b|them\b|him\b|her\b|the (?:idea|look|sound|way (?:you|this"
    r"|that)|direction)|your\b"
    rf"|how (?:you|this|that|it)|what\b|where\b|to think\b|to (?:see|know|hear) (?:what|how|if|whether)\b){CHOICE_OF_ONE}",
    r"\bi (?:don't|do not|never) (?:ever )?want (?:any|to (?:see|get|receive|hear|read))\b",
    r"\bmy (?:preference|preferred [\w-]+|favou?rite [\w-]+(?: [\w-]+)?) (?:is|are)\b|\bmy preferences?:",
    r"^(?:please )?(?:call|address) me (?!back|when|if|on|at|later|asap|tomorrow|today|in\b|before|after|once)\w",
    standing=True,
)

DECISIONS = cue(
    "decided",
    Kind.DECISION,
    rf"\b(?:{FIRST_PLURAL}|i){JUST} (?:decided|agreed|settled|chose|chosen|opted|resolved|voted"
    rf"|concluded)\b(?! yet\b)(?: (?:on|for|to|that|with|against))? ?{CHOICE_OF_ONE}",
    r"\b(?:it is|it's|it was|it has been|it's been)(?: now)? (?:decided|agreed|settled)\b (?:that|to)",
    r"^(?:the |our |final |team )*decisions?(?: for [\w -]{1,40}| on [\w -]{1,40})?: |\b(?:the|our|my"
    r"|final) decision (?:is|was|stands|remains)\b (?!to (?:wait|postpone)|not (?:final|made)|pending|still|up to|yours)",
    rf"\blet(?:'s| us) (?:go|stick|stay|settle|proceed|move (?:ahead|forward)) (?:with|on|for) {CHOICE_OF_ONE}",
    rf"\blet(?:'s| us) (?:standardi[sz]e on|adopt|switch to|move to|migrate to) {CHOICE_OF_ONE}",
    r"\b(?:we|i)(?:'re| are|'ll| will|'m| am| have|'ve)?(?: now)?(?: going to)? (?:go|going|gone|stick|sticking|stay"
    rf"|staying|settle) (?:with|on) {CHOICE_OF_ONE}",
    r"\bwe(?:'ll| will|'re going to| are going to) (?:use|adopt|standardi[sz]e on|switch to|move to|migrate to"
    rf"|keep using|stick to|host|deploy|ship|release)\b {CHOICE_OF_ONE}",
)
UNDECIDED = re.compile(
    r"\b(?:if|once|until|before|when|whether|unless|not|haven't|hasn't|never|nothing|nobody|didn't|as soon as|remember"
    r"|think|believe|guess|wonder|sure)\b[^,;]{0,24}$"
)
"""Stands before a decision that is none: "once we have decided", "nobody decided"."""

_NOT_ME = r"^(?!(?:i|i've|i'm|you|you've|he|she|they|it|this|that)\b)"
_OF_OURS = r"^(?:the |our |all |all of |now |today |yesterday |last \w+,? |this \w+,? |[\w-]+ ?,? ){0,4}?"
REVERSALS = cue(
    "moved from … to",
    Kind.DECISION,
    rf"{_NOT_ME}.*\b(?:moved|moving|migrated|migrating|switched|switching|changed|converted|transitioned"
    r"|went)\b[^.;]{0,60}? from [^.;]{1,60}? to \w",
    rf"{_NOT_ME}.*\b(?:moved|migrated|switched|transitioned|moving|migrating|switching)(?: over| back| everything"
    r"| completely| away)?(?: (?:the"
    r"|our) [\w -]{1,30}?)? to (?!the (?:next|new|other)|a new|another|do\b|be\b)[\w\ue000]",
    r"^(?:we|our|i)\b[^.;]{0,30}? no longer \w+|\b(?:is|are) no longer (?:used|supported|needed|in use|allowed|valid"
    r"|our|required|recommended)\b",
    r"^(?:we|our|i) (?:do not|don't|are not|aren't|'re not) [^.;]{1,80}\b(?:any ?more|any longer)(?=$|[.,;:!?])",
    r"\binstead of [^,.;]{1,60},? (?:we|i)(?:'re|'ll| are| will)?(?: now)? \w+",
    rf"\bwe(?:'ve| have)?{JUST} (?:dropped|abandoned|retired|deprecated|replaced|ditched|scrapped|phased out|got rid of"
    rf"|stopped \w+ing|gave up on|given up on)\b {CHOICE_OF_ONE}",
    rf"{_OF_OURS}(?:has been|have been|was|were|is being|is|are) replaced (?:by|with) \w",
    r"\bwe(?:'re| are)? (?:now|back) (?:on|use|using|run|deploy|host|work|ship|release|store|build|back on|to)\b",
)

_KNOWN_THING = (
    r"(?:services?|apps?|application|api|backend|back end|frontend|front end|database|db|project|team|company|servers?"
    r"|site|website|platform"
    r"|pipeline|cluster|shop|store|product|system|stack|office|repo|repository|client|customer|department|newsletter|warehouse|billing)"
)
FACTS = cue(
    "we use",
    Kind.FACT,
    r"^(?:we|we're|we are)(?: all| currently| still| already| only)* (?:use|using|run on|running on|deploy|host|store"
    rf"|keep our|write our)\b {CHOICE_OF_ONE}",
    rf"^(?:our|the|this|every)(?: [\w-]+){{0,2}} {_KNOWN_THING}(?: all| currently| now| still)? (?:uses?|runs? on|is on"
    r"|are on|is hosted|are hosted|lives? (?:in|on|at)|is deployed|is written in|is built (?:on|with|in)|speaks?|ships?"
    r"|is called|is named)\b",
    r"^(?:our|the)(?: [\w-]+){0,3} (?:is|are) (?:called|named|at|hosted (?:on|at|by|with)|https?:)\b",
    r"^our(?: [\w-]+){1,3} (?:is|are) (?:in|on) (?!a\b|an\b|progress|review|fire|hold|track|trouble|the way|place|shape|sync|time|order)\w",
)

CORRECTIONS = (
    cue(
        "no, … instead",
        Kind.RULE,
        rf"^(?:(?:no|nope|nah|wrong|wait|sorry|hm+|actually|rather|not quite)\b[,.!:; –—-]+)+{POLITE}(?:{IMPERATIVE}"
        rf"|{DO_NOT}\b).*\binstead\b",
        rf"^{POLITE}{IMPERATIVE}.* instead$",
        rf"^(?:(?:no|nope|nah|wrong|wait|sorry|actually)\b[,.!:; –—-]+)*{POLITE}{IMPERATIVE}.*(?:\binstead of\b"
        r"|\brather than\b|, (?:and |but )?not\b)",
        rf"^(?:(?:no|nope|nah|wrong|wait|sorry|actually)\b[,.!:; –—-]+)*{POLITE}{DO_NOT} (?:use|take|write|put|call|send"
        rf"|go)\b.*[,;:.–—-] ?{POLITE}(?:but )?(?:use|take|write|put|call|send|go)\b",
        rf"^instead of [^,.;]{{1,60}},? {POLITE}{IMPERATIVE}",
    ),
    cue(
        "actually",
        Kind.FACT,
        r"^(?:(?:no|nope|nah|wrong|wait|sorry|not quite|actually|correction|in fact)\b[,.!:; –—-]+)+(?:no, )?"
        r"(?!it\b|that\b|that's\b|it's\b|this\b|they\b|there\b|i\b|i'm\b|you\b|you're\b|let|never mind|don't|can|could|would|what|why|how)"
        r"[^,;]{2,60}? (?:is|are|should|must|uses?|runs?|lives?|goes|go|belongs?|starts?|ends?|means?|needs?|happens?"
        r"|takes?|costs?|closes?|opens?|has|have)\b",
        r"^(?:no|nope|wrong|actually|correction|sorry)\b[,.!:; –—-]+.*(?:\binstead\b|\binstead of\b|\brather than\b"
        r"|, (?:and |but )?not [\w\ue000])",
        r"\bi meant? [^,]{1,60}, not \w",
        r"^(?!it\b|that\b|this\b|they\b|i\b|he\b|she\b|we\b)[^,;]{2,60}? (?:is|are|was|lives?|runs?|goes|starts?|ends?) not "
        r"(?!only\b|just\b|sure\b|yet\b|bad\b|perfect\b|great\b|ideal\b|really\b)[^,;]{1,60},? but [\w\ue000]",
        r"^(?!it\b|that\b|this\b|they\b|i\b|he\b|she\b)[^,;]{2,60}? (?:is|are|uses?|runs? on|lives? (?:in|on|at)"
        r"|goes to|belongs? (?:in|to)) [^,;]{1,60}(?:, (?:and )?not| instead of| rather than) [\w\ue000]",
    ),
)

USES = re.compile(
    r"^(?!(?:it|this|that|he|she|they|there|what|who)\b)[\w\ue000][\w\ue000 '-]{0,60}? ?(?:(?:is|are|'re)(?: now"
    r"| currently| still)?(?: on| in| using)?"
    r"|uses?|runs? on|(?:is|are) hosted (?:on|at|with)|lives? (?:in|on)) "
    r"(?P<thing>(?:[^ .;:/]+ ?){1,3})(?![\w:/])"
)
"""A fact only where the thing is a widely known one, of which one usually has one."""
