"""Small damage to files and to JSON, drawn at random: what a bad disk, a bad tool or a bad person does."""

from __future__ import annotations

import json
import random
import struct
from typing import Any

EXTREMES = (0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF, 1 << 40, (1 << 63) - 1)
ODD_VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 3.5, 1e308, -1e308, 10**9, 10**30, -(10**12), 10**400, "", "x", "../../x",
    "/etc/passwd", "\x00", "ä\ud7ff", "\ud800", "a" * 5000, [], {}, [[]], {"x": {}}, [None], ["x"] * 50,
    float("nan"), float("inf"),
)  # fmt: skip
# Where a list should be.
NO_LISTS: tuple[Any, ...] = (float("nan"), -1e308, 10**400, "\ud800", {})

_ODD_TEXTS = (
    b"\n", b",", b'"', b"\xff\xfe", b"\x00", b"1e999", b"nan", b"-1", b"../", b"=cmd()", b"a" * 200_000,
)  # fmt: skip


def mutate_bytes(content: bytes, draw: random.Random) -> bytes:
    """The content after one to four acts of damage."""
    found = bytearray(content)
    for _ in range(draw.choice((1, 1, 1, 2, 4))):
        if not found:
            break
        draw.choice(_ACTS)(found, draw)
    return bytes(found) if found != content else mutate_bytes(content, draw)  # zeros over zeros are no damage


def mutate_json(content: bytes, draw: random.Random) -> bytes:
    """The same JSON with one to three places changed, removed, repeated or nested; sometimes damaged as bytes."""
    if draw.random() < 0.2:
        return mutate_bytes(content, draw)
    if draw.random() < 0.02:
        return b"[" * 100_000
    tree = json.loads(content)
    for _ in range(draw.choice((1, 1, 2, 3))):
        tree = _change(tree, draw)
    return json.dumps(tree).encode(errors="surrogatepass")


def _flip(found: bytearray, draw: random.Random) -> None:
    found[draw.randrange(len(found))] ^= 1 << draw.randrange(8)


def _overwrite(found: bytearray, draw: random.Random) -> None:
    start = draw.randrange(len(found))
    length = draw.choice((1, 4, 16, 64))
    found[start : start + length] = draw.randbytes(min(length, len(found) - start))


def _extreme(found: bytearray, draw: random.Random) -> None:
    value = draw.choice(EXTREMES)
    packed = struct.pack(draw.choice(("<Q", ">Q", "<I", ">I")[: 4 if value < 1 << 32 else 2]), value)
    start = draw.randrange(len(found))
    found[start : start + len(packed)] = packed[: len(found) - start]


def _cut_off(found: bytearray, draw: random.Random) -> None:
    del found[draw.randrange(len(found)) :]


def _cut_out(found: bytearray, draw: random.Random) -> None:
    start = draw.randrange(len(found))
    del found[start : start + draw.choice((1, 3, 100, 1000))]


def _repeat(found: bytearray, draw: random.Random) -> None:
    start = draw.randrange(len(found))
    part = found[start : start + draw.choice((1, 8, 200, 2000))]
    found[start:start] = part * draw.choice((1, 2, 20))


def _blank(found: bytearray, draw: random.Random) -> None:
    start = draw.randrange(len(found))
    end = min(len(found), start + draw.choice((8, 512, 4096)))
    found[start:end] = bytes(end - start)


def _insert_text(found: bytearray, draw: random.Random) -> None:
    start = draw.randrange(len(found))
    found[start:start] = draw.choice(_ODD_TEXTS)


_ACTS = (_flip, _flip, _overwrite, _extreme, _cut_off, _cut_out, _repeat, _blank, _insert_text)


def _change(tree: Any, draw: random.Random) -> Any:
    """The tree with one place changed; deeper places are as likely as shallow ones."""
    if isinstance(tree, dict) and tree and draw.random() < 0.9:
        name = draw.choice(list(tree))
        if draw.random() < 0.1:
            return {key: value for key, value in tree.items() if key != name}
        if draw.random() < 0.05:
            return tree | {draw.choice(("", "x", "../up", name + " ")): tree[name]}
        return tree | {name: _change(tree[name], draw)}
    if isinstance(tree, list) and draw.random() < 0.05:
        return draw.choice(NO_LISTS)
    if isinstance(tree, list) and tree and draw.random() < 0.8:
        place = draw.randrange(len(tree))
        if draw.random() < 0.1:
            return tree[:place]
        return [*tree[:place], _change(tree[place], draw), *tree[place + 1 :]]
    if isinstance(tree, int | float) and not isinstance(tree, bool) and draw.random() < 0.5:
        third = tree / 3 if abs(tree) <= 1e308 else 0
        return draw.choice((-tree, tree * 10**9, tree + 1, tree - 1, third))
    return draw.choice(ODD_VALUES)
