"""What the cues are made of: orders, obligations, polite fillers, as parts of regular expressions (X14). Pure."""

import re
from dataclasses import dataclass

from schemas.candidates import Kind

_IMPERATIVES = """
    add address adopt aim allow announce answer apply approve archive ask assign assume avoid back backup base be begin book bring
    build bump buy call cancel capitalise capitalize cc change charge check choose cite clean clear close comment commit compare
    confirm consider consult convert copy cover create cut date default delete deliver deploy describe disable do document
    double-check download draft draw drop email embed enable encode encrypt end ensure escalate escape estimate exclude explain
    export fetch file fill finish fix flag follow format forward generate get give go greet group guard handle hand hide hold host
    ignore import include indent inform insert install invoice isolate join keep label leave let limit link list lock log look
    mail make mark measure mention merge mock mount move name notify number offer omit open order pack park paste pay phrase pick
    pin ping place plan point post prefer prefix prepare present preserve print propose provide publish pull push put quote raise
    read rebase record refer refund reject release remind remove rename render reply report request reserve respect respond
    restart restore return reuse review rotate round route run save say schedule search send separate serve set share ship show
    sign skip sort speak specify spell split squash start stay stick stop store submit suggest summarise summarize switch tag take
    talk tell test throw track translate treat trim trust try type undo update upload use validate verify version wait walk warn
    wash water wear weigh wipe work wrap write
"""
IMPERATIVE_WORDS = frozenset(_IMPERATIVES.split())
IMPERATIVE = rf"(?:(?:re|re-|un|pre|over)?(?:{'|'.join(_IMPERATIVES.split())}))\b(?!-)(?!:)"

_HABITS = """
    do bill eat drink accept agree allow pair sign serve fly meet hire train teach charge deliver produce design play sell bake wear touch
    cross borrow enter drive
"""
# What happens to people, or is done at the moment.
_NO_HABIT = (
    "get|make|let|look|try|finish|wait|return|see|begin|plan|suggest|propose|hope|guess|fix|explain|assume|mind|have|need|want|trust"
)

# A word after "always" or "never" that is an order, not a complaint, a habit or a tale.
ORDERED = (
    r"(?!mind\b|been\b|ever\b|had\b|got\b|gets\b|did\b|does\b|was\b|were\b|saw\b|knew\b|knows\b|heard\b|came\b|went\b"
    r"|made\b|again\b|an?\b|the\b"
    r"|good\b|nice\b|happy\b|glad\b|fun\b|easy\b|hard\b|here\b|there\b|so\b|too\b|very\b|more\b|less\b|is\b|are\b|has\b"
    r"|it\b|that\b|this\b|has\b"
    r"|(?!need|feed|seed|embed|speed|proceed|exceed|succeed|heed)[a-z]+ed\b)[a-z\ue000@#-]"
)
COMPLAINT = (
    r"(?!forget|fail|know|seem|have\b|think|lose|break|struggle|end up|run into|hear|manage|find\b|see\b|understand|remember|wonder"
    r"|agree|learn)"
)
POLITE = r"(?:please,? |pls |plz |kindly |just |then |and |also |only )*"
START = r"(?:^|(?<=[,;:–—-] )|(?<=\band )|(?<=\bbut )|(?<=\bso ))"
"""Where a clause begins."""
HABIT_STEM = rf"(?:(?!(?:{_NO_HABIT})\b)(?:{'|'.join((*_IMPERATIVES.split(), *_HABITS.split()))}))"
HABIT = rf"{HABIT_STEM}\b(?!-)"
"""A verb of what people do as a matter of course, after "we"."""
DO_NOT = r"(?:do not|don't|dont)"
OBLIGED = r"(?:must|have to|has to|need to|needs to|should|shall|ought to|are to|is to|may|can)"
LINK = r"(?:[,;:–—]|,? (?:and|but|or|then))"
FIRST_PLURAL = r"(?:we|the team|our team|all of us)"
JUST = r"(?: just| now| finally| already| recently| all| both| also| have| had|'ve| then| therefore| jointly)*"
CHOICE_OF_ONE = (
    r"(?!(?:that|this|it|those|these|him|her|them|so|both|neither|either)(?:$|[.,;!?]| (?:one|option|way|approach|too"
    r"|then|please|instead|better)\b)"
    r"|(?:the )?(?:first|second|third|fourth|former|latter|last|other|left|right|top|bottom)\b|(?:option|approach"
    r"|variant|version|number) ?[\da-z]\b)"
)


MAXIM = re.compile(
    r"\b(?:always|never) (?:ever )?(?:underestimate|second-guess|doubt|bet (?:on|against)|argue with|mess with|judge|trust an?\b"
    r"|believe an?\b"
    r"|say (?:never|always|die)|give up|meet your|look back|work with (?:children|kids)|change a (?:running|winning)|cross a"
    r"|wake a|love|hate|laugh"
    r"|lend|play cards|go to bed|regret|grow up|skip (?:dessert|breakfast|leg day))\b"
    r"|\b(?:first|second|number one|number two|golden|cardinal) rule of (?!our\b|this\b|the (?:team|house|office|lab|project)\b)"
    r"|\brule (?:number (?:one|two|three|\d+)|#\d|no\.? ?\d) (?:of|in|at) (?!our\b|this\b|the (?:team|house|office|lab|project)\b)"
    r"|\b(?:lol|lmao|rofl|haha+|hehe+|jk|just kidding|;-?\)|xd)(?:\W|$)"
)
"""A saying or a joke in the shape of a rule."""


@dataclass(frozen=True, slots=True)
class Cue:
    """How something is said. `standing`: so that it is meant for everywhere unless the words name a place."""

    name: str
    kind: Kind
    pattern: re.Pattern[str]
    standing: bool = False


def cue(name: str, kind: Kind, *patterns: str, standing: bool = False) -> Cue:
    return Cue(name, kind, re.compile("|".join(f"(?:{pattern})" for pattern in patterns)), standing)
