"""The pipeline, from a record in Kafka to a file in a workspace and a hidden note."""
