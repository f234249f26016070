"""Everything that speaks with Kafka, and the broker that we can run ourselves."""
