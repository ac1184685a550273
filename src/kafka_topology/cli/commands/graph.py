"""`kafka-topology graph`."""

from __future__ import annotations

from pathlib import Path

import click

from ..arguments import environment_option, focus_option, format_option, topology_argument
from ..drawing import drawn_graph
from ..exits import Command, Exit
from ..loading import load_or_exit, loaded_topology
from ..writing import emit, files_of, keep_inputs, output_option

EPILOG = """\b
Examples:
  kafka-topology graph topology/ > topology.mmd
  kafka-topology graph topology/ --format svg --output topology.svg
  kafka-topology graph topology/ --env prod --focus shop.orders
"""
EXITS = {
    Exit.FINE: "drawn",
    Exit.UNUSABLE: "the files cannot be read as a topology, or nothing has the name given with --focus",
}


@click.command(name="graph", cls=Command, exits=EXITS, epilog=EPILOG)
@topology_argument
@environment_option
@format_option(["mermaid", "svg", "json"], "Output format. GitHub and GitLab draw mermaid in Markdown.")
@focus_option
@output_option()
def command(path: Path, environment: str | None, output_format: str, focus: str | None, output: Path | None) -> None:
    """Draw the topology at PATH, a file or a folder: producers, topics, groups and streams applications by team."""
    from kafka_topology.graph.data import as_json
    from kafka_topology.graph.mermaid import as_mermaid, too_large
    from kafka_topology.graph.svg import as_svg

    loaded = load_or_exit(path, environment)
    keep_inputs(output, files_of(path, loaded))
    graph = drawn_graph(loaded_topology(loaded), focus)
    drawn = {"mermaid": as_mermaid, "svg": as_svg, "json": as_json}[output_format](graph)
    reason = too_large(graph, drawn) if output_format == "mermaid" else None
    if reason is not None:
        click.echo(f"GitHub will not draw this chart ({reason}); draw a part of it with --focus NAME", err=True)
    emit(drawn, output)
