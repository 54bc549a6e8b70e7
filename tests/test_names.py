"""A text is one name, not a sequence of letters, and an unknown name is answered with the known one that is near."""

import pytest

from latentveil.cli import main as main_cli
from latentveil.errors import InputError
from latentveil.labels import Labels
from latentveil.names import as_names, did_you_mean


def test_one_name_and_several_become_a_list():
    assert as_names("scene") == ["scene"]
    assert as_names(("scene", "gender")) == ["scene", "gender"]
    assert as_names(()) == []


@pytest.mark.parametrize(
    ("name", "known", "said"),
    [
        ("noize", ["pca", "noise"], " Did you mean 'noise'?"),
        ("PCA", ["pca", "noise"], " Did you mean 'pca'?"),
        ("noise", ["train.seed", "erasure.noise"], " Did you mean 'erasure.noise'?"),
        ("erasure.nois", ["train.seed", "erasure.noise"], " Did you mean 'erasure.noise'?"),
        ("everything else", ["pca", "noise"], ""),
        ("", ["pca"], ""),
        ("pca", [], ""),
    ],
)
def test_the_nearest_name_is_asked_for(name, known, said):
    assert did_you_mean(name, known) == said


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("extract gone -o new --encoder i3b", "i3d"),
        ("extract gone -o new --encoder vidomae:FOLDER", "videomae"),
        ("extract gone -o new --backend onx", "onnx"),
        ("extract gone -o new --encoder tiny --engine raay", "ray"),
        ("extract gone -o new --encoder tiny --decoding second=5", "seconds"),
        ("fit gone -o new --method noize", "noise"),
        ("fit gone -o new --method spat", "spact"),
        ("fit gone -o new --preset papr", "paper"),
        ("fit gone -o new --method spact --preset setled", "settled"),
        ("fit gone -o new --labels gone.csv --tasks acton", "action"),
        ("fit gone -o new --labels gone.csv --set erasure.nois=2", "erasure.noise"),
        ("fit gone -o new --labels gone.csv --preset paper --set adapter.architecture=atention", "attention"),
        ("fit gone -o new --labels gone.csv --preset paper --set heads.acton=linear", "action"),
        ("fit gone -o new --method spact --set anonymizer.architecture=unett", "unet"),
        ("fit gone -o new --method spact --set budget.architecture=resnt", "resnet"),
        ("apply blur gone -o new --set strenght=2", "strength"),
        ("apply cover gone -o new --set detector=centreface", "centerface"),
        ("audit gone gone -o new --labels gone.csv --attacks linea", "linear"),
        ("audit gone gone -o new --labels gone.csv --recipient adaptor", "adapter"),
        ("eval detecton gone --labels gone.csv", "detection"),
        ("eval anomaly gone --labels gone.csv --segments gone.csv --head mgfn-smal", "mgfn-small"),
        ("bench tabel1 --data gone", "table1"),
        ("datasets check nt60 gone", "ntu60"),
        ("datasets check ucf101 gone --set splt=2", "split"),
        ("actors new --task anomoly", "anomaly"),
    ],
)
def test_what_nothing_is_called_is_answered_with_what_is(line, meant, capsys):
    main_cli._add_subcommands()
    assert main_cli.run(line.split()) == 1
    said = capsys.readouterr().err
    assert "must be" in said
    assert said.endswith(f"Did you mean '{meant}'?\n")


def test_a_pixel_method_that_is_misspelt_is_not_only_called_a_missing_folder(capsys):
    main_cli._add_subcommands()
    assert main_cli.run(["apply", "covr", "gone", "-o", "new"]) == 2
    assert capsys.readouterr().err.endswith("got nothing there. Did you mean 'cover'?\n")


@pytest.mark.parametrize(
    ("name", "known", "meant"),
    [
        ("gendr", "person, action, secret_gender", "gender"),
        ("persn", "person, action, secret_gender", "person"),
        ("acton", "person, action, secret_gender", "action"),
    ],
)
def test_a_column_that_is_not_there_is_answered_with_one_that_is(name, known, meant):
    labels = Labels.from_table(
        {"video": ["a"], "split": ["train"], "person": ["p"], "action": ["run"], "secret_gender": ["0"]}
    )
    with pytest.raises(InputError, match=rf"column '{name}', got {known}\. Did you mean '{meant}'\?"):
        labels.column(name)


def test_a_row_that_a_recipe_does_not_have(toy_folder, tmp_path, capsys):
    recipe = tmp_path / "mine.toml"
    recipe.write_text('title = "t"\n[[rows]]\nname = "noise, much of it"\nchanges = ["method=noise"]\n')
    main_cli._add_subcommands()
    words = ["bench", recipe, "--data", toy_folder, "-o", tmp_path / "out", "--only", "noise much of it"]
    assert main_cli.run(list(map(str, words))) == 2
    said = capsys.readouterr().err
    assert said.startswith("veil: --only must name rows of the recipe")
    assert "Known: noise, much of it. Did you mean 'noise, much of it'?" in said
