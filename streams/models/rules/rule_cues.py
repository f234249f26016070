"""How people say in English that something is a rule (X14). Pure."""

from schemas.candidates import Kind
from streams.models.rules.phrases import COMPLAINT, DO_NOT, IMPERATIVE, LINK, OBLIGED, ORDERED, POLITE, cue

RULES = (
    cue(
        "always, never",
        Kind.RULE,
        rf"^{POLITE}(?:always|never) {ORDERED}",
        rf"^(?:can|could|would|will) you (?:please )?(?:always|never) (?:please )?{ORDERED}",
        r"^(?:when|whenever|before|after|if|unless|once|as soon as|for|in|on|with|to|during|while|at|by|from|every|each|any)\b.*?,? "
        rf"{POLITE}(?:always|never|{DO_NOT} ever) {ORDERED}",
        rf"^[^:.]{{1,100}}[:–—] ?{POLITE}(?:always|never|{DO_NOT}) {ORDERED}",
        rf"^(?!it\b|they\b|he\b|she\b|this\b|that\b|there\b|i\b).*{LINK} {POLITE}(?:always|never) {IMPERATIVE}",
        rf"\b{OBLIGED} (?:always|never)\b(?! have\b)",
        r"\b(?:always|never) (?:must|has to|have to)\b",
        r"^(?:our |all |the )?[\w -]{2,40}s are (?:always|never) (?!delayed|confused|ignored|surprised|annoyed|broken"
        r"|forgotten|late)\w+(?:ed|en|t)\b",
        rf"\bwe (?:always|never) {COMPLAINT}{ORDERED}",
        rf"\bwe {IMPERATIVE}.*\b(?:never|always|(?:in|on|for|with) (?:every|all|each)|everywhere|at all times)\b",
        r"\bi (?:always|never) want\b",
        r"\bi(?: would|'d)? (?:want|need|expect|like|ask|advise) you to (?:always|never)\b",
        r"\b(?:make|be) sure (?:that |to |you |we )*(?:always|never)\b",
        rf"^{POLITE}never,? ever\b|^{POLITE}{DO_NOT} ever\b|^{POLITE}only ever\b|^{IMPERATIVE} only ever\b",
        standing=True,
    ),
    cue(
        "from now on",
        Kind.RULE,
        r"\b(?:from now on(?:wards?)?|from here on|from this (?:point|day|moment) on|from today(?: on(?:wards?)?)?"
        r"|(?:going|moving) forward(?! (?:is|was|with|seems|will)\b)|henceforth)\b",
        r"\b(?:as of (?:now|today|(?:this|next) \w+|\w+day)|(?:starting|beginning|effective) (?:now|today|immediately|tomorrow)"
        r"|for future reference|until further notice)\b",
        r"\b(?:as a (?:general |standing |basic )?rule|as a matter of (?:policy|principle)|under no circumstances|on no account)\b",
        r"\b(?:without exception|no exceptions|at no (?:time|point)|no matter (?:what|who|how|which|where|when))\b",
        rf"^{POLITE}(?:{IMPERATIVE}|{DO_NOT}\b).*\b(?:in (?:the )?future|next time)\b",
        rf"^(?:in (?:the )?future|next time|by default),? {POLITE}(?:{IMPERATIVE}|{DO_NOT}\b|you {OBLIGED})",
        standing=True,
    ),
    cue(
        "each time",
        Kind.RULE,
        r"^(?:whenever|every time|each time|any ?time|(?:when|if) i (?:ask|say|write|mention|send|post|request)"
        rf"|(?:before|after|for|on|in|with|at) (?:every|each|any|all))\b[^,]*,? (?<!\bi )(?<!\bwe )(?<!\bit )(?<!\bto )(?<!\bthe )"
        rf"(?<!\bthey )(?<!\byou )(?<!\ba ){POLITE}(?:{IMPERATIVE}|{DO_NOT}\b|you {OBLIGED})",
        rf"^{POLITE}{IMPERATIVE}.*\b(?:every (?:single )?time|each (?:and every )?time|any ?time (?:you|we|i)|whenever"
        r"|at all times|as standard"
        r"|(?:when|if) i ask|(?:before|after) (?:every|each|any)|in (?:every|all|any|each) (?:of (?:your|our|my) )?"
        r"(?:rooms?|projects?|chats?|conversations?|channels?|repl(?:y|ies)|answers?|responses?|messages?))\b",
        standing=True,
    ),
    cue(
        "don't … again",
        Kind.RULE,
        rf"^{POLITE}{DO_NOT} .*\b(?:ever|again|any ?more(?=$|[.,;:!?])|any longer"
        r"|without (?:asking|my|our|checking|telling|permission|approval)"
        r"|unless (?:i|we|asked|told|you)|before (?:asking|checking)|in any of (?:our|my|your)|to anyone|anywhere|at any time)\b",
        rf"^{POLITE}(?:stop|quit|cease) (?:using|adding|putting|writing|saying|calling|asking|apologi[sz]ing|sending|making|including"
        r"|inserting|creating|assuming|ending|starting|signing|changing|touching|committing|pushing|mentioning"
        r"|repeating|suggesting|doing)\b",
        rf"^{POLITE}(?:avoid|refrain from) \w+",
        rf"^{POLITE}no more [\w\ue000-]+.*\b(?:in|on|with|when|to|from|by|after|before)\b",
        rf"^{POLITE}(?:ask|check with|tell|consult|notify|ping|warn|inform|call|confirm with|get (?:approval|permission|a review) from) "
        r"(?:me|us|(?:the )?[\w-]+)(?: first)? before (?:you |any |each |every )?\w+",
        standing=True,
    ),
    cue(
        "must",
        Kind.RULE,
        rf"^(?:all|every|each|any|no|none of) [^,.]{{1,80}}? {OBLIGED}(?: not)?\b(?! have\b)",
        rf"^(?:nobody|no one|no-one|everybody|everyone|nothing) (?:ever )?(?:{OBLIGED}|is allowed|gets to)\b(?! have\b)",
        r"\b(?:must not|mustn't|must only|may not|may only)\b(?! (?:have|be (?:possible|able|enough|there|work|\w+ing)"
        r"|work|help|matter)\b)",
        r"\byou(?:'re| are) (?:not|never) (?:allowed |permitted |supposed )?to\b|\byou aren't (?:allowed|supposed) to\b",
        r"\b(?:is|are) (?:strictly |absolutely |always )?(?:forbidden|prohibited|off[- ]limits|banned|mandatory"
        r"|not (?:allowed|permitted|acceptable))\b",
        r"\b(?:is|are) never (?:allowed|ok|okay|acceptable|permitted|fine)\b",
        r"\b(?:it is|it's) (?:\w+ )?(?:important|essential|crucial|vital|critical|mandatory|imperative) "
        r"(?:that (?:you|we|all|every|each|no)|to (?:always|never))\b",
    ),
    cue(
        "a rule",
        Kind.RULE,
        r"\b(?:our|the|my|an?|house|team|project|company|one|another|new|golden|general|standing) (?:\w+ ){0,2}?"
        r"(?:rule|policy|convention|guideline|standing order)(?: here| of thumb| for [\w\ue000 -]{1,40}?| in [\w -]{1,40}?)?"
        r"(?: is(?: that)?:?| says?| that|:| –| —|,) (?!not\b|un|broken|wrong|clear|about|which|but|and|is|was|has)",
        r"^(?:it is|it's|this is) (?:\w+ ){0,2}(?:policy|rule|convention|standard|custom|tradition"
        r"|practice)(?: here)?:? (?:that|to|not to)\b",
        r"^(?:(?:new|house|ground|team|golden|general|another|one|standing) )?(?:rule|policy|convention"
        r"|guideline)s?(?: for [\w\ue000 -]{1,40}?| #?\d)?: ",
    ),
)
