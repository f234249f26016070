"""The partition that we compute is the one that Kafka's clients pick [E1]."""

import pytest
from aiokafka.partitioner import DefaultPartitioner, murmur2
from hypothesis import given
from hypothesis import strategies as st

from streams.kafka import partitioner


@pytest.mark.spec("E1")
@given(st.binary(max_size=64), st.integers(1, 500))
def test_the_partition_is_the_one_of_the_client_library_E1(key: bytes, partitions: int) -> None:
    assert partitioner.partition_for(key, partitions) == DefaultPartitioner()(key, list(range(partitions)), [])
    assert partitioner.murmur2(key) == murmur2(key) & 0xFFFFFFFF


@pytest.mark.spec("E1")
@pytest.mark.parametrize(
    ("key", "signed"),
    # From Apache Kafka's own test of Utils.murmur2.
    [(b"21", -973932308), (b"foobar", -790332482), (b"a-little-bit-long-string", -985981536), (b"abc", 479470107)],
)
def test_the_hash_is_the_one_of_the_java_client_E1(key: bytes, signed: int) -> None:
    assert partitioner.murmur2(key) == signed & 0xFFFFFFFF
