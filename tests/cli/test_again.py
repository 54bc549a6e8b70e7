"""A command that is given again after it finished ends with 0, does nothing, and prints the same JSON."""

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
            "--set erasure.noise=7",
            "holds this adapter already",
        ),
        (
            "tune raw -o made --labels labels.csv --method noise --secrets gender --attacks lda --dial erasure.noise=1",
            "--seed 1",
            "holds this very tuning already",
        ),
        (
            "audit raw raw -o made --labels labels.csv --secrets gender --attacks lda --tasks none --recipient none",
            "--limit 0.5",
            "holds this very audit already",
        ),
        ("apply adapter raw -o made --seed 3", "--seed 4", ""),
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
    status, out, err = veil(f"{line} {other} --json")
    assert (status, out) == (2, "")
    assert "must" in err
    assert content(tmp_path / "made") == made
