"""`kafka-topology graph`."""

from __future__ import annotations

from pathlib import Path

import click

from kafka_topology.cli.loading import topology_or_exit

EPILOG = """\b
Examples:
  kafka-topology graph topology/ > topology.mmd
  kafka-topology graph topology/ --format svg --output topology.svg
  kafka-topology graph topology/ --env prod --focus shop.orders
"""


@click.command(name="graph", epilog=EPILOG)
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--env", "environment", metavar="NAME", help="Lay this environment over the topology.")
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["mermaid", "svg", "json"]),
    default="mermaid",
    show_default=True,
    help="Mermaid is what GitHub and GitLab draw in Markdown.",
)
@click.option(
    "--focus",
    metavar="NAME",
    help="Only what feeds this resource and what it feeds; or, with a team's name, the team and its neighbours.",
)
@click.option("--output", metavar="FILE", type=click.Path(path_type=Path), help="Write to this file, not to stdout.")
def command(path: Path, environment: str | None, output_format: str, focus: str | None, output: Path | None) -> None:
    """Draw the topology at PATH, a file or a folder: producers, topics, groups and streams applications by team.

    \b
    Exit codes: 0 drawn, 2 the files cannot be read as a topology, or nothing has the name to focus on.
    """
    from kafka_topology.cli.writing import write_or_exit
    from kafka_topology.graph import UnknownName, focused, topology_graph
    from kafka_topology.graph.data import as_json
    from kafka_topology.graph.mermaid import as_mermaid, too_large
    from kafka_topology.graph.svg import as_svg

    graph = topology_graph(topology_or_exit(path, environment))
    if focus is not None:
        try:
            graph = focused(graph, focus)
        except UnknownName as unknown:
            raise click.BadParameter(str(unknown), param_hint="--focus") from unknown
    drawn = {"mermaid": as_mermaid, "svg": as_svg, "json": as_json}[output_format](graph)
    reason = too_large(graph, drawn) if output_format == "mermaid" else None
    if reason is not None:
        click.echo(f"GitHub will not draw this chart ({reason}); draw a part of it with --focus NAME", err=True)
    if output is None:
        click.echo(drawn, nl=False)
    else:
        write_or_exit(output, drawn)
