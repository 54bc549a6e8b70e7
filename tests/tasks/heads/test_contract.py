"""Every head keeps the contract of its kind, and the contract can tell when one does not."""

from dataclasses import replace

import pytest

from latentveil.tasks.action import ActionTask
from latentveil.tasks.detection.config import TriDetConfig
from latentveil.tasks.heads.base import HEADS
from latentveil.tasks.heads.linear import head as linear
from latentveil.tasks.heads.tridet import detection_task
from latentveil.tasks.heads.tridet_released import head as released
from latentveil.testing import ContractBroken, check_head

# As published it pads every video to 2304 clips; the same head of a smaller size keeps the same promises.
RELEASED = replace(
    TriDetConfig.released(), width=64, mlp_width=96, norm_groups=8, num_levels=4, max_clips=128
)
SMALLER = {"tridet-released": replace(released, build=lambda data: detection_task(data, RELEASED))}


@pytest.mark.parametrize("name", HEADS.names())
def test_every_head_keeps_its_contract(name):
    check_head(SMALLER.get(name, name))


class Dead(ActionTask):
    def loss(self, head, features, batch):
        return 0 * super().loss(head, features, batch)


class Peeking(ActionTask):
    def batches(self, *, seed):
        for batch in super().batches(seed=seed):
            yield replace(batch, features=batch.features + float(self.videos.features.feature.mean()))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"build": lambda data: Dead(data.features, data.labels)}, "must have a gradient"),
        (
            {"build": lambda data: Peeking(data.features, data.labels)},
            "must learn from training videos alone",
        ),
        ({"task": "anomaly"}, "must build the task anomaly"),
        ({"task": "gait"}, "must be one of action, detection, anomaly, got 'gait'"),
    ],
)
def test_a_head_that_breaks_a_promise_is_found_out(changes, said):
    with pytest.raises(ContractBroken, match=said):
        check_head(replace(linear, **changes))
