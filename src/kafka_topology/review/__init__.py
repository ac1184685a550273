"""What a change of a topology does: two versions to classed changes, each with its reason and its effects."""

from .changes import Action, Change, Effect, Risk
from .compare import compare
from .live import Live

__all__ = ["Action", "Change", "Effect", "Live", "Risk", "compare"]
