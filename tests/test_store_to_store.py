"""From a store to an audited store, as a user does it: fit, apply, audit."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from latentveil.adapters.adapter import Adapter, load_adapter
from latentveil.adapters.anonymize import anonymize
from latentveil.adapters.apply import apply
from latentveil.auditing.result import load_audit
from latentveil.auditing.run import audit
from latentveil.errors import InputError, Notice, UsageError
from latentveil.labels import Labels
from latentveil.methods.base import METHODS
from latentveil.methods.fit import fit
from latentveil.methods.plan import FitPlan
from latentveil.store import FeatureStore
from latentveil.store.labelled import coverage_in_words, labels_for
from latentveil.store.sources import MemoryFeatures
from latentveil.types import FeatureSet

FAST = ("adapter.init=exact", "adapter.layers=1", "adapter.heads=4", "train.epochs=2")
QUICK = {"attacks": ("lda",), "recipient": None}


def save(adapter, path):
    adapter.save_pretrained(path)
    return path


def test_fit_apply_audit(toy_folder, tmp_path):
    labels = toy_folder / "labels.csv"
    fit(toy_folder / "raw", labels, tmp_path / "adapter", preset="paper", settings=FAST)
    safe = apply(tmp_path / "adapter", toy_folder / "raw", tmp_path / "safe")
    raw = FeatureStore(toy_folder / "raw")
    assert len(safe) == len(raw) == len(FeatureStore(tmp_path / "safe"))
    assert safe.derived_from.adapter == "adapter"
    assert not np.allclose(safe.read().feature, raw.read().feature)

    result = audit(
        toy_folder / "raw",
        tmp_path / "safe",
        labels,
        tmp_path / "audit",
        **QUICK,
        adapter=tmp_path / "adapter",
    )
    assert [(one.secret, one.kind) for one in result.readings] == [
        ("gender", "temporal"),
        ("gender", "static"),
        ("identity", "temporal"),
        ("identity", "static"),
    ]
    assert load_audit(tmp_path / "audit") == result
    page = (tmp_path / "audit" / "report.html").read_text()
    assert "task_action" in page  # the training curves
    assert "http" not in page.replace('xmlns="http://www.w3.org/2000/svg"', "")
    card = (tmp_path / "adapter" / "README.md").read_text()
    assert "Not audited yet" not in card
    assert "The adapter adds no noise" in card
    assert "No decoder was tried" in card
    assert (tmp_path / "audit" / "audit.md").read_text().count("| gender |") == 2 * 2
    config = load_adapter(tmp_path / "adapter").config
    assert config["encoder"]["name"] == "toy"
    assert config["recipe"]["tasks"] == ["action"]


def test_an_adapter_that_returns_zeros_removes_everything(toy_folder, toy, tmp_path):
    adapter = Adapter(dim=toy.features.dim, architecture="affine")
    adapter.network.weight.zero_()
    apply(save(adapter, tmp_path / "zeros"), toy_folder / "raw", tmp_path / "safe")
    found = audit(
        toy_folder / "raw", tmp_path / "safe", toy_folder / "labels.csv", tmp_path / "audit", **QUICK
    )
    # Of gender from clips nothing can be told: with eight people, the raw interval reaches down to guessing.
    assert [reading.leakage_removed for reading in found.readings] == [None, 1.0, 1.0, 1.0]
    assert found.tasks["action"].anonymized.value == pytest.approx(found.tasks["action"].chance)
    assert found.summary.leakage_removed == 1.0
    assert found.summary.nhv == 0.0
    assert "holds the adapter itself was not tried" in (tmp_path / "audit" / "report.html").read_text()


def test_the_identity_adapter_removes_nothing_and_keeps_everything(toy_folder, toy, tmp_path):
    adapter = Adapter(dim=toy.features.dim, architecture="affine")
    apply(save(adapter, tmp_path / "identity"), toy_folder / "raw", tmp_path / "safe")
    found = audit(
        toy_folder / "raw", tmp_path / "safe", toy_folder / "labels.csv", tmp_path / "audit", **QUICK
    )
    assert found.summary.leakage_removed == pytest.approx(0.0, abs=1e-6)
    assert found.summary.utility_kept == 1.0


def test_an_audit_with_another_adapter_is_refused_before_anything_is_measured(toy_folder, toy, tmp_path):
    adapter = Adapter(dim=toy.features.dim, architecture="affine")
    apply(save(adapter, tmp_path / "one"), toy_folder / "raw", tmp_path / "safe")
    adapter.network.weight.zero_()
    other = save(adapter, tmp_path / "other")
    with pytest.raises(InputError, match="must be the one that made the audited features"):
        audit(
            toy_folder / "raw",
            tmp_path / "safe",
            toy_folder / "labels.csv",
            tmp_path / "audit",
            adapter=other,
        )
    assert not (tmp_path / "audit").exists()


def test_an_adapter_of_another_encoder_is_refused(toy_folder, toy, tmp_path):
    other = {"name": "other", "weights_sha256": "1" * 64, "dim": toy.features.dim}
    adapter = Adapter(dim=toy.features.dim, architecture="affine", encoder=other)
    with pytest.raises(InputError, match="must be of the adapter's encoder"):
        apply(save(adapter, tmp_path / "adapter"), toy_folder / "raw", tmp_path / "safe")
    assert not (tmp_path / "safe").exists()


@pytest.mark.parametrize(
    ("device", "said"),
    [("gpu", "must be cpu, cuda, .* got 'gpu'"), ("cuda:99", "torch can use, got 'cuda:99'")],
)
def test_a_device_that_is_not_there_is_refused(toy_folder, toy, tmp_path, device, said):
    adapter = Adapter(dim=toy.features.dim, architecture="affine")
    with pytest.raises(InputError, match=said):
        apply(save(adapter, tmp_path / "adapter"), toy_folder / "raw", tmp_path / "safe", device=device)
    assert not (tmp_path / "safe").exists()


def test_workers_of_no_engine_are_refused(toy_folder, toy, tmp_path):
    """They were taken in silence, and one process did the work."""
    adapter = Adapter(dim=toy.features.dim, architecture="affine")
    with pytest.raises(UsageError, match="workers must be one or more of an engine other than local, got 3"):
        apply(adapter, toy_folder / "raw", tmp_path / "safe", workers=3)
    assert not (tmp_path / "safe").exists()


@pytest.mark.parametrize("method", METHODS.names())
def test_fitting_on_a_device_that_is_not_there_is_refused(toy_folder, tmp_path, method):
    """Closed forms do without a device, and took any in silence."""
    with pytest.raises(InputError, match="device must be one that torch can use, got 'cuda:99'"):
        fit(toy_folder / "raw", toy_folder / "labels.csv", tmp_path / "a", method=method, device="cuda:99")


def test_secrets_reach_oracles_only(toy_folder, monkeypatch, tmp_path):
    seen = {}

    def spy(plan, data, **_):
        seen[plan.method.name] = data.labels
        return Adapter(dim=data.features.dim, architecture="affine")

    monkeypatch.setattr(FitPlan, "fit", spy)
    for method in ("splavu", "leace"):
        fit(toy_folder / "raw", toy_folder / "labels.csv", tmp_path / method, method=method)
    assert seen["splavu"] is None
    assert "secret_gender" in seen["leace"].columns


def test_test_videos_never_reach_a_method(toy_folder, toy, monkeypatch, tmp_path):
    seen = {}

    def spy(_, data, **options):
        seen["videos"] = set(data.features.videos)
        seen["task"] = set(data.tasks["action"].videos.features.videos)
        return Adapter(dim=data.features.dim, architecture="affine")

    monkeypatch.setattr(FitPlan, "fit", spy)
    fit(toy_folder / "raw", toy_folder / "labels.csv", tmp_path / "adapter", preset="paper")
    assert seen["videos"] == set(toy.labels.videos("train"))
    assert not seen["task"] & set(toy.labels.videos("test"))


@pytest.fixture
def small_parts(monkeypatch):
    """About twenty clips in memory at a time, so that every shard goes through in several parts."""
    monkeypatch.setattr("latentveil.store.shard.ROW_GROUP_BYTES", 1)
    monkeypatch.setattr("latentveil.store.derive.PART_CLIPS", 20)


@pytest.mark.parametrize("architecture", ["attention", "affine"])
def test_apply_gives_what_anonymize_gives_in_memory(toy_folder, toy, small_parts, tmp_path, architecture):
    torch.manual_seed(0)
    adapter = Adapter(dim=toy.features.dim, architecture=architecture, heads=4)
    apply(save(adapter, tmp_path / "adapter"), toy_folder / "raw", tmp_path / "safe")
    wanted = anonymize(adapter, FeatureStore(toy_folder / "raw").read())
    found = FeatureStore(tmp_path / "safe").read()
    assert found.video.tolist() == wanted.video.tolist()
    np.testing.assert_allclose(found.feature, wanted.feature, atol=1e-5)


def test_apply_holds_a_part_of_a_shard_at_a_time(toy_folder, toy, small_parts, monkeypatch, tmp_path):
    sizes = []
    real = torch.nn.Module.__call__

    def count(module, features, *args, **kwargs):
        if isinstance(module, Adapter):
            sizes.append(features.shape[0] * features.shape[1])
        return real(module, features, *args, **kwargs)

    monkeypatch.setattr(torch.nn.Module, "__call__", count)
    adapter = Adapter(dim=toy.features.dim, architecture="affine")
    apply(save(adapter, tmp_path / "adapter"), toy_folder / "raw", tmp_path / "safe")
    assert sum(sizes) >= len(toy.features)
    assert max(sizes) <= 2 * 20  # padding counted


@pytest.fixture
def noisy(toy, tmp_path):
    """The folder of an adapter that adds noise to the first four dimensions."""
    adapter = Adapter(dim=toy.features.dim, architecture="affine", noise_rank=4)
    adapter.noise_factor.copy_(torch.eye(toy.features.dim)[:, :4])
    return save(adapter, tmp_path / "adapter")


def test_a_seed_repeats_the_noise_and_no_two_videos_share_it(toy_folder, noisy, small_parts, tmp_path):
    for name, seed in (("one", 5), ("same", 5), ("other", 6), ("fresh", None)):
        apply(noisy, toy_folder / "raw", tmp_path / name, seed=seed)
    one, same, other, fresh = (
        FeatureStore(tmp_path / name).read().feature for name in ("one", "same", "other", "fresh")
    )
    raw = FeatureStore(toy_folder / "raw").read().feature
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)
    assert not np.array_equal(one, fresh)
    noise = (one - raw)[:, :4].round(3)
    assert len(np.unique(noise, axis=0)) == len(raw)


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        (None, 7, "derived_from.seeded is False there, got True"),
        (7, None, "derived_from.seeded is True there, got False"),
        (1, 2, "seed must be the one that .*safe was made with, got another"),
    ],
)
def test_a_run_goes_on_with_the_seed_it_began_with(toy_folder, noisy, tmp_path, first, second, words):
    def stop(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        apply(noisy, toy_folder / "raw", tmp_path / "safe", seed=first, progress=stop)
    with pytest.raises(InputError, match=words):
        apply(noisy, toy_folder / "raw", tmp_path / "safe", seed=second)
    apply(noisy, toy_folder / "raw", tmp_path / "safe", seed=first)
    with pytest.raises(InputError, match=words):
        apply(noisy, toy_folder / "raw", tmp_path / "safe", seed=second)
    if first is not None:
        apply(noisy, toy_folder / "raw", tmp_path / "whole", seed=first)
        found, wanted = (FeatureStore(tmp_path / name).read().feature for name in ("safe", "whole"))
        np.testing.assert_array_equal(found, wanted)


def test_motion_is_kept_without_any_label(toy_folder, tmp_path):
    adapter = fit(toy_folder / "raw", output=tmp_path / "adapter", tasks="motion")
    assert adapter.config["recipe"]["tasks"] == ["motion"]
    apply(tmp_path / "adapter", toy_folder / "raw", tmp_path / "safe")
    found = audit(
        toy_folder / "raw",
        tmp_path / "safe",
        toy_folder / "labels.csv",
        tmp_path / "audit",
        secrets=["identity"],
        **QUICK,
    )
    assert found.tasks["action"].kept > 0.95
    assert found.secrets["identity"].leakage_removed > 0.3


def test_a_task_that_takes_labels_is_refused_without_them(toy_folder, tmp_path):
    with pytest.raises(InputError, match="labels must be given for the tasks action, motion, got none"):
        fit(toy_folder / "raw", output=tmp_path / "adapter", tasks=("action", "motion"))
    assert not (tmp_path / "adapter").exists()


def test_the_published_objective_cannot_be_asked_for_motion(toy_folder, tmp_path):
    with pytest.raises(InputError, match="to keep motion, got 'splavu'"):
        fit(
            toy_folder / "raw",
            toy_folder / "labels.csv",
            tmp_path / "adapter",
            preset="paper",
            settings=FAST,
            tasks=("action", "motion"),
        )


def test_fit_leaves_alone_what_is_in_a_folder(toy_folder, tmp_path):
    labels, options = toy_folder / "labels.csv", {"preset": "paper", "settings": FAST}
    fit(toy_folder / "raw", labels, tmp_path / "adapter", **options)
    (tmp_path / "adapter" / "request.json").unlink()  # as an earlier version left it
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "README.md").write_text("mine")
    for folder in (tmp_path / "adapter", notes, toy_folder / "raw"):
        before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        with pytest.raises(InputError, match="must be a new folder, or one of a fit that was stopped"):
            fit(toy_folder / "raw", labels, folder, **options)
        assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_a_fit_that_is_done_is_found_again_and_another_one_refused(toy_folder, toy, tmp_path):
    options = {"method": "noise", "tasks": "action"}
    made = fit(toy_folder / "raw", toy_folder / "labels.csv", tmp_path / "a", **options)
    written = {path: path.read_bytes() for path in (tmp_path / "a").iterdir()}
    with pytest.warns(Notice, match="a holds this adapter already: nothing is fitted again"):
        again = fit(toy_folder / "raw", toy_folder / "labels.csv", tmp_path / "a", **options)
    assert again.sha256() == made.sha256()
    others = replace(toy.labels, columns={**toy.labels.columns, "action": toy.labels.column("action")[::-1]})
    for labels, changes, said in (
        (
            toy_folder / "labels.csv",
            {"settings": ["erasure.noise=7"]},
            r"settings\.erasure\.noise is .* there, got 7",
        ),
        (toy_folder / "labels.csv", {"seed": 1}, r"settings\.train\.seed is 0 there, got 1"),
        (others, {}, "labels is 'checksum [0-9a-f]{12}' there, got 'checksum "),
    ):
        with pytest.raises(
            InputError, match=f"an adapter of the same inputs and settings, got one of others: {said}"
        ):
            fit(toy_folder / "raw", labels, tmp_path / "a", **options | changes)
    assert {path: path.read_bytes() for path in (tmp_path / "a").iterdir()} == written


def test_a_report_is_not_written_into_a_store_or_an_adapter(toy_folder, toy, tmp_path):
    adapter = save(Adapter(dim=toy.features.dim, architecture="affine"), tmp_path / "adapter")
    for folder in (toy_folder / "raw", adapter):
        with pytest.raises(InputError, match="must be a folder for reports"):
            audit(toy_folder / "raw", toy_folder / "raw", toy_folder / "labels.csv", folder, **QUICK)


def test_labels_of_other_videos_are_named(toy_folder, toy, tmp_path):
    video = np.char.add(toy.labels.video, ".npy")
    replace(toy.labels, video=video).write(tmp_path / "labels.csv")
    message = rf"must name videos of the store .*, such as '{toy.features.videos[0]}', got others, such as '{video[0]}'"
    with pytest.raises(InputError, match=message):
        fit(toy_folder / "raw", tmp_path / "labels.csv", tmp_path / "adapter")
    with pytest.raises(InputError, match=message):
        audit(toy_folder / "raw", toy_folder / "raw", tmp_path / "labels.csv", tmp_path / "audit")


def test_what_labels_and_store_do_not_share_is_counted(toy_folder, toy, tmp_path):
    store = FeatureStore(toy_folder / "raw")
    assert coverage_in_words(toy.labels, store) is None
    video = toy.labels.video.copy()
    video[:3] = ["x", "y", "z"]
    told = coverage_in_words(replace(toy.labels, video=video), store)
    assert told.startswith(f"{len(video) - 3} of {len(video)} videos of")
    assert told.endswith(f"3 of {len(video)} labels are of no video there.")
    everything = toy.labels.only(toy.labels.video[3:])
    assert "left out" in coverage_in_words(everything, store)
    fewer = MemoryFeatures(store.read(videos=store.videos[3:]))
    told = coverage_in_words(toy.labels, fewer)
    assert told == f"3 of {len(video)} labels are of no video there."  # nobody is left out


def test_names_that_only_look_the_same_are_told():
    features = MemoryFeatures(FeatureSet.from_arrays({"J\u00f6rg": np.ones((1, 2)), "Ann": np.ones((1, 2))}))
    apart = "'Jo\u0308rg', which looks the same but has its accents as other characters"
    some = Labels.from_table({"video": ["Jo\u0308rg", "Ann"], "split": ["train", "train"]})
    assert f"1 of 2 labels are of no video there. Among these is {apart}" in coverage_in_words(some, features)
    with pytest.raises(InputError, match=f"as they are there, got {apart}"):
        labels_for({"video": ["Jo\u0308rg"], "split": ["train"]}, features)


def test_labels_that_lack_a_split_are_found_before_the_attacks(toy_folder, toy, tmp_path):
    split = np.where(toy.labels.split == "val", "train", toy.labels.split)
    replace(toy.labels, split=split).write(tmp_path / "labels.csv")
    told = []
    with pytest.raises(InputError, match="labels must have val videos"):
        audit(
            toy_folder / "raw",
            toy_folder / "raw",
            tmp_path / "labels.csv",
            tmp_path / "audit",
            **QUICK,
            progress=told.append,
        )
    assert [step.done for step in told] == [0]


def test_a_secret_of_any_column_can_be_audited_where_nobody_is_named(toy_folder, toy, tmp_path):
    """The features are drawn after all the attacks, and must not fail then for want of a column secret_…."""
    columns = {"action": toy.labels.column("action")}
    replace(toy.labels, person=None, columns=columns).write(tmp_path / "labels.csv")
    result = audit(
        toy_folder / "raw",
        toy_folder / "raw",
        tmp_path / "labels.csv",
        tmp_path / "audit",
        secrets=["action"],
        tasks=None,
        **QUICK,
    )
    assert [(one.secret, one.kind) for one in result.readings] == [
        ("action", "temporal"),
        ("action", "static"),
    ]
