"""Time of soft-NMS, mAP and a TriDet training step, with the step's share in convolution.

Run: python -m benchmarks.speed.detection [--threads N] [--repeats N] [--skip-training] [--json]
"""

from __future__ import annotations

import argparse
import json

import numpy as np
import torch
from torch.profiler import ProfilerActivity, profile

from benchmarks.speed.measure import least_seconds
from latentveil.labels import Segment
from latentveil.metrics.detection_map import (
    THUMOS_THRESHOLDS,
    Detections,
    match_detections,
    mean_average_precision,
    score_detections,
)
from latentveil.tasks.detection.config import TriDetConfig
from latentveil.tasks.detection.loss import assign, detection_loss
from latentveil.tasks.detection.model import TriDet
from latentveil.tasks.detection.nms import soft_nms
from latentveil.tasks.detection.points import DetectionTarget
from latentveil.tasks.detection.train import make_optimizer

NUM_CLASSES, NUM_SEGMENTS, NUM_CLIPS = 20, 2000, 2304
NUM_VIDEOS, PER_VIDEO = 213, 200
CONVOLUTIONS = ("aten::convolution", "aten::convolution_backward")  # with all that they call


def soft_nms_seconds(*, repeats: int) -> dict[str, float]:
    """2,000 segments for each of 20 classes; scores as at random, as a trained head gives them, or all in one class."""
    random = np.random.default_rng(0)
    shape = (NUM_CLASSES, NUM_SEGMENTS)
    start = random.uniform(0, NUM_CLIPS, shape)
    segments = np.stack([start, start + random.exponential(30, shape)], axis=2).reshape(-1, 2)
    classes = np.repeat(np.arange(NUM_CLASSES), NUM_SEGMENTS)
    one_class = np.where(np.arange(NUM_CLASSES)[:, None] == 0, 1.0, 0.01) * random.uniform(0.1, 1, shape)
    scores = {
        "uniform": random.uniform(0.001, 1, shape),
        "mostly_low": random.beta(0.3, 6, shape).clip(0.001),
        "one_class": one_class,
    }
    return {
        name: least_seconds(lambda: soft_nms(segments, values.ravel(), classes=classes), repeats=repeats)  # noqa: B023
        for name, values in scores.items()
    }


def make_detections() -> tuple[Detections, dict[str, list[Segment]]]:
    """Videos with up to 30 segments of two classes, and detections most of which lie near one of them."""
    random = np.random.default_rng(0)
    truth: dict[str, list[Segment]] = {}
    rows = []
    for video in range(NUM_VIDEOS):
        labels = random.choice(NUM_CLASSES, 2, replace=False)
        starts = random.uniform(0, 200, random.integers(5, 30))
        found = [Segment(s, s + random.uniform(1, 10), f"class{random.choice(labels):02d}") for s in starts]
        truth[f"video{video:03d}"] = found
        for number in random.integers(len(found), size=PER_VIDEO):
            near = found[number]
            start = near.start_seconds + random.normal()
            end = max(start, near.end_seconds + random.normal())
            label = near.label if random.random() < 0.8 else f"class{random.integers(NUM_CLASSES):02d}"
            rows.append((f"video{video:03d}", label, random.random(), start, end))
    return Detections(*(np.array(column) for column in zip(*rows))), truth


def map_seconds(*, repeats: int) -> dict[str, float]:
    """213 videos with 200 detections each at 5 thresholds: mAP alone, and with its interval over 1,000 resamples."""
    detections, truth = make_detections()

    def value() -> np.ndarray:
        matches = match_detections(detections, truth, thresholds=THUMOS_THRESHOLDS)
        return mean_average_precision(matches, np.ones((1, len(truth))))

    return {
        "value": least_seconds(value, repeats=repeats),
        "with_interval": least_seconds(lambda: score_detections(detections, truth), repeats=1),
    }


def training_step(*, dim: int = 1024, batch: int = 2, repeats: int) -> dict[str, float]:
    """One full step of the default TriDet at its longest input: seconds, and the share of it in convolutions."""
    torch.manual_seed(0)
    config = TriDetConfig()
    head = TriDet(dim, NUM_CLASSES, config).train()
    optimizer = make_optimizer(head, config.learning_rate, weight_decay=config.weight_decay)
    features, mask = torch.randn(batch, NUM_CLIPS, dim), torch.ones(batch, NUM_CLIPS, dtype=torch.bool)
    starts = torch.rand(batch, 15) * 0.9 * NUM_CLIPS
    segments = torch.stack([starts, starts + 2 + 100 * torch.rand(batch, 15)], dim=2)
    target = DetectionTarget(list(segments), list(torch.randint(NUM_CLASSES, (batch, 15))))

    def step() -> None:
        outputs = head(features, mask)
        assignment = assign(outputs, target, config)
        head.update_normaliser(assignment.num_positive)
        terms = detection_loss(outputs, assignment, head.normaliser.clone(), config)
        optimizer.zero_grad()
        torch.stack(list(terms.values())).sum().backward()
        torch.nn.utils.clip_grad_norm_(head.parameters(), config.gradient_clip)
        optimizer.step()

    seconds = least_seconds(step, repeats=repeats)
    with profile(activities=[ProfilerActivity.CPU]) as profiler:
        step()
    events = profiler.key_averages()
    total = sum(event.self_cpu_time_total for event in events)
    inside = sum(event.cpu_time_total for event in events if event.key in CONVOLUTIONS)
    return {"seconds": seconds, "convolution_share": inside / total}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--skip-training", action="store_true", help="leave out the training step")
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    results = {
        "threads": options.threads,
        "soft_nms_seconds": soft_nms_seconds(repeats=options.repeats),
        "map_seconds": map_seconds(repeats=options.repeats),
    }
    if not options.skip_training:
        results["training_step"] = training_step(repeats=options.repeats)
    if options.json:
        print(json.dumps(results))
        return
    for name, seconds in results["soft_nms_seconds"].items():
        print(f"soft-NMS, {NUM_SEGMENTS} segments x {NUM_CLASSES} classes, {name}: {seconds * 1e3:.1f} ms")
    for name, seconds in results["map_seconds"].items():
        print(
            f"mAP, {NUM_VIDEOS} videos x {PER_VIDEO} x {len(THUMOS_THRESHOLDS)}, {name}: {seconds * 1e3:.0f} ms"
        )
    if "training_step" in results:
        step = results["training_step"]
        print(
            f"training step, T={NUM_CLIPS}: {step['seconds']:.2f} s, {step['convolution_share']:.0%} in convolution"
        )


if __name__ == "__main__":
    main()
