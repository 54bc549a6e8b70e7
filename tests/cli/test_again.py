"""A command that is given again after it finished ends with 0, does nothing, and prints the same JSON."""

import numpy as np
import pytest

from latentveil.cli import main as main_cli


@pytest.fixture
def veil(capsys):
    main_cli._add_subcommands()

    def run(line):
        """Exit status, standard output and standard error."""
        status = main_cli.run(line.split())
        return status, *capsys.readouterr()

    return run


def content(folder):
    return {path: path.read_bytes() for path in folder.rglob("[!.]*") if path.is_file()}


@pytest.mark.parametrize(
    ("line", "other", "said"),
    [
        (
            "fit raw -o made --labels labels.csv --method noise",
            ("noise", "noise --set erasure.noise=7"),
            "holds this adapter already",
        ),
        (
            "tune raw -o made --labels labels.csv --method noise --secrets gender --attacks lda --dial erasure.noise=1",
            ("tune", "tune --seed 1"),
            "holds this very tuning already",
        ),
        (
            "audit raw raw -o made --labels labels.csv --secrets gender --attacks lda --tasks none --recipient none",
            ("audit", "audit --limit 0.5"),
            "holds this very audit already",
        ),
        ("apply adapter raw -o made --seed 3", ("3", "4"), "holds these features already"),
    ],
)
def test_the_second_time_nothing_is_done(line, other, said, toy_folder, tmp_path, monkeypatch, veil):
    monkeypatch.chdir(tmp_path)
    for name in ("raw", "labels.csv"):
        (tmp_path / name).symlink_to(toy_folder / name)
    if line.startswith("apply"):
        assert veil("fit raw -o adapter --labels labels.csv --method noise")[0] == 0
    status, first, _ = veil(f"{line} --json")
    assert status == 0
    made = content(tmp_path / "made")
    status, second, err = veil(f"{line} --json")
    assert (status, second) == (0, first)
    assert said in err
    status, out, err = veil(f"{line.replace(*other, 1)} --json")
    assert (status, out) == (2, "")
    assert "must" in err
    assert content(tmp_path / "made") == made


@pytest.mark.parametrize("form", ["npy", "h5", "npz"])
def test_an_import_and_an_export_given_again(form, toy_folder, tmp_path, monkeypatch, veil):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "raw").symlink_to(toy_folder / "raw")
    target = "files" if form == "npy" else f"files.{form}"
    export = f"export raw --{form} {target}"
    status, first, _ = veil(export)
    assert status == 0
    made = content(tmp_path)
    status, second, err = veil(export)
    assert (status, second) == (0, first)
    assert err == f"{target} holds this very export already: nothing is written again.\n"

    imported = f"import {' '.join(first.split())} -o store --encoder tiny"
    if form == "h5":  # static clips are in the second file
        imported = "import files.h5 --stills files_static.h5 -o store --encoder tiny"
    assert veil(imported)[0] == 0
    store = content(tmp_path / "store")
    status, _, err = veil(imported)
    assert status == 0
    assert "store holds these features already: nothing is imported again." in err
    status, _, err = veil(f"{imported} --fps 25")
    assert status == 2
    assert "must equal those of the store" in err
    assert content(tmp_path / "store") == store
    assert made == {path: path.read_bytes() for path in made}


@pytest.mark.parametrize("form", ["npy", "h5", "npz"])
def test_another_export_is_refused(form, toy_folder, tmp_path, monkeypatch, veil):
    """Also one that differs in one video only, has one more, or lacks one."""
    monkeypatch.chdir(tmp_path)
    target = tmp_path / ("files" if form == "npy" else f"files.{form}")
    features = {video: np.full((2, 4), number, np.float32) for number, video in enumerate("abc")}
    for name, changed in {
        "first": features,
        "other": features | {"b": features["b"] + 1},
        "more": features | {"d": features["a"]},
        "fewer": {"a": features["a"], "b": features["b"]},
    }.items():
        np.savez(f"{name}.npz", **changed)
        assert veil(f"import {name}.npz -o {name}")[0] == 0
    assert veil(f"export first --{form} {target}")[0] == 0
    made = content(tmp_path)
    for name in ("other", "more", "fewer"):
        status, out, err = veil(f"export {name} --{form} {target}")
        assert (status, out) == (2, "")
        assert "or hold this very export, got something else. Choose another place" in err
    assert content(tmp_path) == made


def test_an_import_of_other_features_is_refused(tmp_path, monkeypatch, veil):
    monkeypatch.chdir(tmp_path)
    features = {video: np.full((2, 4), number, np.float32) for number, video in enumerate("abc")}
    np.savez("first.npz", **features)
    np.savez("other.npz", **features | {"b": features["b"] + 1, "d": features["a"]})
    np.savez("longer.npz", **features | {"c": np.ones((3, 4), np.float32)})
    np.savez("more.npz", **features | {"d": features["a"]})
    assert veil("import first.npz -o store")[0] == 0
    made = content(tmp_path)
    for name, video in (("other", "b"), ("longer", "c")):
        status, _, err = veil(f"import {name}.npz -o store")
        assert status == 2
        assert f"got '{video}', which is in it already with others. Import into another folder." in err
    assert content(tmp_path) == made
    status, _, err = veil("import more.npz -o store")
    assert (status, "4 videos" in err) == (0, True)
