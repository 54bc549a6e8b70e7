"""Results go into JSON and come back, with what could not be measured."""

import json

from latentveil.results.risks import KnownVideos as Point
from latentveil.results.risks import (
    Linkability,
    Links,
    LinkScore,
    PeopleInference,
    SinglingOut,
)
from latentveil.types import Interval

SOME = Interval(0.5, 0.4, 0.6)
SCORE = LinkScore(("cosine",), 3, 4, 5, SOME, SOME, SOME, None, SOME, 0.1, SOME, 0.2)


def through_json(result):
    return type(result).from_dict(json.loads(json.dumps(result.to_dict(), allow_nan=False)))


def test_linkability_survives_json():
    links = {"any_recording": Links(SCORE, None), "other_recording": Links(why_not="nobody was filmed twice")}
    for gallery in (None, links):
        result = Linkability("raw", raw=links, anonymized=links, raw_to_anonymized=gallery)
        assert through_json(result) == result


def test_singling_out_survives_json():
    points = (Point(1, ("cosine", "whitened"), SOME, SOME, None), Point(None, ("cosine",), SOME, SOME, 0.9))
    result = SinglingOut(10, 30, 5, 0.1, points, points)
    assert through_json(result) == result


def test_inference_survives_json():
    result = PeopleInference("gender", "lda", 10, 0.5, SOME, 1.0, 0.9, {"0": SOME, "1": SOME})
    assert through_json(result) == result
