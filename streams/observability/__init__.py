"""What a role says about itself: health, metrics, logs. Counts, ids and positions only, never a word of a record (O2, S1, S3)."""
