"""A CSV file that another program wrote is read, or refused with what to do about it."""

import pytest

from latentveil.errors import InputError
from latentveil.files.csv_files import read_rows


@pytest.mark.parametrize(
    "text",
    [
        "video,split\na,train\n",
        "\ufeffvideo,split\r\na,train\r\n",
        "video,split\ra,train\r",
        '"video","split"\n\na,train',
    ],
)
def test_line_ends_quotes_and_blank_lines_make_no_difference(tmp_path, text):
    (tmp_path / "x.csv").write_bytes(text.encode())
    assert read_rows(tmp_path / "x.csv", required=["video"]) == [{"video": "a", "split": "train"}]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("video;split\na;train\n", "got video;split. Save it with commas."),
        ("video\tsplit\na\ttrain\n", "Save it with commas."),
        ("video, split\na, train\n", "got video,  split. Take out the blanks around the commas."),
        ("video,spilt\na,train\n", "got video, spilt."),
        ("", "got none."),
    ],
)
def test_the_likely_slip_is_named(tmp_path, text, said):
    (tmp_path / "x.csv").write_text(text)
    with pytest.raises(InputError) as refused:
        read_rows(tmp_path / "x.csv", required=["video", "split"])
    assert "must have the columns video, split, separated by commas, got " in str(refused.value)
    assert str(refused.value).endswith(said)


def test_another_encoding_is_told_with_what_to_do(tmp_path):
    (tmp_path / "x.csv").write_bytes("video,split\né,train\n".encode("latin-1"))
    with pytest.raises(InputError, match=r"must be a CSV file in UTF-8, got: .*Save it as one\.$"):
        read_rows(tmp_path / "x.csv", required=["video"])
