"""`broker start|stop`: a real Apache Kafka on this machine [O1]."""

from pathlib import Path
from typing import Annotated

import typer

from streams.cli.output import Json, tell
from streams.cli.terminal import show_json
from streams.kafka import local_broker
from streams.kafka.errors import LocalBrokerError
from streams.settings import Settings, load_settings
from streams.supervision import locks

application = typer.Typer(help="The real single-node Kafka that we fetch and run on this machine.", no_args_is_help=True)

Data = Annotated[Path | None, typer.Option("--data", help="Folder for the broker's data; by default the data_directory setting.")]


@application.command()
def start(data: Data = None, as_json: Json = False) -> None:
    """Start it, wait till it answers, and leave it running; one that runs is left as it is."""
    settings = _local(data)
    address = local_broker.start(settings, progress=tell)
    if as_json:
        show_json({"address": address, "log": str(local_broker.log_file(settings))})
    else:
        print(f"Kafka answers at {address}; its log is {local_broker.log_file(settings)}")


@application.command()
def stop(data: Data = None, as_json: Json = False) -> None:
    """End it; its data stays. Refused while `up` or `demo` runs on it, which would start it again."""
    settings = _local(data)
    if locks.is_held(locks.everything(settings.data_directory)):
        raise LocalBrokerError(
            f"`up` or `demo` runs on {settings.data_directory} and would start the broker again. End that with Ctrl-C: the broker that it "
            "has started ends with it."
        )
    stopped = local_broker.stop(settings)
    if as_json:
        show_json({"stopped": stopped})
    else:
        print("Kafka has ended; its data stays." if stopped else "No local Kafka was running.")


def _local(data: Path | None) -> Settings:
    settings = load_settings(data_directory=data)
    if settings.bootstrap_servers:
        raise LocalBrokerError(
            f"bootstrap_servers is set to {settings.bootstrap_servers}, so the local broker is not used; unset it to start or stop one."
        )
    return settings
