"""How people say in English what is done among them as a matter of course: a convention, a policy, who must agree (X14). Pure.

Said in the present tense and of no single thing: "in all our repos we …", "refunds go past Ann first", "nothing leaves the house
without …". What is said of one thing ("this build needs a review") or of a state ("every test is failing") is none.
"""

from schemas.candidates import Kind
from streams.models.rules.phrases import DO_NOT, HABIT, HABIT_STEM, START, cue

_ORGANISATION = (
    r"(?:teams?|groups?|lab|company|office|offices|house|department|firm|agency|studio|practice|clinic|school|family|kitchen"
    r"|newsroom|unit"
    r"|organi[sz]ation|shop|repos?|repositor(?:y|ies)|projects?|code ?bases?|channels?|rooms?|services?|business|place|crew|desk)"
)
_TITLE = r"(?:dr|prof|professor|mr|mrs|ms|mx|miss|sir|dame|rev|captain|judge)\b\.?"
# What is done to things as a matter of course; "broken" and "failing" are states.
_DONE = (
    r"(?:written|spelled|spelt|signed|stored|kept|sent|formatted|named|reviewed|approved|cleared|checked|tagged|numbered|dated"
    r"|quoted|priced"
    r"|labelled|labeled|published|posted|released|shipped|deployed|merged|paid|booked|billed|invoiced|charged|filed|archived|documented"
    r"|discussed|answered|handled|translated|printed|ordered|logged|backed up|encrypted|tested|mocked|reported|rounded|measured|made|done"
    r"|paired|squashed|rebased|served|read|confirmed|countersigned|announced|scheduled|held|shared|deleted|removed|refunded|prefixed"
    r"|capitali[sz]ed|abbreviated|addressed|anonymi[sz]ed|run|taken|given|put|packed|wrapped|delivered|cleaned|washed|assembled"
    r"|labelled|stamped|weighed|counted|cited|indented|linted|okayed|ok'd|signed off|proofread|generated|pinned|recorded)"
)
_SIGN_OFF = (
    r"(?:ok|okay|o\.k\.|approval|sign-?off|sign off|blessing|go-?ahead|green light|nod|signature|consent|permission|authori[sz]ation"
    r"|clearance|second pair of eyes|second opinion|two approvals|two reviews|reviews?|approvals|countersignature|initials|say-so)"
)
_LASTING = r"(?: all| only| always| never| just| ever| first| also| usually| normally| generally)*"
_ROUTE = r"(?:to|through|past|via|out|into|in|on|under|by|over|behind|before|after|without|with|straight|first)"
# Verbs of a convention, with what must follow; the first of a whole kind of things, the second of each of them.
_PLURAL = (
    rf"(?:go {_ROUTE}|run (?:against|under|through|past|only)|get (?:an?|the|their own|(?!confused|delayed|dropped|blocked"
    rf"|duplicated|truncated|killed|ignored|rejected)[a-z]{{3,}}ed|{_DONE})\b|belong (?:in|to|on|under)"
    r"|stay (?:in|out|off|on|with|under|below|within|at)|live (?:in|on|under)|(?:start|begin|end) with|come (?:with|in|before|from)"
    rf"|carry|follow|must|(?:need|have) to\b|(?:need|require) an? [\w-]+(?: [\w-]+)?$|(?:need|require) (?:an? |the |my |two "
    rf"|[\w.'-]+(?: [\w.-]+)?'s )(?:\w+ )?{_SIGN_OFF}"
    rf"|are{_LASTING} (?:not )?(?:to be )?{_DONE}\b|aren't {_DONE}\b|(?:don't|do not|never) (?:go|get|leave|carry|belong|need))"
)
_SINGULAR = (
    rf"(?:goes {_ROUTE}|runs (?:against|under|through|past|only)|gets (?:an?|the|its own|their own|(?!confused|delayed|dropped"
    rf"|blocked|duplicated|truncated|killed|ignored|rejected)[a-z]{{3,}}ed|{_DONE})\b|belongs (?:in|to|on|under)"
    r"|stays (?:in|out|off|on|with|under|below|within|at)|lives (?:in|on|under)|(?:starts|begins|ends) with|comes (?:with|in|before|from)"
    rf"|carries|follows|must|(?:needs|has) to\b|(?:needs|requires|has|carries) (?:an?|its own|two|at least) [\w-]+(?: (?:on|in"
    rf"|at|from|by|of|before) [^,]+)?$|(?:needs|requires) (?:an? |the |my |two |[\w.'-]+(?: [\w.-]+)?'s )(?:\w+ )?{_SIGN_OFF}"
    rf"|is{_LASTING} (?:not )?(?:to be )?{_DONE}\b|isn't {_DONE}\b|(?:doesn't|does not|never) (?:go|get|leave|carry|belong|need)"
    rf"|leaves|ships|lands)"
)
# What is said of a fault or of the moment.
_NO_STATE = (
    r"(?!.*\b(?:errors?|404|500|crash\w*|fail\w*|hang\w*|broken|slow\w*|stuck|wrong|weird|again|yet|so far|right now|at the moment"
    r"|currently|yesterday|still|lol|haha|exceptions?|warnings?|fine)\b)"
)
_OF_A_KIND = r"(?:[\w\ue000'/#-]+ ){0,4}?"
_NO_ONE_THING = (
    r"(?!(?:the|all|no|this|that|these|those|my|your|his|her|its|their|it|he|she|they|there|what|which|who|how|why|if|some|most|many|few|several"
    r"|both|two|three|four|five|you|we|i|things|\d|things|let's|yes|thanks|looks|seems|sounds|does|is|was|has|as|us|this|users"
    r"|customers|clients|people|guests|kids|always|perhaps"
    r"|maybe|sometimes|more|other|others|sorry|lots)\b)"
)
_WE_DO = rf"we(?: all)?(?: only| just| always| never| normally| usually| generally| typically| mostly| do not| don't| dont)? {HABIT}"
_WE_ARE = r"(?:we're|we are|we work|we stay|we stick|we keep) (?:all )?(?:on|with|to|in|using) "
_QUANTIFIED = (
    r"(?:in|for|on|with|across|at|from|to|by|before|after) (?:all|every|each|any|everything|anything)\b|everywhere\b|at all times\b"
)

CONVENTIONS = (
    cue(
        "we …, as a matter of course",
        Kind.RULE,
        rf"{START}(?:in|on|at|for|with|across|inside|around) (?:(?:all|every|each|any) (?:of )?(?:our |the |my )?[\w\ue000 '/-]{{2,50}}?"
        rf"|(?:this|our|my|the) (?:[\w-]+ ){{0,2}}?{_ORGANISATION}|here),? {_WE_DO}",
        rf"^(?:in|on|for|with|to|towards) (?:[\w-]+ ){{0,2}}[\w-]{{2,}}s,? {_WE_DO}",
        rf"{START}(?:{_WE_DO}|{_WE_ARE}(?!track\b|hold\b|it\b|for\b|time\b|fire\b))[^.;]*\b(?:{_QUANTIFIED})",
        rf"{START}{_WE_DO} (?:(?:all|every) (?!of (?:it|this|that|them)\b|day\b|night\b|the time\b)|everything\b)",
        rf"{START}(?:{_WE_DO}|{_WE_ARE})[^.;,]{{2,60}} (?:here|around here|in (?:this|our) {_ORGANISATION})(?=$|[,.;:!])",
        r"^(?!(?:i|you|he|she|they|it|this|that|as|well|yes|no)\b)(?:[\w'-]+ ){3,}[\w'-]+, (?:always|never|no exceptions"
        r"|every time|without exception)$",
        rf"{START}we (?:only(?: ever)?|never|{DO_NOT}(?: ever)?) {_NO_STATE}{HABIT}\b(?!.*\bany (?:more"
        rf"|longer)\b)(?!.*\banymore\b)(?! (?:it|them|that|this|enough|much|for you)\b)",
        rf"{START}we (?:all |usually |normally |always |generally )*{HABIT} [^.;]*?,? (?:and |but )?(?:not|never) (?:with |in "
        rf"|to |by |the )?"
        r"(?!sure|yet|only|just|really|bad|that|because|if|possible|yesterday)[\w\ue000]",
        rf"{START}we (?:usually |normally |always |generally )?{HABIT} .*\b(?:on|before|after|until) (?:mon|tues|wednes|thurs"
        rf"|fri|satur|sun)days\b",
        r"\b(?:that's|that is|this is) (?:how|the way) we (?:do|work|write|handle|run)\b[^?]*$",
        rf"{START}none of (?:our|us|the) [\w-]+(?: [\w-]+)? {_NO_STATE}{HABIT_STEM}(?:s|es)?\b",
        r"^(?:the|our) (?:standard|rule|convention|custom|policy|default|norm|house style)(?: (?:here|around here|is simple"
        r"|for [\w -]{2,30}))?: \w",
        r"\bonly ever (?:use|write|send|go|run|post|get|be|come|deploy|ship|merge|book|order|call|fly|buy|pay|give|take|work|read)\b",
        r"\b(?:how|the way) (?:we|things) (?:do|work|are done|handle|run|write)[^.:]{0,40}(?: (?:here|around here"
        r"|in this \w+))? is(?: that)?\b:? \w",
        r"^(?:what|who|where|how) .{2,60} is (?:our|house) (?:rule|policy|style|custom)",
        standing=True,
    ),
    cue(
        "goes, needs, gets",
        Kind.RULE,
        rf"{START}(?:all |all of )?our (?:own "
        rf"|new )?{_OF_A_KIND}[\w-]+s {_LASTING.replace('(?: ', '(?:').replace('| ', '|')} ?{_NO_STATE}{_PLURAL}",
        rf"(?:^|(?<=: )){_NO_ONE_THING}{_OF_A_KIND}[\w-]{{3,}}s(?<!ss) (?:(?:above|over|below|under|from|for|to|of|with|in|on"
        rf"|between|about|without) "
        rf"[^,.;]{{2,40}}? )?(?:always |only |never )?{_NO_STATE}{_PLURAL}",
        rf"^an? {_OF_A_KIND}[\w-]+ (?:(?:above|over|below|under|from|for|to|of|with|in|on) [^,.;]{{2,40}}? )?(?:always |only |never )?"
        rf"{_NO_STATE}(?!needs to be\b|has to\b|must\b){_SINGULAR}",
        rf"{START}(?:any|every|each|whatever|no) (?!time\b|day\b|idea\b|luck\b|way\b|one\b of|body\b){_OF_A_KIND}[\w€$£%#-]+"
        rf"(?: (?:above|over|below|under|from|for|to|of|with|in|on|that|which) [^,.;]{{2,60}}?)? (?:always |only "
        rf"|never )?{_NO_STATE}{_SINGULAR}",
        rf"{START}(?:all|no) (?!the\b|my\b|your\b|of (?:the|this|that|these|those|my|your)\b|the time\b|right\b|good\b"
        rf"|in all\b){_OF_A_KIND}[\w€$£%#-]+s"
        rf"(?: (?:above|over|below|under|from|for|to|of|with|in|on|that|which) [^,.;]{{2,60}}?)? (?:always |only "
        rf"|never )?{_NO_STATE}{_PLURAL}",
        rf"{START}(?:anything|everything|whatever) (?!else\b|is\b|was\b|i\b|you (?:want|like|need|say)\b)"
        rf"(?:(?!is\b|works\b|seems\b|looks\b)[^,.;]{{0,60}}? )?{_NO_STATE}{_SINGULAR}",
        rf"{START}(?:anyone|everyone|whoever|everybody|anybody) (?:who |that )?[^,.;]{{2,40}}? (?:must|has to|needs to|should"
        rf"|gets|signs|asks)\b{_NO_STATE}",
        rf"{START}nothing (?:else )?{_NO_STATE}(?:goes|leaves|ships|lands|enters|gets {_DONE}|is (?:ever )?{_DONE}|gets out|goes out)\b.*"
        r"\b(?:after|before|without|until|unless|on|to|into|in|from|except|by|outside|over|above|during|at)\b",
        rf"{START}(?:nobody|no one|no-one|none of us) {_NO_STATE}(?:(?:but|except|other than) [^,.;]{{1,30}}? )?(?:ever )?"
        rf"{HABIT_STEM}(?:s|es)\b(?! (?:to )?(?:me|us|you)\b).*\b(?:after|before|without|until|unless|on|to|into|from|except"
        rf"|outside|over|above|during|but)\b",
        standing=True,
    ),
    cue(
        "house style",
        Kind.RULE,
        r"\b(?:the|our|my) (?:\w+ ){0,2}?(?:rule|policy|convention|standard|practice|custom|norm|default|house style|style"
        r"|guideline|procedure"
        r"|agreement|deal|drill|etiquette|protocol)(?: (?:here|with us|around here|in the \w+|at our end|with (?:the "
        r"|our )?[\w-]+))? (?:is|says):? "
        r"(?!not\b|un|broken|wrong|clear|about|which|but|and|is|was|has|great|nice|good|bad|fine|better|to blame|too|so|on|off"
        r"|down|up|ready"
        r"|done|old|outdated|missing|weird|ugly|nowhere|still|already|that you)\w",
        r"^(?:(?:our|the|team|office|company|lab|house) )?(?:house style|office rules?|house rules?|team rules?|polic(?:y|ies)"
        r"|standing orders?"
        r"|convention|ground rules?|style rule|etiquette|standard practice)(?: (?:for|on|in"
        r"|about) [\w\ue000 -]{1,40}?)? ?(?:[:–—]|-(?= )|is(?= ))",
        r"^(?:it's|that's|this is) (?:our |the )?(?:house style|company policy|office policy|team policy|standard practice"
        r"|our custom)\b:? \w",
        r"\b(?:is|are) (?:against|part of|in) (?:our|the|company|house|office|team) (?:rules|policy|house style|style guide"
        r"|conventions)\b",
        standing=True,
    ),
    cue(
        "who that is",
        Kind.RULE,
        rf"^(?:it's|it is|that's|that is|she's|he's|they're|she is|he is|[\w.' -]{{2,40}} (?:is|goes by)) {_TITLE} ?[\w. -]*"
        rf"(?:$|,? (?:and |but )?(?:not|never|please|to)\b)",
        r"^(?:it's|it is|that's|[\w\ue000.' -]{2,40}? is) (?:always |never |only )?(?:spelled|spelt|pronounced|written|capitali[sz]ed) "
        r"(?:(?:with|without|as|in|like)\b|\ue000|[\w\ue000-]+, not\b)",
        r"^(?!(?:it|this|that|there|who|what)\b)[\w.' -]{2,40} (?:is|'s) an? (?:she|he|they|woman|man)\b(?!'s| is)",
        r"^(?!(?:it|this|that|there|who|what)\b)[\w.' -]{2,40} (?:uses|goes by) (?:she|he|they)\b",
        r"\bpronouns are (?:she|he|they)\b",
        standing=True,
    ),
)
