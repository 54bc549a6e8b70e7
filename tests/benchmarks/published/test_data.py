"""What is trained on and graded on comes from the right rows of the data folder."""

import numpy as np
import pytest

from benchmarks.published.data import ATTRIBUTES, load_strangers, load_videos


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "features").mkdir()
    (tmp_path / "wlasl100").mkdir()
    lines = ["video,split,person,action,secret_gender,secret_glasses"]
    lines += ["a,train,p,book,1,0", "b,val,q,drink,,0", "c,test,r,book,0,1"]
    (tmp_path / "wlasl100" / "labels.csv").write_text("\n".join(lines) + "\n")
    video = np.repeat(["c", "b", "a"], 4)
    kind = np.tile(["static", "temporal"], 6)
    start = np.tile([16, 16, 0, 0], 3)
    feature = np.arange(12, dtype=np.float16)[:, None].repeat(8, axis=1)
    np.savez(
        tmp_path / "features" / "wlasl100.npz", video=video, kind=kind, start_frame=start, feature=feature
    )
    return tmp_path


def test_adapters_never_see_the_people_of_test(folder):
    train, held_out = load_videos(folder, "wlasl100")
    assert train.person.tolist() == ["p", "q"]
    assert held_out.person.tolist() == ["r"]
    np.testing.assert_array_equal(train.stills[:, :, 0], [[10, 8], [6, 4]])  # in order of time
    np.testing.assert_array_equal(train.clips[:, :, 0], [[11, 9], [7, 5]])


def test_stills_with_an_unknown_attribute_are_left_out(folder):
    people = load_strangers(folder, "wlasl100")
    assert sorted(set(people.video.tolist())) == ["a", "c"]
    assert people.target.shape == (4, len(ATTRIBUTES["wlasl100"]))
    assert people.target[people.video == "c"].tolist() == [[0, 1], [0, 1]]
