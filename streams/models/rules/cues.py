"""The cues: how people say in English that something is a rule, a preference, a decision, a correction or a fact (X14). Pure.

Each is looked for in one masked sentence (lower case, quoted text and code hidden), whose fillers at the start are gone. They are general
phrases; none may be there for the sake of one transcript. The first that is found counts.
"""

from streams.models.rules.conventions import CONVENTIONS
from streams.models.rules.orders import LASTING_ORDERS
from streams.models.rules.other_cues import (
    BINDING,
    CORRECTIONS,
    DECISIONS,
    FACTS,
    ORDER,
    PREFERENCES,
    REMEMBER,
    REVERSALS,
    UNDECIDED,
    USES,
    WARNING,
)
from streams.models.rules.phrases import MAXIM, Cue
from streams.models.rules.rule_cues import RULES

__all__ = ["ALL", "FACTS", "MAXIM", "ORDER", "REMEMBER", "UNDECIDED", "USES", "WARNING", "Cue"]

ALL = (*RULES, REMEMBER, WARNING, *LASTING_ORDERS, BINDING, *CONVENTIONS, REVERSALS, DECISIONS, *CORRECTIONS, PREFERENCES, FACTS)
"""In this order, so that a standing rule goes before a preference that it is said with."""
