"""Both risks in one call: measured where they can be, else left out with the reason."""

from dataclasses import replace

from latentveil.auditing.recipients import STRONGEST, find_recipient
from latentveil.auditing.risks.measure import measure_risks


def names_and_reasons(flags):
    return {flag.flag: flag.why for flag in flags}


def test_a_planted_person_is_found_from_one_video_and_across_recordings(scene):
    features, labels = scene(num_people=12, recordings=2, dim=8)
    risks, flags = measure_risks(features, features, labels, recipient=STRONGEST, kind="temporal")
    assert flags == []
    assert risks.singling_out.anonymized[0].known == 1
    assert risks.singling_out.anonymized[0].top1.low > 2 * risks.singling_out.chance
    assert risks.linkability.anonymized["other_recording"].video.auc.low > 0.6


def test_too_few_people_are_no_error_but_a_reason(scene):
    features, labels = scene(num_people=3)
    risks, flags = measure_risks(features, features, labels, recipient=STRONGEST, kind="temporal")
    assert risks.linkability is None
    assert risks.singling_out.num_people == 3
    [(name, why)] = names_and_reasons(flags).items()
    assert name == "linkability_not_measured"
    assert "must have 4 people with two videos or more, got 3" in why


def test_too_few_videos_are_a_reason_for_either_risk(scene):
    features, labels = scene(num_videos=4)
    once = labels.only(labels.video[::4])
    risks, flags = measure_risks(
        features.of_videos(once.video.tolist()),
        features.of_videos(once.video.tolist()),
        once,
        recipient=STRONGEST,
        kind="temporal",
    )
    assert risks.singling_out is risks.linkability is None
    assert set(names_and_reasons(flags)) == {"singling_out_not_measured", "linkability_not_measured"}


def test_nobody_named_is_said(scene):
    features, labels = scene()
    risks, flags = measure_risks(
        features, features, replace(labels, person=None), recipient=STRONGEST, kind="temporal"
    )
    assert risks.singling_out is risks.linkability is None
    assert all("the labels name nobody" in why for why in names_and_reasons(flags).values())


def test_who_holds_features_alone_links_but_names_nobody(scene):
    features, labels = scene()
    risks, flags = measure_risks(
        features, features, labels, recipient=find_recipient("features"), kind="temporal"
    )
    assert risks.singling_out is None
    assert risks.linkability.raw_to_anonymized is None
    assert names_and_reasons(flags) == {
        "singling_out_not_measured": "Singling out was not measured: this recipient knows nobody's name."
    }
