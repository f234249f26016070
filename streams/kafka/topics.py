"""All topics with their configuration: created by us, and checked at every start, so that none is ever guessed [O3]."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from aiokafka.admin import AIOKafkaAdminClient, NewTopic
from aiokafka.admin.config_resource import ConfigResource, ConfigResourceType
from aiokafka.errors import TopicAlreadyExistsError, for_code

from streams.kafka.clients import admin
from streams.kafka.errors import KafkaFault, TopicsWrong
from streams.settings import Settings

_DAY_MS = 24 * 3_600_000


@dataclass(frozen=True)
class TopicSpec:
    """One topic: what its key is, whether it has a partition for each share of agents or just one, and who writes it."""

    name: str
    key: str
    written_by: str
    partitioned: bool = True
    cleanup: Literal["keep", "compact"] = "keep"
    compaction_lag_ms: int = 0  # least age of a record before compaction may remove it

    def partitions(self, settings: Settings) -> int:
        """Give the number of partitions that it must have."""
        return settings.partitions if self.partitioned else 1

    def configuration(self, settings: Settings) -> dict[str, str]:
        """Give the topic configuration that it must have."""
        wanted = {
            "message.timestamp.type": "LogAppendTime",
            "max.message.bytes": str(settings.message_max_bytes),
            "compression.type": "producer",
        }
        if self.cleanup == "keep":
            return wanted | {"cleanup.policy": "delete", "retention.ms": "-1", "retention.bytes": "-1"}
        lag = {"min.compaction.lag.ms": str(self.compaction_lag_ms)} if self.compaction_lag_ms else {}
        return wanted | lag | {"cleanup.policy": "compact", "delete.retention.ms": str(30 * _DAY_MS)}


def changelog(name: str) -> TopicSpec:
    """Give the spec of a Faust table's changelog, whose name without prefix is `name`."""
    return TopicSpec(name, "the table's key", "Faust", cleanup="compact", compaction_lag_ms=_DAY_MS)


TOPICS = (
    TopicSpec("messages", "agent", "Linger, importers, HTTP"),
    TopicSpec("tool-calls", "agent", "Linger, importers, HTTP"),
    TopicSpec("commands", "agent", "command line, console"),
    TopicSpec("extraction-requests", "agent", "activity"),
    TopicSpec("extractions", "agent", "extraction"),
    TopicSpec("extraction-marks", "agent", "extraction", cleanup="compact"),
    TopicSpec("memory-candidates", "agent", "activity, candidates, consolidation", partitioned=False),
    TopicSpec("memory", "derivation, kind, …", "consolidation", partitioned=False, cleanup="compact"),
    TopicSpec("decisions", "candidate, line", "consolidation", partitioned=False),
    TopicSpec("notes", "agent, forgets, hash", "serve", partitioned=False, cleanup="compact"),
    TopicSpec("recalls", "agent, conversation, compaction, forgets", "serve", partitioned=False),
    TopicSpec("dead-letters", "source key", "all", partitioned=False),
)

# One line for each Faust table, one table for each input topic; Faust names them `<app id>-<table>-changelog`.
CHANGELOGS: tuple[TopicSpec, ...] = (
    changelog("activity-messages-changelog"),
    changelog("activity-tool-calls-changelog"),
    changelog("activity-commands-changelog"),
)


def all_topics() -> tuple[TopicSpec, ...]:
    """Give every topic that must exist, changelogs included."""
    return TOPICS + CHANGELOGS


def topic_name(settings: Settings, name: str, generation: int = 1) -> str:
    """Give the whole name of a topic: prefix, name and, from the second on, the generation (`linger.messages.g2`)."""
    return f"{settings.topic_prefix}{name}" + (f".g{generation}" if generation > 1 else "")


async def create_topics(settings: Settings) -> list[str]:
    """Create the topics that are missing and wait till every broker's view shows them; give their names. Raises KafkaFault.

    Topics that are there stay as they are. The wait matters: the controller acknowledges before the brokers know, so that a check
    right afterwards would call a good topic missing.
    """
    async with admin(settings) as client:
        present = set(await client.list_topics())
        missing = [spec for spec in all_topics() if topic_name(settings, spec.name) not in present]
        if not missing:
            return []
        response = await client.create_topics([_new_topic(settings, spec) for spec in missing])
        created, faults = [], []
        for name, code, *message in response.topic_errors:
            if code == 0:
                created.append(name)
            elif code != TopicAlreadyExistsError.errno:
                faults.append(f"{name}: {for_code(code).__name__} {message[0] if message else ''}".strip())
        if faults:
            raise KafkaFault("These topics could not be created:\n- " + "\n- ".join(faults))
        names = [topic_name(settings, spec.name) for spec in missing]
        await _until(lambda: _have_leaders(client, names), "the new topics to be known to the brokers")
    return created


async def check_topics(settings: Settings) -> list[str]:
    """Give a sentence for every topic that is missing or configured otherwise: what, where, and the command that mends it."""
    async with admin(settings) as client:
        specs = {topic_name(settings, spec.name): spec for spec in all_topics()}
        present = sorted(set(await client.list_topics()) & specs.keys())
        partitions = {t["topic"]: len(t["partitions"]) for t in await client.describe_topics(present)} if present else {}
        configurations = await _configurations(client, present)
    problems = []
    for name, spec in specs.items():
        if name not in partitions:
            problems.append(f"Topic {name} is missing; create it with `linger-memory topics create`.")
            continue
        has, wanted = partitions[name], spec.partitions(settings)
        if has != wanted:
            mend = (
                f"set LINGER_MEMORY_PARTITIONS={has} if all partitioned topics have {has}, else delete the topic"
                if spec.partitioned
                else "delete the topic"
            )
            problems.append(
                f"Topic {name} has {_count(has)} where {wanted} must be; a key would be looked for in the wrong one. To mend it: {mend} "
                "(with a tool for Kafka; its records are lost) and run `linger-memory topics create`."
            )
        problems += [
            f"Topic {name} has {setting}={configurations[name].get(setting)} where {value} must be; "
            "set it with `linger-memory topics create --mend`."
            for setting, value in spec.configuration(settings).items()
            if not _suffices(setting, configurations[name].get(setting), value)
        ]
    return problems


async def require_topics(settings: Settings) -> None:
    """Raise TopicsWrong with every problem; a role calls it before it reads its first record."""
    problems = await check_topics(settings)
    if problems:
        raise TopicsWrong("Kafka's topics are not as they must be:\n- " + "\n- ".join(problems))


async def mend_topics(settings: Settings) -> list[str]:
    """Set the configuration of every topic that is there to what it must be, keep what else was set on it, and wait till it is in force.

    Gives the changed names. Raises KafkaFault if a broker refuses.
    """
    async with admin(settings) as client:
        specs = {topic_name(settings, spec.name): spec for spec in all_topics()}
        present = sorted(set(await client.list_topics()) & specs.keys())
        own = await _configurations(client, present, only_own=True)
        changed = await _amiss(client, settings, {name: specs[name] for name in present})
        for name, amiss in changed.items():
            # This call of Kafka's replaces all that is set on the topic.
            for response in await client.alter_configs([ConfigResource(ConfigResourceType.TOPIC, name, dict(own[name]) | amiss)]):
                for code, message, *_ in response.resources:
                    if code:
                        raise KafkaFault(f"Topic {name} could not be mended: {for_code(code).__name__} {message or ''}".strip())

        async def mended() -> bool:
            return not await _amiss(client, settings, {name: specs[name] for name in changed})

        await _until(mended, "the mended configuration to be in force")
    return list(changed)


async def _amiss(client: AIOKafkaAdminClient, settings: Settings, specs: Mapping[str, TopicSpec]) -> dict[str, dict[str, str]]:
    """Give, for each topic with a wrong setting, the settings that it should have instead."""
    effective = await _configurations(client, list(specs))
    wrong = {
        name: {k: v for k, v in spec.configuration(settings).items() if not _suffices(k, effective[name].get(k), v)}
        for name, spec in specs.items()
    }
    return {name: settings_of_topic for name, settings_of_topic in wrong.items() if settings_of_topic}


async def _have_leaders(client: AIOKafkaAdminClient, names: list[str]) -> bool:
    described = await client.describe_topics(names)
    return all(t["error_code"] == 0 and t["partitions"] and all(p["leader"] >= 0 for p in t["partitions"]) for t in described)


async def _until(condition: Callable[[], Awaitable[bool]], what: str, deadline_seconds: float = 30.0) -> None:
    loop = asyncio.get_running_loop()
    deadline = loop.time() + deadline_seconds
    while not await condition():
        if loop.time() > deadline:
            raise KafkaFault(f"Waited {deadline_seconds:.0f} s in vain for {what}; look at the brokers' logs and try again.")
        await asyncio.sleep(0.02)


def _new_topic(settings: Settings, spec: TopicSpec) -> NewTopic:
    return NewTopic(
        topic_name(settings, spec.name),
        spec.partitions(settings),
        settings.replication_factor,
        topic_configs=spec.configuration(settings),
    )


async def _configurations(client: AIOKafkaAdminClient, names: list[str], only_own: bool = False) -> dict[str, Mapping[str, str]]:
    """Give each topic's settings as they are in force; `only_own` leaves out the broker's defaults."""
    if not names:
        return {}
    found: dict[str, Mapping[str, str]] = {}
    for response in await client.describe_configs([ConfigResource(ConfigResourceType.TOPIC, name) for name in names]):
        for code, message, _, name, entries in response.resources:
            if code:
                raise KafkaFault(f"The configuration of topic {name} can't be read: {for_code(code).__name__} {message or ''}".strip())
            # An entry is name, value, read-only, source, sensitive, synonyms; source 1 is the topic's own.
            found[name] = {entry[0]: entry[1] for entry in entries if not only_own or entry[3] == 1}
    return found


def _suffices(setting: str, has: str | None, wanted: str) -> bool:
    if setting == "max.message.bytes":
        return has is not None and int(has) >= int(wanted)
    return has == wanted


def _count(partitions: int) -> str:
    return "1 partition" if partitions == 1 else f"{partitions} partitions"
