"""What a decoder may do to the machine: as little as the kernel can forbid without privileges.

Limits of the process hold everywhere. Linux also takes the network away (a namespace of its own) and, since 5.13, all
files but those that the decoder needs to read (Landlock); from 6.7 on Landlock forbids TCP, from 6.12 on signals, too.
"""

from __future__ import annotations

import ctypes
import math
import os
import resource
import sys
import sysconfig
from pathlib import Path

from latentveil.machine.memory import room_for
from latentveil.video.decoding import Decoding

MAX_OPEN_FILES = 32
# linux/prctl.h, linux/sched.h, linux/landlock.h; the numbers of these calls are the same on every processor.
_NO_NEW_PRIVILEGES = 38
_NEW_USERS, _NEW_NETWORK = 0x10000000, 0x40000000
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_ASK_VERSION, _RULE_BENEATH = 1, 1
_READ_FILE, _READ_FOLDER = 1 << 2, 1 << 3
# Landlock's version, and how many rights on files, rights on TCP and kinds of isolation it knows.
_RIGHTS = {1: (13, 0, 0), 2: (14, 0, 0), 3: (15, 0, 0), 4: (15, 2, 0), 5: (16, 2, 0), 6: (16, 2, 2)}


class _Ruleset(ctypes.Structure):
    _fields_ = [("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("isolation", ctypes.c_uint64)]


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = [("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32)]


def limit_process(decoding: Decoding, *, threads: int) -> None:
    """Bound processor time, memory and open files of this process; no file may grow, no core be dumped."""
    seconds = math.ceil(decoding.seconds) + 1
    limits = {
        resource.RLIMIT_CPU: seconds,
        resource.RLIMIT_AS: room_for(decoding.memory_megabytes),
        resource.RLIMIT_NOFILE: MAX_OPEN_FILES,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_CORE: 0,
    }
    if threads == 1:  # threads count as processes
        limits[resource.RLIMIT_NPROC] = 0
    for name, most in limits.items():
        hard = resource.getrlimit(name)[1]
        allowed = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(name, (allowed, allowed))


def leave_network() -> bool:
    """Give this process a network of its own, in which nobody is; whether the system lets it."""
    if not sys.platform.startswith("linux"):
        return False
    unshare = ctypes.CDLL(None, use_errno=True).unshare
    return unshare(_NEW_NETWORK) == 0 or unshare(_NEW_USERS | _NEW_NETWORK) == 0


def landlock_version() -> int:
    """What the kernel's Landlock can do; 0 where there is none."""
    if not sys.platform.startswith("linux"):
        return 0
    return max(0, _call(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(_ASK_VERSION)))


def hide_files(readable: Path) -> bool:
    """From now on this process may read ``readable`` and Python's own files, and touch nothing else; whether it works.

    Nor may it start programs and, where the kernel knows how, use TCP or send signals to others.
    """
    version = min(landlock_version(), max(_RIGHTS))
    if not version:
        return False
    files, network, isolation = (1 << count for count in _RIGHTS[version])
    rules = _Ruleset(files - 1, network - 1, isolation - 1)
    used = 8 * (1 if version < 4 else 2 if version < 6 else 3)  # older kernels know a shorter structure
    ruleset = _call(_CREATE_RULESET, ctypes.byref(rules), ctypes.c_size_t(used), ctypes.c_uint32(0))
    if ruleset < 0:
        return False
    try:
        for path in _python_folders():
            _allow(ruleset, path, _READ_FILE | _READ_FOLDER)
        _allow(ruleset, readable, _READ_FILE)
        privileges = [ctypes.c_ulong(value) for value in (1, 0, 0, 0)]
        if ctypes.CDLL(None, use_errno=True).prctl(_NO_NEW_PRIVILEGES, *privileges):
            return False
        return _call(_RESTRICT_SELF, ctypes.c_int(ruleset), ctypes.c_uint32(0)) == 0
    finally:
        os.close(ruleset)


def _allow(ruleset: int, path: Path, rights: int) -> None:
    descriptor = os.open(path, getattr(os, "O_PATH", 0) | os.O_CLOEXEC)
    try:
        rule = _Beneath(rights, descriptor)
        _call(
            _ADD_RULE,
            ctypes.c_int(ruleset),
            ctypes.c_int(_RULE_BENEATH),
            ctypes.byref(rule),
            ctypes.c_uint32(0),
        )
    finally:
        os.close(descriptor)


def _python_folders() -> set[Path]:
    """Where modules lie that are imported late."""
    names = ("stdlib", "platstdlib", "purelib", "platlib")
    folders = {Path(path) for name in names if (path := sysconfig.get_path(name))}
    return {folder for folder in folders | {Path(__file__).parents[1]} if folder.is_dir()}


def _call(number: int, *arguments: object) -> int:
    return ctypes.CDLL(None, use_errno=True).syscall(ctypes.c_long(number), *arguments)
