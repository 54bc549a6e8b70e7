"""What a network of an adapter is: a file `adapters/<name>.py` that assigns ``network`` is the network of its name."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from pydantic import ValidationError
from torch import Tensor, nn

from latentveil.config import Section
from latentveil.errors import UsageError
from latentveil.plugins import Kind
from latentveil.types import FeatureSet
from latentveil.wrong_values import wrong_value

# Far more than anybody trains; a config.json with a million layers would take hours to build.
MOST_LAYERS = 256


@dataclass(frozen=True)
class AnyNetwork:
    """A network that a config.json can name: ``build`` makes the module of ``Options``, which go into that file.

    ``describe(options)`` says for the privacy card what it is, ``about`` what such networks are.
    """

    name: str
    build: Callable[..., nn.Module]
    describe: Callable[[Any], str]
    about: str
    Options: type[Section] = Section

    def check_options(self, values: dict[str, Any]) -> Section:
        """The options with these values, the others as usual; unknown ones are refused."""
        try:
            return self.Options.model_validate(values)
        except ValidationError as error:
            problem = error.errors()[0]
            if problem["type"] == "extra_forbidden":
                name = ".".join(str(part) for part in problem["loc"])
                known = ", ".join(self.Options.model_fields) or "none"
                raise UsageError(
                    f"{name} must be an option of the network {self.name} ({known}), got {problem['input']!r}. "
                    "Leave it out."
                ) from error
            raise wrong_value(error) from error


@dataclass(frozen=True, eq=False)
class Membership:
    """What a grouped network is told of sequences: their groups (B, C), -1 for none, and which are stills (B,)."""

    group: Tensor
    still: Tensor

    def select(self, rows: list[int]) -> Membership:
        """That of some of the sequences."""
        return Membership(self.group[rows], self.still[rows])

    def to(self, device: torch.device) -> Membership:
        return Membership(self.group.to(device), self.still.to(device))


class GroupedNetwork(nn.Module):
    """A network that treats videos by the groups that they belong to, one for each of C ways to group them.

    ``forward(features, mask, membership, noise)`` takes ``membership`` besides, or None where nothing is known, and
    adds ``noise`` itself, as `Adapter.draw_noise` gives it. What it holds of groups is its key; ``forgotten`` says
    that it had one.
    """

    forgotten: bool

    @abstractmethod
    def groups_of(self, features: FeatureSet) -> dict[str, tuple[int, ...]]:
        """The numbers of the groups of each video, -1 for none."""


@dataclass(frozen=True)
class Network(AnyNetwork):
    """A network of clip features, (B, T, D) with mask (B, T) to (B, T, D), and what can be chosen about it.

    ``build(dim, options)`` makes the module. ``make_identity(module)`` makes its output equal its input; None where no
    weights can. ``run_padded(module, features, mask)`` gives the same at real clips without shapes that depend on the
    mask, for ONNX; None where the module itself is so. ``run_alone(module, features, mask)`` keeps the videos of a
    batch from seeing each other; None where they never do.
    """

    make_identity: Callable[[Any], None] | None = None
    run_padded: Callable[[Any, Tensor, Tensor], Tensor] | None = None
    run_alone: Callable[[Any, Tensor, Tensor], Tensor] | None = None


NETWORKS = Kind("network", "latentveil.adapters", Network)
