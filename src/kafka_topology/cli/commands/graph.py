"""`kafka-topology graph`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..arguments import environment_option, focus_option, format_option, topology_argument
from ..drawing import drawn_graph
from ..exits import Command, Exit
from ..loading import load_or_exit, loaded_topology
from ..writing import files_of, output_option, with_file, write_outputs

if TYPE_CHECKING:
    from kafka_topology.report.findings.formats import Output

EPILOG = """\b
Examples:
  kafka-topology graph topology/ > topology.mmd
  kafka-topology graph topology/ --format svg=topology.svg
  kafka-topology graph topology/ --env prod --focus shop.orders
"""
EXITS = {
    Exit.FINE: "drawn",
    Exit.UNUSABLE: "the files cannot be read as a topology, or nothing has the name given with --focus",
}


@click.command(name="graph", cls=Command, exits=EXITS, epilog=EPILOG)
@topology_argument
@environment_option
@format_option(["mermaid", "svg", "json"], "GitHub and GitLab draw mermaid in Markdown.")
@focus_option
@output_option()
def command(
    *, path: Path, environment: str | None, outputs: tuple[Output, ...], focus: str | None, output: Path | None
) -> None:
    """Draw the topology at PATH, a file or a folder: producers, topics, groups and streams applications by team."""
    from kafka_topology.graph.data import as_json
    from kafka_topology.graph.mermaid import as_mermaid, too_large
    from kafka_topology.graph.svg import as_svg

    outputs = with_file(outputs, output)
    loaded = load_or_exit(path, environment)
    graph = drawn_graph(loaded_topology(loaded), focus)

    def rendered(name: str) -> str:
        drawn = {"mermaid": as_mermaid, "svg": as_svg, "json": as_json}[name](graph)
        reason = too_large(graph, drawn) if name == "mermaid" else None
        if reason is not None:
            click.echo(f"GitHub will not draw this chart ({reason}); draw a part of it with --focus NAME", err=True)
        return drawn

    write_outputs(outputs, rendered, files_of(path, loaded))
