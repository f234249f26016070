"""How people give in English an order that lasts: with a trigger that comes again, or by stopping a habit (X14). Pure.

A plain order is a step of the task at hand. It lasts where it says so ("in future", "next time"), where its trigger comes again ("when you
write to customers", not "when you push this branch"), where it stops what is being done over and over ("stop posting …"), and where its
speaker asks to remember it.
"""

import re

from schemas.candidates import Kind
from streams.models.rules.phrases import DO_NOT, IMPERATIVE, OBLIGED, POLITE, START, cue

_ORDER = (
    rf"{POLITE}(?:{IMPERATIVE}|{DO_NOT}\b|always\b|never\b|you (?:always |never )?{OBLIGED}\b|(?:it|that|they|those) (?:goes|go"
    rf"|must|needs?)\b)"
)
_WHO = r"(?:you|we|someone|somebody|anyone|anybody|people|customers|clients|a|an|any|another|one of us)"
# A trigger of one time only: about this or the thing, or about the state of the moment.
_ONCE = (
    r"(?:this|that|the|it|them|these|those|my|your|his|her|today|tonight|tomorrow|now|yet|done|ready|finished|(?:get|come|be"
    r"|are) back|able|free|here|there"
    r"|chance|moment|minute|time|like|want|need|can|could|would|have|had|'ve|'re|'d|are|were|is|think|know|feel|prefer|mean"
    r"|get to|got|see fit"
    r"|must|insist|agree|mind|wish|happen|don't|do not|doubt|say)\b"
)
_AGAIN = rf"(?:(?!\b{_ONCE})[^,.;:–—])*"
_TELL_ME = r"(?!(?:let|tell|ping|call|text|email|notify|remind|message|write|shout|say|wait|come|check back|give me)\b)"
_IN_PROGRESS = (
    r"(?!waiting|trying|working|running|downloading|building|training|processing|looking|searching|loading|being|worrying|playing|talking"
    r"|whining|complaining|kidding|thinking|lying|overthinking|crying|fighting|trolling|arguing|laughing|shouting|there\b"
    r"|everything|anything)"
)
_KEEP = (
    r"(?:answers|replies|summaries|messages|emails|mails|reports|updates|posts|texts|explanations|responses|notes|comments|lists"
    r"|commits|meetings)"
)

# No article, no pronoun and no time: a kind of thing, so the order is about every one of them.
_KIND_OF_ACT = r"(?:use|write|put|add|send|include|post|store|commit|mention|share|schedule|book|give|log|show|push|merge|publish|attach)"
_BARE_PLURAL = (
    r"(?:(?!(?:the|this|that|these|those|it|them|me|us|my|your|his|her|any ?more|yet|now|today|tomorrow|a|an|too|so)\b)[\w#'-]+ ){0,3}?"
    r"(?!(?:this|his|yours|ours|theirs|today's|thanks|yes|us|is|was|always)\b)[\w#-]+s"
)

LASTING_ORDERS = (
    cue(
        "when you …",
        Kind.RULE,
        rf"{START}(?:whenever|every time|each time|any ?time) [^,:–—]{{3,100}}[,:–—] ?{_ORDER}",
        rf"{START}when {_WHO}\b {_AGAIN}[,:–—] ?(?:then )?{_ORDER}",
        rf"{START}(?:before|after) (?:you|we|anyone|someone|anybody) {_AGAIN}\b(?:an?|any|anything|something|another|[\w-]+s)\b{_AGAIN}"
        rf"[,:–—] ?(?:then )?{_ORDER}",
        rf"{START}before [\w-]+ing (?:an?|any|anything|[\w-]+s)\b[^,:–—]{{0,60}}[,:–—] ?{_ORDER}",
        rf"{START}(?:before|after|when) (?:you|we|anyone|someone|anybody) (?!get\b|have\b|find\b|want\b|need\b)[\w-]+ (?:an?|any"
        rf"|anything|anyone|something)\b(?: (?!yet|now|today|else\b)[\w-]+)*"
        rf"[,:–—] ?(?:then )?{_ORDER}",
        rf"^(?:if|once|as soon as) (?:you|we|someone|anyone|somebody|anybody|a|an|any) (?!ever )(?={_AGAIN}\b(?:an?|any|anything"
        rf"|something|another"
        rf"|[\w-]+s)\b){_AGAIN}[,:–—] ?(?:then )?(?:please |pls |always |never |{DO_NOT} |ask |tell |check with |cc |let (?:me"
        rf"|us|\w+) know"
        r"|you must |you always )",
        rf"^{POLITE}(?:{DO_NOT}|no need to) (?:ever )?(?!worry|bother|forget|panic|feel|know|think|understand|see|have|get"
        rf"|need){IMPERATIVE}.*"
        rf"\b(?:when|whenever|if|while|in case) {_WHO}\b {_AGAIN}(?:$|[,.;:–—])",
        rf"^{POLITE}{_TELL_ME}{IMPERATIVE}.*\b(?:when|whenever) {_WHO}\b (?=\w){_AGAIN}(?:$|[,.;:–—])",
        rf"^{POLITE}{_TELL_ME}{IMPERATIVE}.*\b(?:before|after) (?:you|we|anyone) (?={_AGAIN}\b(?:anything|an?|any|something"
        rf"|[\w-]{{3,}}s)\b){_AGAIN}"
        r"(?:$|[,.;:–—])",
        standing=True,
    ),
    cue(
        "in future, next time",
        Kind.RULE,
        rf"{START}(?:in (?:the )?future|next time(?: (?:you|we|someone|around)\b[^,:]{{0,60}}?)?|going forward|from here on(?: out| in)?"
        rf"|for next time|for the future|from (?:this|next) (?:week|month|year|sprint|quarter"
        rf"|release) on(?:wards?)?)[,:]? (?:then )?{_ORDER}",
        r"\bfrom (?:this|next|the (?:next|coming|first)) [\w -]{3,20} on(?:wards?)?\b",
        rf"{START}{POLITE}{_TELL_ME}(?:{IMPERATIVE}|{DO_NOT}\b|let's).*\b(?:in future|in the future|next time(?! i\b)"
        rf"|from here on|for good|permanently"
        r"|as of now|as from now|for all time|at any time)\b",
        r"\b(?:can|could|would|will) you (?:please |maybe |just |mind )*(?!.*\bnow\b).*\b(?:from here on|in future|next time"
        r"|going forward|every time"
        r"|whenever you)\b",
        r"\bfrom (?:mon|tues|wednes|thurs|fri|satur|sun)day on(?:wards?)?\b",
        r"\b(?:is|are|stays?|stay) (?:off|banned|out|closed|shut|gone|retired) for good\b",
        r"\bmake (?:it )?a (?:habit|point|rule) (?:of|to)\b|\bmake it (?:a|your|our) (?:habit|rule|point|custom|default)\b"
        r"|\bget (?:in|into) the habit of\b",
        rf"\b(?:i|we)(?:'d| would)? (?:want|need|expect|ask|like) (?:you|everyone|everybody|people"
        rf"|the team) to {IMPERATIVE}.*\b(?:every|each|all|any"
        r"|whenever|before you|when you)\b",
        standing=True,
    ),
    cue(
        "stop …-ing",
        Kind.RULE,
        rf"^{POLITE}(?:stop|quit) {_IN_PROGRESS}(?!the\b|that\b|this\b)(?:always )?[\w-]+ing (?!it\b|that\b|this\b|now\b|so\b"
        rf"|with it\b)[\w\ue000#@](?!.*\b(?:already|just (?:give|show|do|send|tell|make|write|answer))\b)",
        rf"^{POLITE}{DO_NOT} keep {_IN_PROGRESS}[\w-]+ing\b",
        rf"^{POLITE}{DO_NOT} {_KIND_OF_ACT} {_BARE_PLURAL} (?:in|on|to|into|for|with|at|from) {_BARE_PLURAL}(?:$|[,.;:!])",
        rf"^{POLITE}{DO_NOT} (?:ever )?{IMPERATIVE}(?! (?:out|home|now)\b)(?:(?!\b{_ONCE})[^,.;])* without (?:an?|any|two"
        rf"|someone|at least)\b",
        rf"^{POLITE}(?:run|get|have) (?:every|all|each|any)\b[^,.;]{{2,60}} (?:by|past|checked by|approved by|signed by) ",
        rf"^{POLITE}(?:ask|check with|talk to|consult|tell|notify|inform"
        rf"|call) (?:[\w.'-]+ ){{1,4}}?(?:first )?before [\w-]+ing (?!it\b|this\b|that\b)"
        r"(?:an?\b|any|[\w-]+s\b)",
        rf"^{POLITE}(?:make sure|see to it|ensure|check) (?:that )?(?:every|each|all|any|no|nobody|nothing"
        rf"|everyone) (?!of (?:this|that|these|it)\b|the\b"
        r"|is well\b|is (?:good|fine|ok)\b)",
        rf"^{POLITE}(?:leave|keep) (?:[\w'-]+ ){{1,3}}(?:out of|off|away from) (?!it\b|this\b|that\b|the (?:way|loop|meeting|call)\b)"
        r"(?:[\w#-]+ ){0,2}[\w#-]+s\b",
        rf"^{POLITE}(?:keep|limit) (?:your |the |all |our |my )?(?:[\w-]+ )?{_KEEP} (?:to|under|below|within|short|brief|in"
        rf"|free of|down|between|at)\b",
        rf"^{POLITE}no (?!need|more|idea|luck|problem|worr|news|updates?|results?|errors?|changes?|issues?|questions?|plans"
        rf"|matter|wonder|sign"
        r"|thanks|rush|one|such|tests? needed|way|doubt|clue|difference|response|answers?|luck|offence|thoughts|sound|hits|signs)"
        r"(?:[\w-]+ )?[\w-]+(?:s|ing|work) (?:(?:before|after|between|without|during|outside|until) (?!the\b|this\b|that\b|my\b"
        r"|it\b|we\b|i\b)[\w\d]"
        r"|(?:in|to|for|with|from|on) (?!the\b|this\b|that\b|my\b|your\b|me\b|it\b|us\b|any\b|\d)(?:[\w-]+ ){0,2}[\w-]+s\b)",
        r"^(?!(?:read|write|view|text|one|it|this|that|these|those|me|you|not|if|the|i|i'm|we|he|she|they|there|is|was|for|my"
        r"|your|maybe|but|and"
        rf"|when|so|just|yes|no|a|an|seed|todays?|tomorrow)\b|{IMPERATIVE})(?:[a-z-]+ ){{1,4}}only (?:in|for|on|to|from"
        rf"|with) (?!the\b|this\b|that\b"
        r"|it\b|my\b|your\b|now\b|me\b|today\b|a\b)(?:[\w-]+ ){0,2}[\w-]+s\b",
        standing=True,
    ),
)

TO_REMEMBER = re.compile(
    rf"(?:^|[,;.–—-] |\b(?:but|and|so) ){POLITE}(?:(?:do |always )?(?:remember|memori[sz]e|note)(?: (?:this|that|it)(?: one)?)?"
    r"|(?:keep|bear|have) (?:this|that|it) in mind|(?:make a|take) note(?: of (?:this|that|it))?|don't forget(?: (?:this|that|it))?"
    r"|write (?:this|that|it) down|(?:put|keep) (?:this|that|it) in your (?:memory|notes))(?: (?:for|in) (?:next time"
    r"|the next time|the future"
    r"|future|later|good)| from now on| going forward)?(?:,? (?:please|pls|ok|okay|thanks))?[.!?…]*$"
)
"""Asks to remember what was said just before."""
ORDER = re.compile(rf"^{POLITE}(?:{IMPERATIVE}|{DO_NOT} (?!worry|bother|panic)\w)|\b(?:must|should|have to|has to|needs? to)\b")
"""What such a request makes a rule of."""
REMEMBERED = cue("… please remember", Kind.RULE, ORDER.pattern, standing=True)
