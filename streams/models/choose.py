"""Which side of the model port answers: the one place that knows them all (X13, X14)."""

from streams.models.port import Consolidator, Extractor
from streams.models.rules import RulesConsolidator, RulesExtractor
from streams.settings import Settings


def extractor(settings: Settings) -> Extractor:
    """The side that answers extraction calls: `rules`, which needs no key and no network."""
    return RulesExtractor()


def consolidator(settings: Settings) -> Consolidator:
    """The side that answers consolidation calls; the same as for extraction."""
    return RulesConsolidator()
