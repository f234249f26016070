"""The model port and its sides: who answers an extraction or a consolidation call."""
