"""The contract: what stands on every topic, as frozen models, and how it becomes bytes. Imports nothing of `streams`."""
