"""All settings, from the environment (`LINGER_MEMORY_…`) and the TOML file that `LINGER_MEMORY_CONFIG` names [O4].

An argument goes before the environment, the environment before the file, the file before the default.
"""

import difflib
import os
import re
import socket
import tomllib
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field, ValidationError, model_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from streams.errors import LingerMemoryError

PREFIX = "LINGER_MEMORY_"
CONFIG_VARIABLE = "LINGER_MEMORY_CONFIG"


class SettingsError(LingerMemoryError):
    """One or more settings are wrong; the message names every one, where it was set, and what to do."""


def _data_directory() -> Path:
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local/share") / "linger-memory"


def _instance() -> str:
    """The ordinal at the end of a host name, as in `activity-3`; "0" where there is none."""
    ordinal = re.search(r"-(\d+)$", socket.gethostname())
    return ordinal.group(1) if ordinal else "0"


class Settings(BaseSettings):
    """One field, one line of description, the unit in its name. Frozen."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, frozen=True, extra="forbid", env_ignore_empty=True)

    # Kafka
    bootstrap_servers: str | None = Field(None, description="Addresses of Kafka brokers, host:port, comma between; none: the local broker.")
    topic_prefix: str = Field("linger.", pattern=r"^[A-Za-z0-9._-]{0,64}$", description="Stands before the name of each topic and group.")
    partitions: int = Field(8, ge=1, le=10_000, description="Partitions of each topic that is keyed by agent; chosen once.")
    replication_factor: int = Field(1, ge=1, le=32_767, description="Copies of each partition that the brokers keep.")
    max_event_bytes: int = Field(8_388_608, ge=65_536, le=64 << 20, description="Longest accepted value of a record, in bytes [E6].")
    batch_records_max: int = Field(2_000, ge=1, le=100_000, description="Most records that one poll returns.")
    fetch_max_bytes: int = Field(4_194_304, ge=65_536, description="Most bytes that one fetch returns for a partition, in bytes.")
    session_timeout_seconds: float = Field(30.0, ge=6, le=1_800, description="A worker silent for so long has left its group.")
    instance: str = Field(
        default_factory=_instance,
        pattern=r"^[A-Za-z0-9._-]{1,64}$",
        description="Name of this process among its peers; must survive a restart.",
    )
    source_name: str = Field(
        "linger-memory", min_length=1, max_length=128, description="Boot source under which we send events of our own."
    )

    # Kafka's security
    security_protocol: Literal["PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"] = Field(
        "PLAINTEXT", description="How brokers are reached."
    )
    sasl_mechanism: Literal["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"] = Field("SCRAM-SHA-512", description="How we log in with SASL.")
    sasl_username_file: Path | None = Field(None, description="File that holds the user name for SASL.")
    sasl_password_file: Path | None = Field(None, description="File that holds the password for SASL.")
    ssl_ca_file: Path | None = Field(None, description="File of certificate authorities in PEM; none: those of the system.")

    # Places
    data_directory: Path = Field(default_factory=_data_directory, description="Folder for the local broker and caches.")
    workspaces_directory: Path = Field(
        default_factory=lambda data: data.get("data_directory", _data_directory()) / "workspaces",
        description="Folder that all workspaces lie under; by default in the data directory.",
    )
    broker_port: int = Field(
        19_092, ge=0, le=65_534, description="Port of the local broker on 127.0.0.1, its controller the next; 0: free ones."
    )

    # Activity
    idle_after_seconds: float = Field(3_600.0, gt=0, description="An agent without a run for so long is idle [A6].")
    run_timeout_seconds: float = Field(21_600.0, gt=0, description="A run that never finished is over after so long [A6].")
    tick_every_seconds: float = Field(60.0, gt=0, description="Least time between two ticks of the clock in a quiet partition [A6].")
    overdue_after_seconds: float = Field(
        86_400.0, gt=0, description="A cut without a licence for so long makes the next quiet moment idle [A6]."
    )
    overdue_any_after_seconds: float = Field(172_800.0, gt=0, description="A cut without a licence for so long makes any moment idle [A6].")
    runs_per_cut: int = Field(5, ge=1, le=1_000, description="Successful runs that make one extraction request [A3].")

    # Models and extraction
    default_model: str = Field("rules", min_length=1, description="Model of an agent that has named none.")
    default_window_tokens: int = Field(200_000, ge=8_192, description="Context window of an agent that has named none, in tokens.")
    step_max_tokens: int = Field(128_000, ge=1_024, description="Most tokens of one model call, whatever the window [X2].")
    attempts_max: int = Field(3, ge=1, le=100, description="Tries of one model call before its chunk is parked [X11].")
    crashes_max: int = Field(10, ge=1, le=1_000, description="Calls of one chunk that may end in a crash before it is parked [X11].")
    extraction_concurrency: int = Field(4, ge=1, le=1_000, description="Model calls at one time.")
    consolidation_concurrency: int = Field(4, ge=1, le=1_000, description="Model calls for consolidation at one time.")
    call_timeout_seconds: float = Field(600.0, gt=0, description="A model call that takes longer has failed.")
    retry_first_seconds: float = Field(1.0, gt=0, description="Pause before the second try of a model call; it doubles with each more.")
    retry_most_seconds: float = Field(60.0, gt=0, description="Longest pause between tries, up to attempts_max.")
    outage_retry_seconds: float = Field(900.0, gt=0, description="Pause after attempts_max failed consolidation calls; doubles to a day.")

    # Operation
    health_host: str = Field("127.0.0.1", description="Address that the health page listens on.")
    health_port: int = Field(0, ge=0, le=65_535, description="Port of the health page; 0: off.")
    beat_timeout_seconds: float = Field(120.0, gt=0, description="A role whose main loop was silent for so long hangs: /livez fails [O2].")
    stop_grace_seconds: float = Field(25.0, gt=0, description="After SIGTERM a role ends within so long, or is cut off [O2].")
    start_timeout_seconds: float = Field(120.0, gt=0, description="`up` waits so long for the broker and for each role to be ready [O1].")
    start_tries_max: int = Field(6, ge=1, le=1_000, description="Short lives in a row of a role after which `up` gives up [O1].")
    log_level: Literal["debug", "info", "warning", "error"] = Field("info", description="Least level that is logged.")

    @property
    def message_max_bytes(self) -> int:
        """Size limit of topics and producers, in bytes: the longest value and 1 MiB for its key, headers and framing."""
        return self.max_event_bytes + (1 << 20)

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        faults = []
        if self.security_protocol.startswith("SASL"):
            faults += [
                f"{name} is needed with {self.security_protocol}"
                for name in ("sasl_username_file", "sasl_password_file")
                if not getattr(self, name)
            ]
        for name in ("sasl_username_file", "sasl_password_file", "ssl_ca_file"):
            file = getattr(self, name)
            if file is not None and not file.is_file():
                faults.append(f"{name}: there is no file {file}")
        if self.overdue_any_after_seconds < self.overdue_after_seconds:
            faults.append("overdue_any_after_seconds must not be less than overdue_after_seconds")
        if faults:
            raise ValueError("; ".join(faults))
        return self

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return (init_settings, env_settings)


def load_settings(**overrides: Any) -> Settings:
    """Give the settings in force; `overrides` go before everything else, and one that is None is as if not given.

    Raises SettingsError, which names every wrong setting at once.
    """
    given = {name: value for name, value in overrides.items() if value is not None}
    path = os.environ.get(CONFIG_VARIABLE)
    from_file = _read_file(Path(path)) if path else {}
    in_environment = {name for name in Settings.model_fields if os.environ.get(PREFIX + name.upper())}
    values = {name: value for name, value in from_file.items() if name not in in_environment} | given
    lines = _unknown_variables()
    try:
        settings = Settings(**values)
    except ValidationError as error:
        for fault in error.errors(include_url=False):
            if fault["type"] == "default_factory_not_called":
                continue  # follows from another fault that is named
            name = str(fault["loc"][0]) if fault["loc"] else ""
            where = _origin(name, given, in_environment, path) if name else "the settings together"
            lines.append(f"- {name or 'settings'} ({where}): {_in_words(name, fault['type'], fault['msg'])}")
    if lines:
        raise SettingsError("These settings are wrong; correct them and start again:\n" + "\n".join(lines))
    return settings


def _unknown_variables() -> list[str]:
    """A line for each variable with our prefix that is no setting: a mistyped one would be passed over in silence."""
    known = {PREFIX + name.upper() for name in Settings.model_fields} | {CONFIG_VARIABLE, "LINGER_MEMORY_CI_MARK"}
    lines = []
    for name in sorted(os.environ):
        strange = name.startswith(PREFIX) and os.environ[name] and name not in known and not name.startswith(PREFIX + "TEST_")
        if strange and not _made_by_kubernetes(name, os.environ[name]):
            near = difflib.get_close_matches(name, known, n=1, cutoff=0.8)
            hint = f"; {near[0]} is one" if near else ""
            lines.append(f"- {name.removeprefix(PREFIX).lower()} (environment variable {name}): there is no such setting{hint}")
    return lines


def _made_by_kubernetes(name: str, value: str) -> bool:
    """Whether it tells a pod of a service whose name begins as ours does, such as `linger-memory-serve`."""
    told = re.search(r"_SERVICE_(HOST|PORT)|_PORT_\d+_(TCP|UDP|SCTP)", name)
    return bool(told) or (name.endswith("_PORT") and re.match(r"(tcp|udp|sctp)://", value) is not None)


def _read_file(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SettingsError(
            f"{CONFIG_VARIABLE} names {path}, which can't be read ({error.strerror}); correct the path or unset it."
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path}, named by {CONFIG_VARIABLE}, is no TOML: {error}.") from None


def _origin(name: str, given: dict[str, Any], in_environment: set[str], path: str | None) -> str:
    if name in given:
        return "given as an argument"
    if name in in_environment:
        return f"environment variable {PREFIX}{name.upper()}"
    return f"file {path}" if path else "default"


def _in_words(name: str, kind: str, message: str) -> str:
    if kind == "extra_forbidden":
        return "there is no such setting"
    field = Settings.model_fields.get(name)
    meaning = f" {field.description}" if field and field.description else ""
    return message.removeprefix("Value error, ") + "." + meaning
