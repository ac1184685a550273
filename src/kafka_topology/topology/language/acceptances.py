"""The language of `accept`: risks of a change that somebody accepts, for a while."""

from __future__ import annotations

from ..model import declared as model
from .fields import DAY
from .structures import Field, Structure
from .terms import TEXT

ACCEPTANCE = Structure(
    "an acceptance",
    (
        Field("change", TEXT, "The change, in the words with which a review names it.", required=True),
        Field("reason", TEXT, "Why the risk is acceptable. The review shows it.", required=True),
        Field("ticket", TEXT, "Any text that leads to the decision, such as a ticket number."),
        Field("until", DAY, "The last day (UTC) on which it counts. Afterwards the change fails again.", required=True),
    ),
    model.Acceptance,
    definition="acceptance",
)
