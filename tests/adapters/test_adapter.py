"""What every adapter promises, whatever its network; and that it survives being saved."""

import json
import os
import time

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from latentveil.adapters.adapter import Adapter, load_adapter
from latentveil.adapters.initialise import make_identity
from latentveil.adapters.network import NETWORKS
from latentveil.errors import InputError
from latentveil.sequences import pad_sequences

DIM = 16


def make_adapter(architecture, *, attends="time", noise_rank=0, seed=0):
    torch.manual_seed(seed)
    adapter = Adapter(
        dim=DIM,
        architecture=architecture,
        layers=2,
        heads=4,
        attends=attends,
        directions=4,
        prototypes=6,
        noise_rank=noise_rank,
    )
    if architecture == "codebook":
        for values in (adapter.network.axes, adapter.network.prototypes):
            values.normal_()
    if architecture == "affine":
        adapter.network.weight += 0.3 * torch.randn(DIM, DIM)
        adapter.network.mean_weight += 0.3 * torch.randn(DIM, DIM)
        adapter.network.bias += torch.randn(DIM)
    return adapter.eval()


@pytest.mark.parametrize("architecture", NETWORKS.names())
@settings(max_examples=15, deadline=None)
@given(lengths=st.lists(st.integers(1, 6), min_size=1, max_size=5), seed=st.integers(0, 99))
def test_a_video_does_not_depend_on_the_others_in_its_batch(architecture, lengths, seed):
    generator = torch.Generator().manual_seed(seed)
    videos = [torch.randn(length, DIM, generator=generator) for length in lengths]
    for attends in ("time", "none"):
        adapter = make_adapter(architecture, attends=attends)
        together, mask = pad_sequences(videos)
        output = adapter(together, mask)
        assert output.shape == together.shape
        for index, video in enumerate(videos):
            alone = adapter(video[None])[0]
            torch.testing.assert_close(output[index, : len(video)], alone, rtol=1e-4, atol=1e-5)
        assert (output[~mask] == 0).all()


def test_attending_over_the_batch_lets_somebody_else_change_your_features():
    adapter = make_adapter("released", attends="batch")
    mine, other = torch.randn(1, 3, DIM), torch.randn(1, 3, DIM)
    assert not torch.allclose(adapter(mine)[0], adapter(torch.cat([mine, other]))[0], atol=1e-3)


@pytest.mark.parametrize("attends", ["time", "none", "batch"])
def test_alone_nobody_else_changes_your_features(attends):
    adapter = make_adapter("released", attends=attends)
    mine, other = torch.randn(1, 3, DIM), torch.randn(1, 3, DIM)
    together, mask = torch.cat([mine, other]), torch.tensor([[True] * 3, [True, True, False]])
    alone = adapter(together, mask, alone=True)
    torch.testing.assert_close(alone[0], adapter(mine)[0], rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(alone[1, :2], adapter(other[:, :2])[0], rtol=1e-4, atol=1e-5)


def test_without_attention_each_clip_is_on_its_own():
    clips = torch.randn(1, 4, DIM)
    alone = make_adapter("attention", attends="none")
    torch.testing.assert_close(alone(clips)[:, 2:3], alone(clips[:, 2:3]), rtol=1e-4, atol=1e-5)
    over_time = make_adapter("attention", attends="time")
    assert not torch.allclose(over_time(clips)[:, 2:3], over_time(clips[:, 2:3]), atol=1e-3)


@pytest.mark.parametrize("architecture", ["attention", "released", "affine"])
@pytest.mark.parametrize("attends", ["time", "none", "batch"])
def test_exact_identity(architecture, attends):
    adapter = make_adapter(architecture, attends=attends)
    make_identity(adapter)
    clips = 10 * torch.randn(3, 5, DIM)
    assert (adapter(clips) - clips).abs().max() <= 1e-6


def test_an_mlp_cannot_start_as_the_identity():
    with pytest.raises(InputError, match="init must be 'reconstruct'"):
        make_identity(make_adapter("mlp"))


def test_noise_has_the_covariance_of_its_factor_and_repeats_with_a_generator():
    adapter = make_adapter("affine", noise_rank=2)
    make_identity(adapter)
    adapter.noise_factor[0, 0], adapter.noise_factor[1, 1] = 2.0, 0.5
    clips = torch.zeros(4000, 1, DIM)
    noise = adapter(clips, generator=torch.Generator().manual_seed(1))[:, 0]
    assert noise.std(dim=0)[:3].tolist() == pytest.approx([2.0, 0.5, 0.0], rel=0.05)
    assert torch.equal(noise, adapter(clips, generator=torch.Generator().manual_seed(1))[:, 0])
    assert not torch.equal(noise, adapter(clips)[:, 0])


@pytest.mark.parametrize("architecture", NETWORKS.names())
def test_saved_and_loaded_it_does_the_same(architecture, tmp_path, capsys):
    adapter = make_adapter(architecture, noise_rank=3)
    adapter.save_pretrained(tmp_path / "adapter")
    files = {path.name for path in (tmp_path / "adapter").iterdir()}
    assert files == {"config.json", "model.safetensors", "README.md"}
    loaded = load_adapter(tmp_path / "adapter")
    clips = torch.randn(2, 3, DIM)
    one, two = (a(clips, generator=torch.Generator().manual_seed(0)) for a in (adapter, loaded))
    assert torch.equal(one, two)
    assert "Not audited yet" in (tmp_path / "adapter" / "README.md").read_text()
    assert capsys.readouterr().out == ""


def test_a_wrong_folder_is_refused_with_a_reason(tmp_path):
    with pytest.raises(InputError, match=r"must be an adapter folder with config\.json"):
        load_adapter(tmp_path)
    make_adapter("attention").save_pretrained(tmp_path)
    config = json.loads((tmp_path / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps(config | {"layers": 3}))
    with pytest.raises(InputError, match=r"must hold the weights of its config\.json"):
        load_adapter(tmp_path)
    (tmp_path / "config.json").write_text(json.dumps({"layers": 2}))
    with pytest.raises(InputError, match="must be the settings of an adapter"):
        load_adapter(tmp_path)


@pytest.mark.parametrize("content", ["", "{", "[]", "\udcff"])
def test_a_damaged_config_is_refused(tmp_path, content):
    make_adapter("attention").save_pretrained(tmp_path)
    (tmp_path / "config.json").write_bytes(content.encode(errors="surrogateescape"))
    with pytest.raises(InputError, match=r"config\.json must be the settings of an adapter"):
        load_adapter(tmp_path)


@pytest.mark.parametrize(
    "path", ["adaptr", "./adaptr", "runs/adaptr", "a/b/c", "/nope/x", "bad name", "~/a", ""]
)
def test_a_mistyped_path_is_never_asked_of_the_hub(tmp_path, monkeypatch, path):
    (tmp_path / "runs").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Adapter, "from_pretrained", lambda *_: pytest.fail("asked the hub"))
    with pytest.raises(InputError, match="must be an adapter folder"):
        load_adapter(path)


def test_a_hub_that_does_not_answer_is_told_in_a_sentence(tmp_path, monkeypatch):
    """It is asked once; a download asks again and again, for half a minute."""

    def refuse(*_, timeout, **__):
        assert timeout <= 5
        asked.append(timeout)
        raise ConnectionError("no such host")

    asked = []
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("latentveil.adapters.saved.get_hf_file_metadata", refuse)
    started = time.monotonic()
    with pytest.raises(InputError, match=r"owner/name must be an adapter .* got: the hub does not answer\."):
        load_adapter("owner/name")
    assert time.monotonic() - started < 5
    assert len(asked) == 1


def test_what_the_hub_says_is_told_in_a_sentence(tmp_path, monkeypatch):
    def refuse(name, **_):
        raise FileNotFoundError(f"no such file in {name}")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("latentveil.adapters.saved.get_hf_file_metadata", lambda *_, **__: None)
    monkeypatch.setattr(Adapter, "from_pretrained", refuse)
    with pytest.raises(InputError, match=r"owner/name must be an adapter .* got: no such file in owner/name"):
        load_adapter("owner/name")


def test_an_adapter_from_the_hub_names_no_module_to_import(tmp_path):
    options = dict.fromkeys(("revision", "cache_dir", "token"))
    spec = "latentveil.adapters.affine:network"
    with pytest.raises(
        InputError, match="architecture of owner/name must be the name of an installed network"
    ):
        Adapter._from_pretrained(
            model_id="owner/name",
            force_download=False,
            local_files_only=True,
            dim=DIM,
            architecture=spec,
            **options,
        )
    Adapter(dim=DIM, architecture=spec).save_pretrained(tmp_path)
    assert load_adapter(tmp_path).architecture == spec


@pytest.mark.parametrize("architecture", NETWORKS.names())
@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.float64])
def test_numbers_come_back_in_the_precision_they_came_in(architecture, dtype):
    adapter = make_adapter(architecture, noise_rank=2)
    clips = torch.randn(2, 3, DIM).to(dtype)
    noise = adapter.draw_noise(2, 3)
    output = adapter(clips, noise=noise)
    assert output.dtype == dtype
    torch.testing.assert_close(output.float(), adapter(clips.float(), noise=noise), rtol=1e-2, atol=1e-2)


def test_whole_numbers_are_no_features():
    with pytest.raises(InputError, match=r"features must be floating-point numbers, got torch\.int64"):
        make_adapter("affine")(torch.ones(1, 2, DIM, dtype=torch.int64))


def test_a_changed_weight_is_refused(tmp_path):
    """It may hide less, and nobody would see it."""
    make_adapter("affine").save(tmp_path)
    weights = tmp_path / "model.safetensors"
    content = bytearray(weights.read_bytes())
    content[-1] ^= 1
    weights.write_bytes(content)
    with pytest.raises(InputError, match="names by checksum, got others"):
        load_adapter(tmp_path)


def test_the_weights_are_for_whom_the_umask_allows(tmp_path):
    """They were readable to their owner alone, whatever the umask."""
    before = os.umask(0o027)
    try:
        make_adapter("affine").save_pretrained(tmp_path / "adapter")
    finally:
        os.umask(before)
    modes = {path.name: path.stat().st_mode & 0o777 for path in (tmp_path / "adapter").iterdir()}
    assert modes["model.safetensors"] == modes["config.json"] == 0o640


@pytest.mark.parametrize("architecture", ["attention", "released", "mlp", "affine", "codebook"])
def test_a_folder_of_the_first_edition_still_loads(architecture, tmp_path):
    """Its config.json has the options of every network, and no description."""
    adapter = make_adapter(architecture)
    adapter.save_pretrained(tmp_path)
    written = json.loads((tmp_path / "config.json").read_text())
    del written["network"]
    every = {"layers": 2, "heads": 4, "attends": "time", "window": 0, "directions": 4, "prototypes": 6}
    (tmp_path / "config.json").write_text(json.dumps(every | {"phases": 3} | written))
    clips = torch.randn(2, 3, DIM)
    loaded = load_adapter(tmp_path)
    assert torch.equal(loaded(clips), adapter(clips))
    assert loaded.config == adapter.config


def test_wrong_shapes_are_refused():
    with pytest.raises(InputError, match=r"features must be of shape \(B, T, 16\)"):
        make_adapter("attention")(torch.randn(2, DIM))


def test_a_window_averages_the_clips_around_each_one():
    adapter = Adapter(dim=1, architecture="affine", window=3)
    adapter.network.weight.zero_()
    adapter.network.mean_weight.fill_(1.0)
    features, mask = pad_sequences([torch.tensor([[0.0], [3.0], [6.0], [9.0]]), torch.tensor([[1.0], [2.0]])])
    output = adapter(features, mask)[..., 0]
    assert output[0].tolist() == [1.5, 3.0, 6.0, 7.5]
    assert output[1].tolist() == [1.5, 1.5, 0.0, 0.0]
    with pytest.raises(InputError, match="window must be 0"):
        Adapter(dim=1, architecture="affine", window=2)


def test_an_adapter_says_what_it_is_when_printed():
    said = repr(Adapter(dim=16, architecture="affine", noise_rank=2))
    assert "adds Gaussian noise; for features of 16 numbers" in said
