"""Beyond weights: how much each key really adds, and where attention leads through all layers."""

from clearhead.lenses.contribution.rollout import ROLLOUT_IS, rollout
from clearhead.lenses.contribution.sizes import CONTRIBUTION_IS, contribution

__all__ = ["CONTRIBUTION_IS", "ROLLOUT_IS", "contribution", "rollout"]
