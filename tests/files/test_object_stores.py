"""Stores, videos and adapters behind URLs: the same verbs, the same content, and kills that leave no trace."""

import json
import multiprocessing

import numpy as np
import pytest

import latentveil as lv
from latentveil.cli.main import _add_subcommands, run
from latentveil.errors import InputError
from latentveil.files.places import as_place
from latentveil.store import FeatureStore, StoreWriter, find_problems
from latentveil.video.write import write_video
from tests.files.dying_uploads import run_until_upload

SETTINGS = {"encoder": "tiny", "static": 2, "shard_videos": 1, "workers": 1, "progress": False}


@pytest.fixture(scope="module")
def videos(tmp_path_factory):
    folder = tmp_path_factory.mktemp("videos")
    for number in range(6):
        frames = np.random.default_rng(number).integers(0, 256, (20, 48, 64, 3), dtype=np.uint8)
        write_video(folder / f"v{number}.mp4", iter(frames))
    return folder


def content(store) -> dict[str, bytes]:
    """Every file that readers see, byte by byte."""
    return {
        place.name: place.read_bytes()
        for place in as_place(store).iterdir()
        if not place.name.startswith(".")
    }


def test_a_killed_extraction_from_and_to_s3_goes_on(s3, videos, tmp_path):
    lv.extract(videos, tmp_path / "local", **SETTINGS)
    for path in videos.iterdir():
        (as_place(f"{s3}/videos") / path.name).write_bytes(path.read_bytes())
    store = f"{s3}/killed"
    kill_at_upload(4, "extract", f"{s3}/videos", store, **SETTINGS)
    assert len(list(as_place(store).glob("shard-*"))) >= 2
    with pytest.raises(InputError, match="must be complete, got an interrupted one"):
        FeatureStore(store)
    report = lv.extract(f"{s3}/videos", store, **SETTINGS).report
    assert report.num_skipped >= 2
    assert content(store) == content(tmp_path / "local")
    assert find_problems(store) == []


def kill_at_upload(number, verb, *args, **options):
    """Run a verb in a process that is killed once it has sent so many files."""
    context = multiprocessing.get_context("spawn")
    process = context.Process(target=run_until_upload, args=(number, verb, *args), kwargs=options)
    process.start()
    process.join()
    assert process.exitcode == -9, f"{verb} ended before it could be killed"


def test_a_killed_fit_leaves_no_adapter_and_a_killed_apply_goes_on(s3, videos, tmp_path):
    raw, adapter, safe = (f"{s3}/again-{name}" for name in ("raw", "adapter", "safe"))
    lv.extract(videos, raw, **SETTINGS)
    labels = tmp_path / "labels.csv"
    rows = [f"v{number},{'val' if number > 3 else 'train'},{'ab'[number % 2]}\n" for number in range(6)]
    labels.write_text("video,split,action\n" + "".join(rows))
    fit = {"method": "noise", "progress": False}
    kill_at_upload(1, "fit", raw, labels, adapter, **fit)
    assert list(as_place(adapter).iterdir()), "nothing was sent before the kill"
    with pytest.raises(InputError, match="must be an adapter folder with"):
        lv.apply(adapter, raw, safe, progress=False)
    lv.fit(raw, labels, adapter, **fit)
    kill_at_upload(2, "apply", adapter, raw, safe, seed=3, progress=False)
    assert len(list(as_place(safe).glob("shard-*"))) == 2
    with pytest.raises(InputError, match="must be complete, got an interrupted one"):
        FeatureStore(safe)
    lv.apply(adapter, raw, safe, seed=3, progress=False)
    lv.apply(adapter, raw, tmp_path / "safe", seed=3, progress=False)
    assert content(safe) == content(tmp_path / "safe")
    assert find_problems(safe) == []


@pytest.fixture(scope="module", params=["memory", "s3"])
def bucket(request):
    return "memory://bucket" if request.param == "memory" else request.getfixturevalue("s3")


def test_fit_apply_and_audit_on_urls_give_what_local_folders_give(bucket, toy_folder, toy, tmp_path):
    for place in (toy_folder / "raw").glob("[!.]*"):
        (as_place(f"{bucket}/raw") / place.name).write_bytes(place.read_bytes())
    (as_place(bucket) / "labels.csv").write_bytes((toy_folder / "labels.csv").read_bytes())
    raw, labels, adapter, safe = (f"{bucket}/{name}" for name in ("raw", "labels.csv", "adapter", "safe"))
    lv.fit(raw, labels, adapter, method="pca", progress=False)
    lv.apply(adapter, raw, safe, seed=3, progress=False)
    here = lv.fit(toy_folder / "raw", toy_folder / "labels.csv", method="pca", progress=False)
    expected = lv.apply(here, toy_folder / "raw", tmp_path / "safe", seed=3, progress=False).read()
    np.testing.assert_array_equal(FeatureStore(safe).read().feature, expected.feature)
    assert find_problems(safe) == []
    options = {"attacks": ["lda"], "tasks": None, "recipient": None, "progress": False}
    found = lv.audit(raw, safe, labels, f"{bucket}/audit", adapter=adapter, **options)
    local = lv.audit(
        toy_folder / "raw", tmp_path / "safe", toy_folder / "labels.csv", adapter=here, **options
    )
    assert found.summary == local.summary
    assert {place.name for place in as_place(f"{bucket}/audit").iterdir()} >= {"audit.json", "report.html"}


def test_an_adapter_does_not_replace_what_is_behind_a_url(bucket, toy_folder):
    place = f"{bucket}/taken"
    (as_place(place) / "mine.txt").write_bytes(b"mine")
    with pytest.raises(InputError, match=f"{place} must be a new folder, .* holds 'mine.txt'"):
        lv.fit(toy_folder / "raw", toy_folder / "labels.csv", place, method="pca", progress=False)
    assert content(place) == {"mine.txt": b"mine"}


def test_features_are_imported_from_and_to_urls(bucket, tmp_path):
    feature = np.random.default_rng(0).normal(size=(5, 8)).astype(np.float32)
    np.save(tmp_path / "a.npy", feature)
    (as_place(f"{bucket}/features") / "deep" / "a.npy").write_bytes((tmp_path / "a.npy").read_bytes())
    store = lv.import_features(f"{bucket}/features", f"{bucket}/imported", progress=False)
    assert store.videos == ["deep/a"]
    np.testing.assert_array_equal(store.video_array("deep/a"), feature)


def test_two_writing_runs_on_one_url_are_refused(bucket, toy_folder):
    manifest = FeatureStore(toy_folder / "raw").manifest.model_copy(update={"shards": {}, "complete": False})
    with (
        StoreWriter(f"{bucket}/busy", manifest),
        pytest.raises(InputError, match="must have one writing run at a time"),
        StoreWriter(f"{bucket}/busy", manifest),
    ):
        pass


def test_a_damaged_shard_behind_a_url_is_named(bucket, toy_folder):
    for place in (toy_folder / "raw").glob("[!.]*"):
        (as_place(f"{bucket}/bad") / place.name).write_bytes(place.read_bytes())
    shard = next(as_place(f"{bucket}/bad").glob("shard-*"))
    whole = shard.read_bytes()
    shard.write_bytes(whole[:100] + bytes([whole[100] ^ 1]) + whole[101:])
    assert any(shard.name in problem for problem in find_problems(f"{bucket}/bad"))


def test_stores_and_audits_behind_a_url_are_verified_and_read(bucket, toy_folder, example_audit, monkeypatch):
    monkeypatch.chdir(toy_folder)
    for place in (toy_folder / "raw").glob("[!.]*"):
        (as_place(f"{bucket}/whole") / place.name).write_bytes(place.read_bytes())
    _add_subcommands()
    assert run(["verify", f"{bucket}/whole"]) == 0
    (as_place(f"{bucket}/found") / "audit.json").write_bytes(json.dumps(example_audit.to_dict()).encode())
    assert lv.load_audit(f"{bucket}/found").summary == example_audit.summary
    assert run(["report", f"{bucket}/found"]) == 0
    assert b"Three risks" in (as_place(f"{bucket}/found") / "report.html").read_bytes()


@pytest.mark.parametrize(
    "words",
    [
        ("export", "raw", "--npy", "URL/npy"),
        ("export", "raw", "--npz", "URL/all.npz"),
        ("export", "raw", "--h5", "URL/all.h5"),
        ("export", "raw", "--npy", "here", "--rename", "URL/names.csv"),
        ("bench", "table13", "--data", "none", "--output", "URL/runs"),
        ("tune", "raw", "--labels", "labels.csv", "--output", "URL/tuned"),
        ("repair", "URL/store", "--from", "raw"),
    ],
)
def test_what_goes_only_to_this_machine_makes_no_folder_called_like_a_url(
    toy_folder, monkeypatch, tmp_path, capsys, words
):
    monkeypatch.chdir(tmp_path)
    here = [str(toy_folder / word) if (toy_folder / word).exists() else word for word in words]
    _add_subcommands()
    assert run([word.replace("URL", "memory://bucket") for word in here]) == 1
    assert "must be a path of this machine, got memory://bucket/" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_server_that_does_not_answer_is_a_sentence(monkeypatch):
    pytest.importorskip("s3fs", reason="s3fs is not installed: pip install latentveil[s3]")
    from latentveil.files.places import file_system

    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "any")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "any")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    file_system.cache_clear()
    with pytest.raises(InputError, match="s3:// must answer, got EndpointConnectionError"):
        FeatureStore("s3://nowhere/at-all")
    file_system.cache_clear()
