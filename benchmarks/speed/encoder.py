"""Clips a second of an encoder, torch eager against ONNX Runtime, in one run on the same threads.

Run: python -m benchmarks.speed.encoder [--encoder i3d] [--size PX] [--batch N] [--seconds S] [--threads N] [--json]
"""

from __future__ import annotations

import argparse
import json
import statistics
import time

import torch

from latentveil.encoders import Encoder, load_encoder


def seconds_per_clip(encoder: Encoder, clips: torch.Tensor) -> tuple[float, float]:
    """Wall seconds and seconds of all cores together: on a busy machine the second is the one to trust."""
    wall, cores = time.perf_counter(), time.process_time()
    encoder.encode(clips)
    return (time.perf_counter() - wall) / len(clips), (time.process_time() - cores) / len(clips)


def measure(encoders: dict[str, Encoder], clips: torch.Tensor, *, seconds: float) -> dict[str, float]:
    """Median speed of each encoder; they take turns, so that other load on the machine hits all alike."""
    for encoder in encoders.values():
        encoder.encode(clips)
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in encoders}
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        for name, encoder in encoders.items():
            times[name].append(seconds_per_clip(encoder, clips))
    result: dict[str, float] = {}
    for name, pairs in times.items():
        wall, cores = (statistics.median(values) for values in zip(*pairs))
        result |= {f"{name}_clips_per_second": 1 / wall, f"{name}_core_seconds_per_clip": cores}
    return result


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--encoder", default="i3d")
    parser.add_argument(
        "--size", type=int, help="side of the frames in pixels, the encoder's own unless given"
    )
    parser.add_argument("--batch", type=int, default=4, help="clips encoded at once")
    parser.add_argument("--seconds", type=float, default=60, help="how long to measure")
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    options = parser.parse_args()

    torch.set_num_threads(options.threads)
    encoders = {
        name: load_encoder(options.encoder, size=options.size, backend=name) for name in ("torch", "onnx")
    }
    info = encoders["torch"].info
    shape = (options.batch, info.clip_frames, info.frame_size, info.frame_size, 3)
    clips = torch.randint(0, 256, shape, dtype=torch.uint8, generator=torch.Generator().manual_seed(0))
    speed = measure(encoders, clips, seconds=options.seconds)
    by_torch, by_onnx = (encoder.encode(clips) for encoder in encoders.values())
    result = {
        "encoder": info.name,
        "frame_size": info.frame_size,
        "batch": options.batch,
        "threads": options.threads,
        **speed,
        "torch_over_onnx": speed["torch_clips_per_second"] / speed["onnx_clips_per_second"],
        "largest_relative_difference": ((by_torch - by_onnx).abs().max() / by_torch.abs().max()).item(),
    }
    if options.json:
        print(json.dumps(result))
    else:
        print("\n".join(f"{name:28} {value}" for name, value in result.items()))


if __name__ == "__main__":
    main()
