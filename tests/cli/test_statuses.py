"""One rule for all commands: what the words alone get wrong is 1, what has to be looked at is 2."""

import pytest

from latentveil.cli import main as main_cli
from latentveil.cli.statuses import BAD_INPUT, MEANINGS, WRONG_USE

# None of the files and folders named here is there: that 1 comes out says that the words were judged first.
WRONG_WORDS = """
    no-such-command
    extract
    doctor --no-such-option
    actors new --task dancing
    actors new --videos 1
    actors new --task bias --videos 4
    actors new --size 63
    actors new --more-test -1
    actors new --task gait --more-test 3
    actors new --seed -1
    actors new --workers 0
    extract gone -o new --encoder resnet
    extract gone -o new --encoder nowhere:factory
    extract gone -o new --encoder tiny --backend tvm
    extract gone -o new --encoder tiny --backend onnx --device cuda
    extract gone -o new --encoder tiny --device banana
    extract gone -o new --encoder tiny --clips x
    extract gone -o new --encoder tiny --clips 0
    extract gone -o new --encoder tiny --clips 3 --stride-frames 8
    extract gone -o new --encoder tiny --stride-frames 0
    extract gone -o new --encoder tiny --static -1
    extract gone -o new --encoder tiny --view side
    extract gone -o new --encoder tiny --views 2
    extract gone -o new --encoder tiny --seed -1
    extract gone -o new --encoder tiny --workers 0
    extract gone -o new --encoder tiny --batch-clips 0
    extract gone -o new --encoder tiny --shard-videos 0
    extract gone -o new --encoder tiny --dtype int8
    extract gone -o new --encoder tiny --engine spark
    extract gone -o new --encoder tiny --address here
    extract gone -o new --encoder tiny --decoding size=1
    extract gone -o new --encoder tiny --decoding seconds=0
    import gone -o new --fps 0
    import gone -o new --stride-frames 0
    import gone -o new --dtype int8
    import -o new
    export gone
    export gone --npy a --h5 b
    fit gone -o new --preset papper
    fit gone -o new --method magic
    fit gone -o new --method nowhere:magic
    fit gone -o new --preset paper --method noise
    fit gone -o new --labels gone.csv --tasks dancing
    fit gone -o new --labels gone.csv --tasks detection
    fit gone -o new
    fit gone -o new --labels gone.csv --set nosuch=1
    fit gone -o new --labels gone.csv --set nosuch
    fit gone -o new --labels gone.csv --set erasure.noise=-1
    fit gone -o new --labels gone.csv --read-gb 0
    fit gone -o new --labels gone.csv --device banana
    fit gone -o new --labels gone.csv --seed -1
    fit gone -o new --labels gone.csv --preset paper --set heads.anomaly=sultani
    fit gone -o new --labels gone.csv --method noise --tasks motion
    fit gone -o new --labels gone.csv --videos gone
    fit gone -o new --labels gone.csv --preset paper --videos gone --encoder resnet
    fit gone -o new --labels gone.csv --preset paper --videos gone --workers 0
    fit gone -o new --release gone2
    fit --release gone -o new --read-gb 1
    fit gone -o new --method spact --preset nosuch
    fit gone -o new --method spact --set nosuch=1
    apply blur gone -o new --preset nosuch
    apply blur gone -o new --set nosuch=1
    apply blur gone -o new --forget
    apply blur gone -o new --decoding size=1
    apply blur gone -o new --device banana
    apply blur gone -o new --boxes gone.csv
    apply spact gone -o new
    audit gone gone2 --labels gone.csv -o new --attacks magic
    audit gone gone2 --labels gone.csv -o new --attacks lda,nowhere:magic
    audit gone gone2 --labels gone.csv -o new --attacks ,
    audit gone gone2 --labels gone.csv -o new --tasks dancing
    audit gone gone2 --labels gone.csv -o new --tasks detection
    audit gone gone2 --labels gone.csv -o new --recipient everybody
    audit gone gone2 --labels gone.csv -o new --limit 2
    audit gone gone2 --labels gone.csv -o new --seed -1
    audit gone gone2 --labels gone.csv -o new --floor -1
    audit gone gone2 --labels gone.csv -o new --workers 2
    audit gone gone2 -o new
    eval dancing gone --labels gone.csv
    eval detection gone --labels gone.csv
    eval action gone --labels gone.csv --head tridet
    eval action gone --labels gone.csv --seeds 0
    eval action gone --labels gone.csv --read-gb -1
    tune gone --labels gone.csv -o new --keep 2
    tune gone --labels gone.csv -o new --dial nosuch=1
    tune gone --labels gone.csv -o new --dial erasure.noise=x
    tune gone --labels gone.csv -o new --tasks dancing
    tune gone --labels gone.csv -o new --attacks magic
    tune gone --labels gone.csv -o new --method transport
    tune gone --labels gone.csv -o new --device banana
    bench nosuch --data gone
    bench table5 --data gone --seeds 0
    bench table5 --data gone --seed -1
    bench all --data nosuch
    datasets check nosuch gone
    datasets check ucf101 gone --set nosuch=1
    datasets check ucf101 gone --set split=x
    datasets check ucf101 gone --set split
    demo -o new --encoder resnet
    demo -o new --encoder tiny --seed -1
    weights resnet
"""

# `raw` is a store of toy features, `labels.csv` are its labels, `notes.txt` is a text, `empty` an empty folder.
UNUSABLE_THINGS = """
    extract gone -o new --encoder tiny
    extract empty -o new --encoder tiny
    import gone -o new
    import empty -o new
    import notes.txt -o new
    export gone --npy new
    export raw --npy notes.txt
    export raw --npy new --view side
    fit gone -o new --labels labels.csv
    fit raw -o new --labels gone.csv
    fit raw -o new --labels notes.txt
    fit raw -o notes.txt --labels labels.csv
    fit raw -o empty --labels labels.csv --device cuda:99
    fit --release raw -o new --labels labels.csv --groups shoes
    fit raw -o new --labels labels.csv --preset paper --videos gone
    fit gone -o new --labels labels.csv --method spact
    apply gone raw -o new
    apply raw raw -o new
    apply blur gone -o new
    audit raw gone --labels labels.csv -o new
    audit raw raw --labels gone.csv -o new
    audit raw raw --labels labels.csv -o new --secrets shoes
    audit raw raw --labels labels.csv -o raw
    eval action gone --labels labels.csv
    eval action raw --labels gone.csv
    eval anomaly raw --labels labels.csv --segments gone.csv
    tune gone --labels labels.csv -o new
    tune raw --labels gone.csv -o new
    bench gone.toml --data gone
    bench notes.txt --data gone
    bench table5 --data gone -o new
    bench table5 --data gone -o new --only nosuch
    datasets check ucf101 gone
    datasets prepare ucf101 empty -o new
    repair gone --from gone
    verify gone
    report gone
    card raw --audit gone
    weights i3d --cache notes.txt --archive gone.tar.gz
"""


def lines(text: str) -> list[str]:
    return [line.strip() for line in text.strip().splitlines()]


@pytest.fixture(scope="module", autouse=True)
def all_commands():
    main_cli._add_subcommands()


@pytest.mark.parametrize("line", lines(WRONG_WORDS))
def test_wrong_words_end_with_1_before_anything_is_opened_or_made(line, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main_cli.run(line.split()) == WRONG_USE, capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("line", lines(UNUSABLE_THINGS))
def test_what_is_not_usable_ends_with_2_and_a_sentence(line, toy_folder, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "raw").symlink_to(toy_folder / "raw")
    (tmp_path / "labels.csv").symlink_to(toy_folder / "labels.csv")
    (tmp_path / "notes.txt").write_text("nothing\n")
    (tmp_path / "empty").mkdir()
    assert main_cli.run(line.split()) == BAD_INPUT
    said = capsys.readouterr().err.strip().splitlines()[-1]
    assert said.startswith("veil: ")
    assert " must " in said


def test_every_status_has_a_meaning_and_the_rule_is_in_those_of_1_and_2():
    assert list(MEANINGS) == [0, 1, 2, 3, 4, 130]
    assert "words" in MEANINGS[WRONG_USE]
    assert "file" in MEANINGS[BAD_INPUT]
