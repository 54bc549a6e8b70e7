"""What checkpoints say of their pictures is read from their files, and files that say something else are refused."""

import json

import pytest

from latentveil.encoders.hub import IMAGENET_MEAN, IMAGENET_STD, PREPROCESSOR_FILES, read_normalisation
from latentveil.errors import InputError


def test_colours_are_those_of_the_first_file_that_names_them(tmp_path):
    assert read_normalisation(str(tmp_path)) == (IMAGENET_MEAN, IMAGENET_STD)
    video, image = (tmp_path / name for name in PREPROCESSOR_FILES)
    image.write_text(json.dumps({"image_mean": [0.1, 0.2, 0.3], "image_std": [1, 1, 1]}))
    video.write_text(json.dumps({"image_mean": [0.5, 0.5, 0.5]}))  # half of it says nothing
    assert read_normalisation(str(tmp_path)) == ((0.1, 0.2, 0.3), (1.0, 1.0, 1.0))
    video.write_text(json.dumps({"image_mean": [0.5, 0.5, 0.5], "image_std": [2, 2, 2]}))
    assert read_normalisation(str(tmp_path)) == ((0.5, 0.5, 0.5), (2.0, 2.0, 2.0))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "got no JSON"),
        ("[" * 100_000, "nested too deep"),
        ("[]", "must be a JSON object, got list"),
        ('{"image_mean": [1, 2], "image_std": [1, 1, 1]}', "image_mean in .* must be three numbers"),
        ('{"image_mean": [1, 2, 3], "image_std": "abcd"}', "image_std in .* must be three numbers"),
        ('{"image_mean": 1, "image_std": 1}', "image_mean in .* must be three numbers"),
    ],
)
def test_refuses_what_says_nothing_of_colours(tmp_path, text, message):
    (tmp_path / PREPROCESSOR_FILES[1]).write_text(text)
    with pytest.raises(InputError, match=message):
        read_normalisation(str(tmp_path))
