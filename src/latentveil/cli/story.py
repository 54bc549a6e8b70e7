"""The whole story on the embedded data set: render, extract, fit, apply, audit, report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import latentveil as lv
from latentveil.actors.sets.write import write_dataset
from latentveil.encoders import find_encoder
from latentveil.seeds import require_seed


@dataclass(frozen=True)
class DemoSize:
    """How much the demo does: videos of ``pixels`` a side, ``clips`` and ``stills`` of each, secrets and attacks."""

    videos: int
    pixels: int
    clips: int
    stills: int
    secrets: tuple[str, ...]
    attacks: str | tuple[str, ...]


FULL = DemoSize(
    videos=192,
    pixels=112,
    clips=2,
    stills=3,
    secrets=("scene", "lower", "gender"),
    attacks=("linear", "lda", "neighbours", "informed"),
)
QUICK = DemoSize(
    videos=96, pixels=64, clips=2, stills=2, secrets=("scene", "gender"), attacks=("linear", "lda")
)


def demo(
    folder: Path,
    *,
    encoder: str = "i3d",
    size: DemoSize = FULL,
    seed: int = 0,
    say: Callable[[str], None] = print,
) -> lv.Audit:
    """Run every step into ``folder`` and give the audit; steps that an earlier run finished are not done again."""
    find_encoder(encoder)
    require_seed(seed)
    actors, raw, safe = folder / "actors", folder / "raw.store", folder / "safe.store"
    adapter, labels = folder / "adapter", folder / "actors" / "labels.csv"
    if not labels.exists():
        say(f"1/5  rendering {size.videos} videos of people who move")
        write_dataset(actors, task="action", num_videos=size.videos, size=size.pixels, seed=seed)
    say(f"2/5  encoding clips and stills with {encoder}")
    lv.extract(
        actors / "videos",
        raw,
        encoder=encoder,
        size=size.pixels,
        clips=size.clips,
        static=size.stills,
        batch_clips=8,
    )
    if not (adapter / "config.json").exists():
        say("3/5  fitting an adapter that hides who is in the video")
        lv.fit(raw, labels, adapter, tasks=["action"], seed=seed)
    say("4/5  anonymizing the store")
    lv.apply(adapter, raw, safe)
    say("5/5  attacking raw and anonymized features")
    return lv.audit(
        raw,
        safe,
        labels,
        folder / "audit",
        secrets=size.secrets,
        attacks=size.attacks,
        adapter=adapter,
        videos=actors / "videos",
        seed=seed,
    )
