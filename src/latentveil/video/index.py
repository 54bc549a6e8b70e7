"""Where the frames of a video lie in its file, known from the packets without decoding them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

# Seeking restarts the decoder at every jump, so it has to save at least half of the decoding.
SEEKING_GAIN = 2


class PacketIndex:
    """When each frame is shown and where decoding can start, from the packets' (pts, dts, is_keyframe) alone."""

    def __init__(self, packets: list[tuple[int | None, int | None, bool]]) -> None:
        self.num_frames = len(packets)
        self.pts = sorted(pts for pts, _, _ in packets if pts is not None)
        self.can_seek = len(set(self.pts)) == self.num_frames
        place = {pts: index for index, pts in enumerate(self.pts)}
        keyframes = sorted(
            (place[pts], pts if dts is None else dts) for pts, dts, key in packets if key and pts in place
        )
        self.keyframes = [index for index, _ in keyframes]
        self._keyframe_dts = [dts for _, dts in keyframes]

    def keyframe_before(self, index: int) -> int:
        """The place in ``keyframes`` of the last one at or before frame ``index``; -1 if there is none."""
        return bisect_right(self.keyframes, index) - 1

    def runs(self, indices: Sequence[int]) -> list[list[int]]:
        """Wanted frames in groups that are decoded without a jump: no keyframe lies in a gap inside a group."""
        groups: list[list[int]] = []
        for index in indices:
            if groups and self.keyframes[self.keyframe_before(index)] <= groups[-1][-1] + 1:
                groups[-1].append(index)
            else:
                groups.append([index])
        return groups

    def seek_target(self, index: int) -> int:
        """The timestamp to seek to for frame ``index``: containers order their index by decoding time."""
        return self._keyframe_dts[self.keyframe_before(index)]

    def seeking_pays(self, indices: Sequence[int]) -> bool:
        if (
            not self.can_seek
            or not indices
            or indices[-1] >= self.num_frames
            or self.keyframe_before(indices[0]) < 0
        ):
            return False
        decoded = sum(
            run[-1] - self.keyframes[self.keyframe_before(run[0])] + 1 for run in self.runs(indices)
        )
        return decoded * SEEKING_GAIN < indices[-1] + 1
