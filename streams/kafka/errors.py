"""What can go wrong between us and Kafka, in words for people."""

from streams.errors import LingerMemoryError


class KafkaFault(LingerMemoryError):
    """Root of this package's exceptions."""


class BrokerUnavailable(KafkaFault):
    """No broker answers: none is running, the address is wrong, or the log-in was refused."""


class LocalBrokerError(KafkaFault):
    """The local broker can't be fetched, started or stopped; the message says what to do."""


class PortTaken(LocalBrokerError):
    """Another program has the local broker's port: trying again is no use."""


class TopicsWrong(KafkaFault):
    """Topics are missing or configured otherwise than they must be; the message has one sentence each [O3]."""


class OffsetGone(KafkaFault):
    """An offset that was asked for is not in the partition: not yet, or no longer. Reading elsewhere would be a silent loss."""
