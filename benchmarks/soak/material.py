"""A small sound example of every kind of file that the software reads, made once for all cases."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import av
import h5py
import numpy as np
import torch
from PIL import Image
from safetensors.numpy import save_file

import latentveil as lv
from latentveil.labels import write_segments
from latentveil.report.page import Extras, FeatureMap
from latentveil.store import Manifest, StoreWriter
from latentveil.testing.recipes import small_recipe
from latentveil.testing.videos import make_videos
from latentveil.types import STATIC, TEMPORAL, EncoderInfo, FeatureSet, Sampling
from latentveil.video.write import write_video


def write_material(folder: Path) -> None:
    """Write store `raw`, labels, segments, two adapters, an audit, a video, pictures and files of arrays."""
    folder.mkdir(parents=True, exist_ok=True)
    made = make_videos()
    features = made.features
    _write_store(folder / "raw", features)
    made.labels.write(folder / "labels.csv")
    write_segments(folder / "segments.csv", made.segments)
    adapter = lv.fit(
        folder / "raw", folder / "labels.csv", folder / "adapter", method="leace", progress=False
    )
    lv.apply(adapter, folder / "raw", folder / "safe", progress=False)
    audit = lv.audit(
        folder / "raw",
        folder / "safe",
        folder / "labels.csv",
        attacks=["lda"],
        secrets=["gender"],
        progress=False,
    )
    points = [[0.0, 1.0], [1.0, 0.5]]
    drawn = FeatureMap("gender", [0, 1], ["a", "b"], points, points)
    extras = Extras(training_log=[{"epoch": 0.0, "task": 1.0}], feature_map=drawn, pictures={"x": b"png"})
    object.__setattr__(audit, "extras", extras)
    audit.save(folder / "audit")
    _write_pictures(folder)
    _write_arrays(folder, features)
    torch.save(
        {"settings": "{}", "data": "", "epoch": 1, "random": torch.get_rng_state()}, folder / "checkpoint.pt"
    )
    _write_onnx(folder / "model.onnx")
    _write_encoder(folder / "videomae")
    _write_small_texts(folder)


def _write_store(path: Path, features: FeatureSet) -> None:
    encoder = EncoderInfo("toy", "0" * 64, features.dim, 16, 64, (0.5,) * 3, (0.5,) * 3, "none")
    with StoreWriter(path, Manifest(encoder=encoder, sampling=Sampling(static_clips=3))) as writer:
        for part in np.array_split(np.array(features.videos), 3):
            writer.write_shard(features.of_videos(part.tolist()))
        writer.finish()


def _write_pictures(folder: Path) -> None:
    blocks = np.random.default_rng(0).integers(0, 256, (6, 6, 3), dtype=np.uint8)
    picture = blocks.repeat(8, axis=0).repeat(8, axis=1)  # (48, 48, 3)
    write_video(folder / "video.mp4", (np.roll(picture, shift, axis=1) for shift in range(20)))
    for ending, codec in (("webm", "libvpx"), ("avi", "mpeg4"), ("mkv", "libx264"), ("gif", "gif")):
        _write_video(folder / f"video.{ending}", picture, codec=codec)
    for ending in ("png", "jpg", "tiff", "bmp", "webp"):
        Image.fromarray(picture).save(folder / f"picture.{ending}")


def _write_arrays(folder: Path, features: FeatureSet) -> None:
    videos = {
        video: features.feature[rows] for video, kind, _, rows in features.sequences() if kind == TEMPORAL
    }
    np.save(folder / "one.npy", next(iter(videos.values())))
    np.savez(folder / "several.npz", **videos)
    clips = features.select(features.kind != STATIC)
    columns = {name: getattr(clips, name) for name in ("video", "kind", "start_frame", "time", "feature")}
    np.savez_compressed(folder / "table.npz", **columns)
    save_file(videos, folder / "several.safetensors")
    with h5py.File(folder / "several.h5", "w") as file:
        for video, feature in videos.items():
            file[video] = feature


def _write_video(path: Path, picture: np.ndarray, *, codec: str) -> None:
    """The moving picture (H, W, 3) in another container than mp4."""
    with av.open(str(path), "w") as container:
        stream: Any = container.add_stream(codec, rate=25)
        stream.height, stream.width = picture.shape[:2]
        stream.pix_fmt = "rgb8" if codec == "gif" else "yuv420p"
        for shift in range(20):
            shown = av.VideoFrame.from_ndarray(np.roll(picture, shift, axis=1), format="rgb24")
            container.mux(stream.encode(shown.reformat(format=stream.pix_fmt)))
        container.mux(stream.encode())


def _write_small_texts(folder: Path) -> None:
    """Lists of videos beside a video, boxes, spans and a recipe."""
    (folder / "listed").mkdir()
    shutil.copy(folder / "video.mp4", folder / "listed" / "a.mp4")
    (folder / "listed" / "videos.csv").write_text("video,path\nfirst,a.mp4\n")
    (folder / "listed" / "videos.txt").write_text("a.mp4\n")
    boxes = [f"video,{frame},face,0,{4 + frame},4,{20 + frame},20,0.9\n" for frame in range(20)]
    (folder / "boxes.csv").write_text(
        "video,frame,label,track,left,top,right,bottom,score\n" + "".join(boxes)
    )
    (folder / "spans.csv").write_text("video,start_seconds,end_seconds\nvideo,0.1,0.5\n")
    (folder / "recipe.toml").write_text(small_recipe(secret="gender", num_seen=2, components=8))


def _write_encoder(folder: Path) -> None:
    """A small checkpoint of transformers."""
    from transformers import VideoMAEConfig, VideoMAEModel

    config = VideoMAEConfig(
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=1,
        num_attention_heads=2,
        image_size=32,
        num_frames=4,
    )
    VideoMAEModel(config).save_pretrained(folder)
    colours = {"image_mean": [0.4, 0.5, 0.6], "image_std": [0.2, 0.2, 0.2]}
    (folder / "preprocessor_config.json").write_text(json.dumps(colours))


def _write_onnx(path: Path) -> None:
    """A graph with the inputs and outputs of an exported encoder, and a weight."""
    from onnx import TensorProto, helper, save

    kind = TensorProto.FLOAT
    weight = helper.make_tensor("weight", kind, [1], [2.0])
    frames = helper.make_tensor_value_info("frames", kind, ["batch", 3, 16, 8, 8])
    features = helper.make_tensor_value_info("features", kind, ["batch", 3, 16, 8, 8])
    node = helper.make_node("Mul", ["frames", "weight"], ["features"])
    graph = helper.make_graph([node], "encoder", [frames], [features], initializer=[weight])
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), str(path))
