"""The adapters that are compared: the published one, and controls that change one thing each."""

from __future__ import annotations

from dataclasses import dataclass

RAW, RANDOM = "raw", "random"
STILLS, CROSS, OFF = "stills", "cross", "off"


@dataclass(frozen=True)
class Arm:
    """One way to train: what rows attend to, and between what the budget is maximised."""

    name: str
    about: str
    attends: str = "batch"
    budget: str = STILLS


ARMS = {
    arm.name: arm
    for arm in (
        Arm("released", "three bare attention layers over the batch, budget between two stills of a video"),
        Arm("time", "the same layers over the clips of a video; a still is alone", attends="time"),
        Arm(
            "budget off",
            "as released, without the budget: what training and attention do by themselves",
            budget=OFF,
        ),
        Arm("cross", "as released, the budget between a clip and a still of a video instead", budget=CROSS),
    )
}
ABOUT = {name: arm.about for name, arm in ARMS.items()} | {
    RAW: "no adapter",
    RANDOM: "every still moved as far as released moves it, in a random direction: what mere displacement does",
}
