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
    r"\bi(?: would|'d) (?:much )?rather (?:you|we|have|see|get|read|not (?:have|see|get|use))\b",
    r"\bi(?: really| generally| personally| also| do| just| always)* (?:like|love|enjoy|hate|dislike|can't stand"
    r"|cannot stand|don't like|do not like|don't enjoy)\b "
    r"(?!that\b|this\b|it\b(?! when\b| if\b)|those\b|these\b|them\b|him\b|her\b|the (?:idea|look|sound|way (?:you|this"
    r"|that)|direction)|your\b"
    rf"|how (?:you|this|that|it)|what\b|where\b|to think\b|to (?:see|know|hear) (?:what|how|if|whether)\b){CHOICE_OF_ONE}",
    r"^(?:whenever|every time|each time|any ?time|when you) (?!can\b|could\b|have\b|get\b|are\b|'re\b|want\b|need\b)[^.;]{3,100}?"
    r"\bi(?:'d| would) (?:really |also |much )?(?:like|love|want|prefer|rather|appreciate)\b",
    r"\bi (?:don't|do not|never) (?:ever )?want (?:any|to (?:see|get|receive|hear|read))\b",
    r"\bi(?: would|'d) (?:really |also |much )?(?:like|love|appreciate|prefer) (?:it|you to|to (?:have|get|see"
    r"|be))\b.*\b(?:when(?:ever)?|every"
    r"|always|each|before (?:you|any)|in future)\b",
    r"^i(?: really| honestly| personally| always| just| do| often)* find (?!out\b|it\b(?! (?:easier|harder))|that\b|this\b"
    r"|the (?:time|file|bug))"
    r"[^.;?]{2,80}? (?:much |far |a lot |really |very |so |too |quite |rather )*(?:easier|harder|hard|difficult|annoying"
    r"|confusing|tiring|helpful"
    r"|useful|clearer|unreadable|distracting|exhausting|impossible|clear|handy)\b(?! to (?:believe|say))",
    r"\b(?:works?|suits|is|are|reads?|read) (?:so |much |far |a lot )?(?:better|best|easier|easiest"
    r"|clearer) (?:to read )?for me\b|\bsuits? me (?:better|best)\b",
    r"^i(?:'m| am) (?:really |just |usually |basically |generally |always )*(?:not (?:much|of much|any|a lot of) (?:use|help"
    r"|good)\b|no (?:use|good)\b"
    r"|useless\b|not at my best\b|at my best\b|not available\b|unavailable\b|never available\b|never (?:online|at my desk)\b"
    r"|a (?:morning|night) person\b|not a (?:morning|night) person\b).*?(?:\bin the (?:mornings?|evenings?|afternoons?)\b|\bperson\b"
    r"|\b(?:before|after|until) (?:\d|noon|lunch|nine|ten|eleven|eight|seven|four|five|six)\b|\bon \w+days\b)",
    r"^i (?:only|never|{DO_NOT}) (?:ever )?(?:do|take|read|answer|accept|eat|drink|fly|work|open|attend|book|schedule"
    r"|travel)\b (?!it\b|this\b|that\b"
    r"|them\b|the\b(?! (?:first|last|top))|so\b|well\b|you\b|your\b|to\b|what\b)(?:[\w-]+ ){0,3}?(?:[\w-]+s|first|before|after"
    r"|on|in|at|with|without|when)\b".replace("{DO_NOT}", DO_NOT),
    r"^(?:can|could|would) you (?:please |maybe )*keep (?:your |the |all )?(?:[\w-]+ )?(?:answers|replies|summaries|messages"
    r"|mails|emails|reports"
    r"|updates|texts|explanations|responses)\b",
    r"\bmy (?:preference|preferred [\w-]+|favou?rite [\w-]+(?: [\w-]+)?) (?:is|are)\b|\bmy preferences?:",
    r"^(?:please )?(?:call|address) me (?!back|when|if|on|at|later|asap|tomorrow|today|in\b|before|after|once)\w",
    standing=True,
)

_DECIDED = (
    rf"(?:\b(?:{FIRST_PLURAL}|i){JUST} (?:decided|agreed|settled|chose|chosen|opted|voted|concluded|standardi[sz]ed)\b"
    r"|\bwe(?:'re| are)(?: now| all)? going (?:with|for)\b|\bwe went (?:with|for)\b|\bwe'll (?:use|go with|be using|stick (?:with|to))\b"
    r"|^(?:final|decided|agreed|settled)(?: decision)?(?:[:,–—]| on\b))"
)
BINDING = cue(
    "decided for all",
    Kind.RULE,
    rf"{_DECIDED} (?:on no\b|never to\b|to never\b|that (?:no|nobody|nothing|every|all|each|any)\b)",
    rf"{_DECIDED}(?! yet\b)[^.;]*\b(?:for|in|on|across|with) (?:all (?!of (?:this|that)\b)|every(?!one\b)|each|any|everything"
    rf"|anything|new )",
    rf"{_DECIDED}(?! yet\b)[^;]*(?:, (?:and |so |but )?(?:not|no more|nothing else|never|no)\b (?!sure|yet|only|just|matter"
    rf"|problem|worr|rush|need)"
    r"|\b(?:is|are) (?:off the table|out of the question|no option|no longer an option|ruled out)\b)",
    standing=True,
)
"""A decision that says what is done in every case, or what is excluded: it binds from now on, so it is a rule."""

DECISIONS = cue(
    "decided",
    Kind.DECISION,
    rf"\bwe (?:have |all |both )?(?:went|'ve gone) (?:with|for) {CHOICE_OF_ONE}(?!a (?:walk|beer|drink|ride|run)\b|lunch|dinner|coffee)",
    rf"^(?:final|decided|agreed|settled)(?: decision)?(?:[:–—]| on (?!that\b|it\b)) ?(?!fixed|answer|version|draft){CHOICE_OF_ONE}",
    r"^(?!(?:it|this|that)\b)[\w\ue000' -]{2,40} (?:is|are) (?:off the table|out of the question|ruled out)\b",
    r"^(?!(?:it|this|that|so|what|here|there|where)\b)[\w\ue000.' -]{2,40} it is(?:, (?:then|for|from)| then| for)\b",
    r"\bit(?:'ll| will) be (?!fine\b|ok|done\b|ready\b|a\b|great\b|hard\b|easy\b|fixed\b|there\b|in\b|on\b|more\b|better\b|nice\b|good\b"
    r"|interesting\b|the\b)[\w\ue000 -]{2,40} (?:for|from (?:now|next|the)|as) (?:the |our |all |every )",
    rf"\b(?:{FIRST_PLURAL}|i){JUST} (?:decided|agreed|settled|chose|chosen|opted|resolved|voted"
    rf"|concluded)\b(?! yet\b)(?: (?:on|for|to|that|with|against))? ?{CHOICE_OF_ONE}",
    r"\b(?:it is|it's|it was|it has been|it's been)(?: now)? (?:decided|agreed|settled)\b (?:that|to)",
    r"^(?:the |our |final |team )*decisions?(?: for [\w -]{1,40}| on [\w -]{1,40})?: |\b(?:the|our|my"
    r"|final) decision (?:is|was|stands|remains)\b (?!to (?:wait|postpone)|not (?:final|made)|pending|still|up to|yours)",
    rf"\blet(?:'s| us) (?:go|stick|stay|settle|proceed|move (?:ahead|forward)) (?:with|on|for) {CHOICE_OF_ONE}",
    rf"\blet(?:'s| us) (?:standardi[sz]e on|adopt|switch to|move to|migrate to) {CHOICE_OF_ONE}",
    r"\b(?:we|i)(?:'re| are|'ll| will|'m| am| have|'ve)?(?: now)?(?: going to)? (?:(?:go|going|gone) with|(?:stick|sticking|stay"
    rf"|staying|settle) (?:with|on)) {CHOICE_OF_ONE}",
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
    rf"{_NOT_ME}(?:the |our |all |every )?[\w\ue000][\w\ue000 -]{{1,50}}?(?:'s| is| are) (?:at|on|in|with|by|held|run by"
    rf"|deployed (?:by|to|with)|sent to"
    r"|handled by|done by|owned by|hosted (?:on|by)|written in) (?:the )?(?!fire\b|progress|trouble|track|hold|vacation|holiday"
    r"|it\b|me\b|sync\b"
    r"|maintenance|beta\b|development|use\b|stock|charge\b|call\b|lunch\b|bed\b|review\b|place\b|here\b|there\b|that\b|this\b"
    r"|my\b|a\b|an\b)[\w\ue000][^,.;]{0,40}? now(?=$|[,.;:!?])",
    rf"{_NOT_ME}(?!(?:i|you|we|now|what|and)\b)[\w\ue000][\w\ue000 '-]{{1,50}}? (?:goes|go) to (?!bed\b|sleep\b|the (?:next|end)"
    rf"|page\b|work\b|\d)"
    r"[\w\ue000][^,.;]{0,30}? now(?=$|[,.;:!?])",
    rf"{_NOT_ME}(?:the |our |all )?[\w\ue000][\w\ue000 -]{{1,50}}? (?:are|is) (?:written |done |made |kept |given )?(?:in|with"
    rf"|as) an? [\w-]+(?:,? "
    r"[\w-]+){0,2} (?:tone|format|style|language|layout|template|currency|font|size) now(?=$|[,.;:!?])",
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
    rf"|keep our|write our)\b (?!that\b|it\b|this\b|those\b|them\b){CHOICE_OF_ONE}",
    rf"^(?:our|the|this|every)(?: [\w-]+){{0,2}} {_KNOWN_THING}(?: all| currently| now| still)? (?:uses?|runs? on|is on"
    r"|are on|is hosted|are hosted|lives? (?:in|on|at)|is deployed|is written in|is built (?:on|with|in)|speaks?|ships?"
    r"|is called|is named)\b",
    r"^(?:our|the)(?: [\w-]+){0,3} (?:is|are) (?:called|named|at|hosted (?:on|at|by|with)|https?:)\b",
    r"^our(?: [\w-]+){1,3} (?:is|are) (?:in|on) (?!a\b|an\b|progress|review|fire|hold|track|trouble|the way|place|shape|sync"
    r"|time|order)\w",
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
        r"^(?:(?:no|nope|nah|wrong|wait|sorry|not quite|actually|correction|in fact)\b[,.!:; –—-]++)+(?:no, )?+"
        r"(?!those\b|these\b|he\b|she\b|we're\b|it\b|that\b|that's\b|it's\b|this\b|they\b|there\b|i\b|i'm\b|you\b|you're\b|let"
        r"|never mind|don't|can|could|would|what|why|how)"
        r"[^,;]{2,60}? (?:is|are|should|must|uses?|runs?|lives?|goes|go|belongs?|starts?|ends?|means?|needs?|happens?"
        r"|takes?|costs?|closes?|opens?|has|have)\b",
        r"^(?:no|nope|wrong|actually|correction|sorry)\b[,.!:; –—-]+.*(?:\binstead\b|\binstead of\b|\brather than\b"
        r"|, (?:and |but )?not [\w\ue000])",
        r"\bi meant? [^,]{1,60}, not \w",
        r"^(?!it\b|that\b|this\b|they\b|i\b|he\b|she\b|we\b)[^,;]{2,60}? (?:is|are|was|lives?|runs?|goes|starts?|ends?) not "
        r"(?!only\b|just\b|sure\b|yet\b|bad\b|perfect\b|great\b|ideal\b|really\b|available\b)[^,;]{1,60},? but [\w\ue000]",
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
