"""The graders do what the publications say, weaknesses included, and never stop early."""

from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

import latentveil
from latentveil.bench.graders import GRADERS, Attributes, base, paper, released
from latentveil.bench.graders.cmap import cmap
from latentveil.bench.graders.paper import PaperGrader
from latentveil.bench.graders.released import ReleasedGrader, UnitLogits
from latentveil.bench.graders.spact_f1 import spact_f1
from latentveil.errors import InputError


def stills(count, *, seed, dim=8, num_attributes=7):
    random = np.random.default_rng(seed)
    feature = random.normal(size=(count, dim)).astype(np.float32)
    noise = random.normal(size=(count, num_attributes))
    weight = np.random.default_rng(99).normal(size=(dim, num_attributes))
    return Attributes(feature, (feature @ weight + noise > 0).astype(np.int64))


@pytest.fixture(scope="module")
def train():
    return stills(300, seed=0)


@pytest.fixture(scope="module")
def test():
    return stills(200, seed=1)


@pytest.mark.parametrize("grader", GRADERS.all(), ids=lambda grader: grader.name)
@pytest.mark.parametrize("num_attributes", [7, 5])
def test_every_grader_learns_from_several_attributes_at_once(grader, num_attributes):
    train, test = (stills(count, seed=count, num_attributes=num_attributes) for count in (400, 200))
    found = grader.grade(train, test, seed=0)
    assert found.logits.shape == (200, num_attributes)
    assert (
        cmap.value(test.target, found.logits) > cmap.value(test.target, np.zeros((200, num_attributes))) + 0.1
    )
    assert grader.about


@pytest.mark.parametrize("grader", GRADERS.all(), ids=lambda grader: grader.name)
def test_a_grader_trains_all_its_epochs_where_nothing_can_be_learned(grader, monkeypatch, train, test):
    epochs = []
    for module in (paper, released):
        monkeypatch.setattr(
            module, "train_epoch", lambda *given: epochs.append(1) or base.train_epoch(*given)
        )
    constant = Attributes(np.zeros_like(train.feature), train.target)
    grader.grade(constant, test, seed=0)
    assert len(epochs) == 100


def plain_training(train, *, batch_size, epochs, after=None):
    """The printed recipe as one loop, without a schedule: the network after every epoch, yielded."""
    torch.manual_seed(0)
    dim, num_attributes = train.feature.shape[1], train.target.shape[1]
    network = nn.Sequential(nn.Linear(dim, dim), nn.ReLU(), nn.Linear(dim, num_attributes))
    optimizer = torch.optim.AdamW(network.parameters(), lr=1e-3)
    generator = torch.Generator().manual_seed(0)
    x, y = torch.from_numpy(train.feature), torch.from_numpy(train.target).float()
    for _ in range(epochs):
        for rows in torch.randperm(len(x), generator=generator).split(batch_size):
            z = network(x[rows])
            z = z / z.norm(dim=1, keepdim=True) if after == "unit" else z
            loss = -(y[rows] * z.sigmoid().log() + (1 - y[rows]) * (1 - z.sigmoid()).log()).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        yield network


def test_the_public_grader_reports_the_best_test_epoch_of_unit_logits(train, test):
    found, x = {}, torch.from_numpy(test.feature)
    for epoch, network in enumerate(
        plain_training(train, batch_size=1024, epochs=100, after="unit"), start=1
    ):
        if epoch % 5 == 0:
            with torch.no_grad():
                logits = network(x)
                found[epoch] = (logits / logits.norm(dim=1, keepdim=True)).numpy()
    best = max(found, key=lambda epoch: cmap.value(test.target, found[epoch]))
    grade = ReleasedGrader().grade(train, test, seed=0)
    assert grade.epoch == best
    np.testing.assert_allclose(grade.logits, found[best], atol=1e-4)
    np.testing.assert_allclose(np.linalg.norm(grade.logits, axis=1), 1, atol=1e-5)


def test_without_its_peculiarities_it_is_the_last_epoch_of_plain_logits(train, test):
    *_, network = plain_training(train, batch_size=1024, epochs=100)
    grade = ReleasedGrader(unit_logits=False, chooses_epoch=False).grade(train, test, seed=0)
    assert grade.epoch == 100
    with torch.no_grad():
        np.testing.assert_allclose(grade.logits, network(torch.from_numpy(test.feature)).numpy(), atol=1e-4)


def test_unit_logits_forget_how_sure_a_still_is():
    logits = torch.tensor([[0.1, 0.2], [10.0, 20.0], [3.0, -4.0]])
    unit = UnitLogits()(logits)
    torch.testing.assert_close(unit[0], unit[1])
    torch.testing.assert_close(unit[2], torch.tensor([0.6, -0.8]))


def test_the_papers_grader_reports_the_last_epoch_whatever_test_says(train, test):
    turned = Attributes(test.feature, 1 - test.target)
    first, second = (PaperGrader().grade(train, seen, seed=0) for seen in (test, turned))
    assert first.epoch == second.epoch == 100
    np.testing.assert_array_equal(first.logits, second.logits)


def test_the_linear_grader_is_linear_and_the_papers_is_not(train):
    """Halfway between two stills a linear layer says the mean of what it says of both."""
    one, two = train.feature[:40], train.feature[40:80]
    between = Attributes(np.concatenate([one, two, (one + two) / 2]), train.target[:120])
    off = {}
    for name in ("linear", "paper"):
        first, second, middle = np.split(GRADERS.get(name).grade(train, between, seed=0).logits, 3)
        off[name] = np.abs(middle - (first + second) / 2).max()
    assert off["linear"] < 1e-5 < 0.1 < off["paper"]


def test_the_papers_grader_divides_its_rate_by_five_on_a_plateau(monkeypatch, train, test):
    rates, losses = [], iter([1.0] * 100)  # the loss never falls

    def standing_still(network, optimizer, batches):
        rates.append(optimizer.param_groups[0]["lr"])
        return next(losses)

    monkeypatch.setattr(paper, "train_epoch", standing_still)
    PaperGrader().grade(train, test, seed=0)
    assert rates[0] == 1e-3
    distinct = sorted(set(rates), reverse=True)
    assert distinct[1] == pytest.approx(2e-4)
    assert len(rates) == 100


def test_rows_of_a_batch_pass_the_adapter_together():
    seen = []

    def adapt(rows):
        seen.append(len(rows))
        return rows - rows.mean(dim=0)

    train, test = stills(1500, seed=0, dim=4), stills(1100, seed=1, dim=4)
    ReleasedGrader(chooses_epoch=False).grade(train, test, seed=0, adapt=adapt)
    assert seen[:2] == [1024, 476]
    assert seen[-2:] == [1024, 76]


def test_f1_asks_for_a_logit_above_one_half():
    targets = np.array([[1, 0], [1, 1], [0, 1]])
    logits = np.array([[0.6, -1.0], [0.4, 2.0], [-1.0, 0.5]])  # 0.4 and 0.5 count as no
    assert spact_f1.value(targets, logits) == pytest.approx((2 / 3 + 2 / 3) / 2)


def test_unknown_attributes_are_refused():
    with pytest.raises(InputError, match="0 and 1"):
        Attributes(np.zeros((2, 3), dtype=np.float32), np.array([[0], [-1]]))


def test_audits_and_attacks_never_use_a_grader():
    root = Path(latentveil.__file__).parent
    for room in ("auditing", "attacks", "methods", "pixels", "tasks", "report", "tuning"):
        files = list((root / room).rglob("*.py"))
        assert files, f"the room {room} has moved, and nothing was looked at"
        for path in files:
            assert "graders" not in path.read_text(), path
