"""Kafka's own way from a key to a partition, so that every record's partition can be checked [E1]."""

_MASK = 0xFFFFFFFF
_MULTIPLIER = 0x5BD1E995
_SEED = 0x9747B28C


def murmur2(data: bytes) -> int:
    """Give the 32-bit hash of Kafka's Java client (`Utils.murmur2`), as an unsigned number."""
    hashed = _SEED ^ len(data)
    whole = len(data) & ~3
    for at in range(0, whole, 4):
        word = int.from_bytes(data[at : at + 4], "little") * _MULTIPLIER & _MASK
        word = (word ^ word >> 24) * _MULTIPLIER & _MASK
        hashed = hashed * _MULTIPLIER & _MASK ^ word
    if whole < len(data):
        hashed = (hashed ^ int.from_bytes(data[whole:], "little")) * _MULTIPLIER & _MASK
    hashed = (hashed ^ hashed >> 13) * _MULTIPLIER & _MASK
    return hashed ^ hashed >> 15


def partition_for(key: bytes, partitions: int) -> int:
    """Give the partition, from 0, that Kafka's default partitioner picks for `key`."""
    return (murmur2(key) & 0x7FFFFFFF) % partitions
