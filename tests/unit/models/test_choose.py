"""Without a key the offline side answers (X14)."""

from streams.models.choose import consolidator, extractor
from streams.models.port import Consolidator, Extractor
from streams.settings import load_settings


def test_the_rules_side_is_chosen_where_there_is_no_key_X14() -> None:
    settings = load_settings()
    extracts: Extractor = extractor(settings)
    consolidates: Consolidator = consolidator(settings)
    assert (extracts.name, consolidates.name) == ("rules", "rules")
    assert extracts.prompt.startswith("rules-") and consolidates.prompt.startswith("rules-")
    assert extracts.fixed_tokens == consolidates.fixed_tokens == 0
