"""Client settings as a library takes them: YAML for Spring, Python, Go and JavaScript, each with its reasons."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from ...model.units import DURATION_UNITS, parse_duration, parse_integer
from .formats import as_data, as_properties, in_library
from .libraries import Library, Own, Side
from .libraries.java import JAVA
from .model import Client, Property

_SUFFIXES = {"properties": "properties", "spring": "yaml", "librdkafka": "json", "python": "py", "kafkajs": "js"}
_GO_UNITS = {"h": "time.Hour", "m": "time.Minute", "s": "time.Second", "ms": "time.Millisecond"}
_PYTHON = {
    "kafka-python": {"producer": "KafkaProducer", "consumer": "KafkaConsumer"},
    "aiokafka": {"producer": "AIOKafkaProducer", "consumer": "AIOKafkaConsumer"},
}
# Lists in Go name the type of their items; an option without one takes them as arguments.
_GO_LISTS = {"Consumer.Group.Rebalance.GroupStrategies": "BalanceStrategy", "GroupBalancers": "GroupBalancer"}
# What KafkaJS takes in its methods, not when the client is created.
_KAFKAJS_METHODS = {
    "acks": "send",
    "timeout": "send",
    "compression": "send",
    "fromBeginning": "subscribe",
    "autoCommit": "run",
    "autoCommitInterval": "run",
    "autoCommitThreshold": "run",
    "eachBatchAutoResolve": "run",
    "partitionsConsumedConcurrently": "run",
}


def suffix(client: Client) -> str:
    """The end of a file's name."""
    return _SUFFIXES.get(_library(client).style, "go")


def as_native(client: Client) -> str:
    """The settings as its library takes them; Java properties if no library is declared."""
    return _STYLES[_library(client).style](client, _library(client))


def _library(client: Client) -> Library:
    return client.library or JAVA


def _properties(client: Client, _: Library) -> str:
    return as_properties(client)


def _json(client: Client, library: Library) -> str:
    return json.dumps(as_data(client, library), indent=2) + "\n"


def _spring(client: Client, _: Library) -> str:
    """`application.yaml`. Brackets keep the dots of a name."""
    lines = [f"# {client.title}", "spring:", "  kafka:", f"    {client.kind}:", "      properties:"]
    for line in as_properties(client).split("\n")[1:]:
        name, separator, value = line.partition("=")
        if line.startswith("# note: "):
            lines.append(line)
        elif line.startswith("#"):
            lines.append(f"        {line}")
        elif separator:
            lines.append(f'        "[{name}]": {json.dumps(value)}')
    return "\n".join(lines) + "\n"


def _python(client: Client, library: Library) -> str:
    made = _PYTHON[library.name][client.kind]
    found, notes = in_library(client, library)
    lines = [f"# {client.title}", f"{client.kind} = {made}("]
    for item in found:
        own = _own(client, library, item)
        lines += [f"    # {_line(item.reason)}", f"    {item.name}={_python_value(item.value, own)},"]
    return "\n".join([*lines, ")", *(f"# note: {_line(note)}" for note in notes)]) + "\n"


def _python_value(value: str, own: Own) -> str:
    if own.form == "code":
        return f"[{value.replace(',', ', ')}]"
    if value in ("true", "false"):
        return value.title()
    return value if parse_integer(value) is not None else json.dumps(value)


def _sarama(client: Client, library: Library) -> str:
    lines = [f"// {client.title}", "config := sarama.NewConfig()"]
    found, notes = in_library(client, library)
    for item in found:
        value = _go_value(item, _own(client, library, item), "sarama.", "")
        lines += [f"// {_line(item.reason)}", f"config.{item.name} = {value}"]
    return _with_notes(lines, notes)


def _franz_go(client: Client, library: Library) -> str:
    lines = [f"// {client.title}", "opts := []kgo.Opt{"]
    found, notes = in_library(client, library)
    for item in found:
        own = _own(client, library, item)
        if own.form == "flag" or item.name == "ServerSideBalancer":
            if item.value == "true":
                lines += [f"\t// {_line(item.reason)}", f"\tkgo.{item.name}(),"]
            continue
        call = "()" if item.name in ("FetchIsolationLevel", "RequiredAcks") else ""
        value = _go_value(item, own, "kgo.", call)
        if item.name in ("ConsumeStartOffset", "ConsumeResetOffset"):
            value = f"kgo.NewOffset().{item.value.removesuffix('()').rsplit('.', 1)[-1]}()"
        lines += [f"\t// {_line(item.reason)}", f"\tkgo.{item.name}({value}),"]
    return _with_notes([*lines, "}"], notes)


def _kafka_go(client: Client, library: Library) -> str:
    made = "writer := &kafka.Writer{" if client.kind == "producer" else "reader := kafka.NewReader(kafka.ReaderConfig{"
    lines = [f"// {client.title}", made]
    found, notes = in_library(client, library)
    for item in found:
        value = _go_value(item, _own(client, library, item), "kafka.", "")
        lines += [f"\t// {_line(item.reason)}", f"\t{item.name}: {value},"]
    return _with_notes([*lines, "}" if client.kind == "producer" else "})"], notes)


def _go_value(item: Property, own: Own, package: str, call: str) -> str:
    """A value as Go code: a constant of the package, a duration, a number, objects, or text."""
    if own.form == "code":
        objects = ", ".join(package + each.strip().removeprefix(package) for each in item.value.split(","))
        kind = _GO_LISTS.get(item.name)
        return objects if kind is None else f"[]{package}{kind}{{{objects}}}"
    if item.value in (word for word, _ in own.words) and parse_integer(item.value) is None:
        return f"{package}{item.value}{call}"
    if item.name in ("Producer.Partitioner", "RecordPartitioner"):
        return f"{package}{item.value}"
    if item.name == "Balancer":
        return item.value
    if own.form == "duration":
        return _go_duration(item.value)
    if own.form != "text" and (item.value in ("true", "false") or parse_integer(item.value) is not None):
        return item.value
    return json.dumps(item.value)


def _go_duration(value: str) -> str:
    amount = parse_duration(value)
    if amount is None:
        return json.dumps(value)
    for unit, name in _GO_UNITS.items():
        if amount % DURATION_UNITS[unit] == 0:
            return f"{amount // DURATION_UNITS[unit]} * {name}"
    return f"{amount} * time.Millisecond"


def _kafkajs(client: Client, library: Library) -> str:
    found, notes = in_library(client, library)
    lines = [f"// {client.title}", f"const {client.kind} = kafka.{client.kind}({{"]
    lines += _kafkajs_options([item for item in found if item.name not in _KAFKAJS_METHODS], client, library)
    lines.append("})")
    for method in ("send", "subscribe", "run"):
        options = [item for item in found if _KAFKAJS_METHODS.get(item.name) == method]
        if options:
            lines += [f"const {method}Options = {{", *_kafkajs_options(options, client, library), "}"]
    return _with_notes(lines, notes)


def _kafkajs_options(items: list[Property], client: Client, library: Library) -> list[str]:
    lines: list[str] = []
    nested = [item for item in items if item.name.startswith("retry.")]
    for item in items:
        if item not in nested:
            value = _js_value(item, _own(client, library, item))
            lines += [f"  // {_line(item.reason)}", f"  {item.name}: {value},"]
    if nested:
        lines.append("  retry: {")
        for item in nested:
            value = _js_value(item, _own(client, library, item))
            lines += [f"    // {_line(item.reason)}", f"    {item.name.removeprefix('retry.')}: {value},"]
        lines.append("  },")
    return lines


def _js_value(item: Property, own: Own) -> str:
    if own.form == "code":
        return f"[{', '.join(each.strip() for each in item.value.split(','))}]"
    is_code = item.name == "createPartitioner"
    plain = own.form != "text" and (item.value in ("true", "false") or parse_integer(item.value) is not None)
    return item.value if is_code or plain else json.dumps(item.value)


def _own(client: Client, library: Library, item: Property) -> Own:
    side: Side = "producer" if client.kind == "producer" else "consumer"
    return library.settings(side).get(item.name, Own())


def _with_notes(lines: list[str], notes: list[str]) -> str:
    return "\n".join([*lines, *(f"// note: {_line(note)}" for note in notes)]) + "\n"


def _line(text: str) -> str:
    return " ".join(text.split())


_STYLES: Mapping[str, Callable[[Client, Library], str]] = {
    "properties": _properties,
    "spring": _spring,
    "librdkafka": _json,
    "python": _python,
    "sarama": _sarama,
    "franz-go": _franz_go,
    "kafka-go": _kafka_go,
    "kafkajs": _kafkajs,
}
