"""The offline side of the model port: deterministic, English, in the transcript's own words (X14). docs/rules.md says what it can't do."""

from streams.models.rules.consolidator import RulesConsolidator
from streams.models.rules.extractor import RulesExtractor

__all__ = ["RulesConsolidator", "RulesExtractor"]
